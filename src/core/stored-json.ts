/** Several Buffers are sent one after the other, without being copied into one. */
export type JsonBytes = string | Buffer | readonly Buffer[];

/**
 * JSON that was validated when it was stored, and is sent without being parsed. `Value` is what it holds: the compiler
 * checks it against the response schema of the operation.
 */
export class StoredJson<Value> {
  declare readonly value: Value;
  readonly bytes: JsonBytes;
  /** A part of `bytes` that nobody else uses, to be freed once it is sent. */
  readonly ownBytes: Buffer | null;

  constructor(bytes: JsonBytes, ownBytes: Buffer | null = null) {
    this.bytes = bytes;
    this.ownBytes = ownBytes;
  }

  /** The same bytes, to be used more than once. */
  shared(): StoredJson<Value> {
    return new StoredJson(this.bytes);
  }

  get byteLength(): number {
    return byteLength(this.bytes);
  }
}

export function byteLength(bytes: JsonBytes): number {
  if (typeof bytes === 'string') return Buffer.byteLength(bytes);
  if (Buffer.isBuffer(bytes)) return bytes.length;
  return bytes.reduce((sum, { length }) => sum + length, 0);
}

export function storedJson<Value>(body: Value | StoredJson<Value>): StoredJson<Value> {
  return body instanceof StoredJson ? body : new StoredJson(JSON.stringify(body));
}
