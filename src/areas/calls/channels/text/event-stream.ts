/** A response as server-sent events, written while it is produced. */
export class EventStream implements AsyncIterable<string> {
  readonly #chunks: string[] = [];
  #isEnded = false;
  #wake: () => void = () => {};

  send(event: string, data: unknown): void {
    this.#chunks.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      if (this.#chunks.length > 0) yield this.#chunks.splice(0).join('');
      else if (this.#isEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
