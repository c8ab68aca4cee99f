/** Multiple Buffers are sent one after another, without being copied into one. */
export type JsonBytes = string | Buffer | readonly Buffer[];

/**
 * JSON that was validated when it was stored and is sent without parsing. `Value` is its type, which the compiler
 * checks against the response schema of the operation.
 */
export class StoredJson<Value> {
  declare readonly value: Value;
  readonly bytes: JsonBytes;
  /** A part of `bytes` that nothing else references, to be freed once it is sent. */
  readonly ownBytes: Buffer | null;

  constructor(bytes: JsonBytes, ownBytes: Buffer | null = null) {
    this.bytes = bytes;
    this.ownBytes = ownBytes;
  }

  /** The same bytes, for repeated use. */
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
