/**
 * Shares a thread between groups, such as workspaces, that have much to do: each does a little in turn. Messages to the
 * thread are received in between.
 */
export class Turns {
  /** The waiting callbacks by group, in the order of their next turn. */
  readonly #groups = new Map<string, (() => void)[]>();

  /** Resolves when it is the group's turn, which ends with its next `await` of something that takes time. */
  turn(group: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#groups.size === 0) this.#scheduleNext();
      const waiting = this.#groups.get(group);
      if (waiting === undefined) this.#groups.set(group, [resolve]);
      else waiting.push(resolve);
    });
  }

  /** A message to itself would not do: a port handles up to a thousand messages before others get any. */
  #scheduleNext(): void {
    setImmediate(() => this.#next());
  }

  #next(): void {
    const first = this.#groups.entries().next().value;
    if (first === undefined) return;
    const [group, waiting] = first;
    waiting.shift()?.();
    this.#groups.delete(group);
    if (waiting.length > 0) this.#groups.set(group, waiting);
    if (this.#groups.size > 0) this.#scheduleNext();
  }
}
