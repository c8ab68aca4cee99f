interface Mark {
  /** Runs once this many bytes have been played. */
  readonly position: number;
  readonly run: () => void;
}

/** Audio that waits to be played, in order, and what to do when the playback reaches a position. */
export class PlayQueue {
  #chunks: Uint8Array[] = [];
  /** What of the first chunk has been taken. */
  #offset = 0;
  #marks: Mark[] = [];
  #pushed = 0;
  #taken = 0;
  /** What has been heard: the frame that was taken last is still being played. */
  #played = 0;

  get waitingBytes(): number {
    return this.#pushed - this.#taken;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#pushed += bytes.length;
  }

  /** Runs when everything before it has been played: at once if there is nothing left. */
  mark(run: () => void): void {
    if (this.#played === this.#pushed) run();
    else this.#marks.push({ position: this.#pushed, run });
  }

  /** Drops what is waiting. The marks of what is dropped run at once. */
  clear(): void {
    this.forget((run) => run());
  }

  /** Drops what is waiting; marks are passed to `each` instead of being run. */
  forget(each: (run: () => void) => void = () => {}): void {
    this.#chunks = [];
    this.#offset = 0;
    this.#pushed = this.#taken;
    const dropped = this.#marks;
    this.#marks = [];
    for (const { run } of dropped) each(run);
  }

  /** Starts the next frame: what was taken before has been played. Returns how many bytes of the frame were filled. */
  take(frame: Uint8Array): number {
    this.#played = this.#taken;
    while (this.#marks.length > 0 && (this.#marks[0] as Mark).position <= this.#played) this.#marks.shift()?.run();
    let filled = 0;
    while (filled < frame.length) {
      const [chunk] = this.#chunks;
      if (chunk === undefined) break;
      const part = chunk.subarray(this.#offset, this.#offset + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      this.#offset += part.length;
      if (this.#offset === chunk.length) {
        this.#chunks.shift();
        this.#offset = 0;
      }
    }
    this.#taken += filled;
    return filled;
  }
}
