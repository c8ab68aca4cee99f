/** Collects when keys were last used and saves it in batches, so that requests never write. */
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
      // Retried with the next batch, unless the key was used again in the meantime.
      for (const [id, time] of times) if (!this.#times.has(id)) this.#times.set(id, time);
      throw error;
    }
  }
}
