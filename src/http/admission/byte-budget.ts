/** A byte budget shared by all requests of the process. */
export class ByteBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#usedBytes + bytes <= this.#maxBytes;
  }

  take(bytes: number): void {
    this.#usedBytes += bytes;
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
