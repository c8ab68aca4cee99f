/** Audio of a call, mu-law, from the answer on: one byte a sample. What exceeds the limit is not kept. */
export class Recording {
  readonly #maxBytes: number;
  #bytes = new Uint8Array(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#maxBytes) return;
    if (length > this.#bytes.length) {
      const longer = new Uint8Array(Math.min(this.#maxBytes, Math.max(16_000, 2 * length)));
      longer.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = longer;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  delete(): void {
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
  }
}
