/** What goes over the channel between a process and its child: a kind, a length and as many bytes. */
export const frameKinds = {
  /** To the child: a job as JSON. */
  job: 1,
  /** From the child, as everything that follows: it has received the job, and performs it now. */
  started: 2,
  /** The bytes that the job resulted in. */
  result: 3,
  /** The same, and the child wants to be replaced: it holds more memory than it should start another job with. */
  lastResult: 4,
  /** The job itself found that its time is up. */
  time: 5,
  /** The job needs more memory than there is. */
  memory: 6,
  /** The job threw: the stack of the error. */
  failed: 7,
} as const;

const headerBytes = 5;

export function frame(kind: number, body: Uint8Array = new Uint8Array()): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + body.byteLength);
  bytes.writeUInt8(kind, 0);
  bytes.writeUInt32BE(body.byteLength, 1);
  bytes.set(body, headerBytes);
  return bytes;
}

/** Puts frames together from the chunks of a stream. Never holds more than one, of at most `maxBytes`. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #header = Buffer.alloc(headerBytes);
  #headerFilled = 0;
  #body: Buffer | null = null;
  #bodyFilled = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws at the header of a frame that is too large. */
  *read(chunk: Buffer): Generator<{ readonly kind: number; readonly body: Buffer }> {
    let rest = chunk;
    while (rest.length > 0) {
      rest = this.#body === null ? this.#readHeader(rest) : this.#readBody(rest, this.#body);
      if (this.#body === null || this.#bodyFilled < this.#body.length) continue;
      const read = { kind: this.#header.readUInt8(0), body: this.#body };
      this.#headerFilled = 0;
      this.#body = null;
      yield read;
    }
  }

  #readHeader(chunk: Buffer): Buffer {
    const copied = chunk.copy(this.#header, this.#headerFilled);
    this.#headerFilled += copied;
    if (this.#headerFilled === headerBytes) {
      const length = this.#header.readUInt32BE(1);
      if (length > this.#maxBytes) throw new Error(`a frame of ${length} bytes, of at most ${this.#maxBytes}`);
      this.#body = Buffer.allocUnsafeSlow(length);
      this.#bodyFilled = 0;
    }
    return chunk.subarray(copied);
  }

  #readBody(chunk: Buffer, body: Buffer): Buffer {
    const copied = chunk.copy(body, this.#bodyFilled);
    this.#bodyFilled += copied;
    return chunk.subarray(copied);
  }
}
