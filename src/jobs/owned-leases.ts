export interface OwnedLeasesParts<Lease> {
  readonly leaseMs: number;
  /** Renews these leases, in one statement if possible. Resolves to those that this process still has. */
  readonly renew: (leases: readonly Lease[]) => Promise<ReadonlySet<Lease>>;
  /** The lease was lost: another process has it, or its row is gone. It has been removed from `all`. */
  readonly onLost: (lease: Lease) => void;
  /**
   * The lease could not be renewed, and another process may have it soon. Work with effects outside of the database must
   * stop now, and release it. Work that only writes under its lease can go on.
   */
  readonly onExpiring?: (lease: Lease) => void;
  /** A renewal failed, and will be tried again. */
  readonly onError: (error: Error) => void;
  readonly timing?: Timing | undefined;
}

/** A clock that never jumps, and its timers. */
export interface Timing {
  now(): number;
  /** Returns how to cancel it. */
  later(callback: () => void, afterMs: number): () => void;
}

export const realTiming: Timing = {
  now: () => performance.now(),
  later: (callback, afterMs) => {
    const timer = setTimeout(callback, afterMs).unref();
    return () => clearTimeout(timer);
  },
};

/** How often leases are checked. A lease is renewed once a third of it is over, with retries for another third. */
const checksPerLease = 6;

/**
 * The leases of one kind that this process has: jobs, deliveries, replies, calls, claims on Idempotency-Keys. Leases that
 * were taken long enough ago are renewed together, and lost ones are reported.
 */
export class OwnedLeases<Lease> {
  readonly #parts: OwnedLeasesParts<Lease>;
  readonly #timing: Timing;
  /** When each lease ends. From then on, another process may have it. */
  readonly #endsAt = new Map<Lease, number>();
  #isRenewing = false;
  #cancelCheck: (() => void) | null = null;

  constructor(parts: OwnedLeasesParts<Lease>) {
    this.#parts = parts;
    this.#timing = parts.timing ?? realTiming;
  }

  /** In the order in which they were taken. */
  get all(): readonly Lease[] {
    return [...this.#endsAt.keys()];
  }

  /** `endsAt` is counted from before the lease was taken, so that it never ends earlier in the database than here. */
  add(lease: Lease, endsAt = this.#timing.now() + this.#parts.leaseMs): void {
    this.#endsAt.set(lease, endsAt);
    if (this.#cancelCheck === null) this.#checkLater();
  }

  release(lease: Lease): void {
    this.#endsAt.delete(lease);
    if (this.#endsAt.size > 0) return;
    this.#cancelCheck?.();
    this.#cancelCheck = null;
  }

  /** The last third is a reserve for a stalled process: work must be stopped before its lease ends. */
  isExpiring(endsAt: number): boolean {
    return endsAt - this.#timing.now() < this.#parts.leaseMs / 3;
  }

  #checkLater(): void {
    this.#cancelCheck = this.#timing.later(() => this.#check(), this.#parts.leaseMs / checksPerLease);
  }

  #check(): void {
    const { leaseMs, onExpiring } = this.#parts;
    // The next check does not wait for the renewal, which may take longer than the lease.
    this.#checkLater();
    for (const [lease, endsAt] of this.#endsAt) if (this.isExpiring(endsAt)) onExpiring?.(lease);
    const renewedUntil = this.#timing.now() + leaseMs;
    // Leases that would be due at the next check are renewed with the ones that are due now.
    const olderThan = (ms: number) => this.all.filter((lease) => renewedUntil - Number(this.#endsAt.get(lease)) >= ms);
    const isDue = olderThan(leaseMs / 3).length > 0;
    if (isDue && !this.#isRenewing) void this.#renew(olderThan(leaseMs / checksPerLease), renewedUntil);
  }

  async #renew(leases: readonly Lease[], endsAt: number): Promise<void> {
    this.#isRenewing = true;
    try {
      const kept = await this.#parts.renew(leases);
      // Some may have been released in the meantime.
      for (const lease of leases.filter((each) => this.#endsAt.has(each))) {
        if (kept.has(lease)) this.#endsAt.set(lease, endsAt);
        else {
          this.release(lease);
          this.#parts.onLost(lease);
        }
      }
    } catch (error) {
      this.#parts.onError(error as Error);
    }
    this.#isRenewing = false;
  }
}
