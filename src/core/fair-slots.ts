/** Limits on what runs at the same time in one process. A group is a workspace, or a part of one. */
export interface SlotLimits {
  readonly total: number;
  readonly perGroup: number;
  /**
   * A group with n slots gets another one only while more than n are free: groups that keep their slots for long then
   * leave some for others, however many they ask for.
   */
  readonly leavesRoom?: boolean;
}

/** Groups beyond these count as never served, which the ones that were served the longest ago almost are. */
const maxRememberedGroups = 10_000;

/**
 * Counts what runs, per group and in total, and distributes free slots: one to each group in turn, beginning with the
 * group that was served the longest ago. A slot is reserved before the work is looked for, so that work that is looked
 * for concurrently cannot exceed the limits.
 */
export class FairSlots {
  readonly #limits: SlotLimits;
  readonly #used = new Map<string, number>();
  /** When each group was last served, as a number that counts up, in this order. */
  readonly #servedAt = new Map<string, number>();
  #served = 0;
  #usedTotal = 0;

  constructor(limits: SlotLimits) {
    for (const limit of [limits.total, limits.perGroup]) {
      if (!(limit >= 1)) throw new RangeError('Slots need limits of at least 1.');
    }
    this.#limits = limits;
  }

  get used(): number {
    return this.#usedTotal;
  }

  get free(): number {
    return this.#limits.total - this.#usedTotal;
  }

  usedBy(group: string): number {
    return this.#used.get(group) ?? 0;
  }

  /** Whether a group can get another slot now. */
  hasRoomFor(group: string): boolean {
    const { perGroup, leavesRoom = false } = this.#limits;
    const used = this.usedBy(group);
    return used < perGroup && this.free > (leavesRoom ? used : 0);
  }

  /**
   * Reserves up to as many slots as each group asks for, and up to `most` for all of them. Groups that were never served
   * are first, in the given order. Returns the groups that got any, in the order of their turns.
   */
  reserve(demand: ReadonlyMap<string, number>, most = Number.POSITIVE_INFINITY): Map<string, number> {
    const turnOf = (group: string): number => this.#servedAt.get(group) ?? 0;
    const open = new Set([...demand.keys()].sort((a, b) => turnOf(a) - turnOf(b)));
    const reserved = new Map<string, number>();
    let left = most;
    while (open.size > 0) {
      for (const group of open) {
        const own = reserved.get(group) ?? 0;
        // Once a group cannot get another slot, it cannot for the rest of this distribution either.
        if (left <= 0 || own >= (demand.get(group) as number) || !this.hasRoomFor(group)) open.delete(group);
        else {
          this.#take(group);
          reserved.set(group, own + 1);
          left -= 1;
        }
      }
    }
    return reserved;
  }

  release(group: string, count = 1): void {
    const left = this.usedBy(group) - count;
    if (!(left >= 0)) throw new RangeError('More slots were released than were reserved.');
    if (left === 0) this.#used.delete(group);
    else this.#used.set(group, left);
    this.#usedTotal -= count;
  }

  #take(group: string): void {
    this.#used.set(group, this.usedBy(group) + 1);
    this.#usedTotal += 1;
    this.#served += 1;
    this.#servedAt.delete(group);
    this.#servedAt.set(group, this.#served);
    if (this.#servedAt.size > maxRememberedGroups) {
      const [oldest] = this.#servedAt.keys();
      this.#servedAt.delete(oldest as string);
    }
  }
}
