/** Remembers when keys were used, and hands it over in batches: never a write in a request. */
export class LastUses {
  #times = new Map<string, number>();
  readonly #save: (times: ReadonlyMap<string, number>) => Promise<void>;

  constructor(save: (times: ReadonlyMap<string, number>) => Promise<void>) {
    this.#save = save;
  }

  note(keyId: string, time: number): void {
    this.#times.set(keyId, time);
  }

  async flush(): Promise<void> {
    if (this.#times.size === 0) return;
    const times = this.#times;
    this.#times = new Map();
    try {
      await this.#save(times);
    } catch (error) {
      // Kept for the next time, unless a newer use has come in between.
      for (const [id, time] of times) if (!this.#times.has(id)) this.#times.set(id, time);
      throw error;
    }
  }
}
