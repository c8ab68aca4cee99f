import { serviceUnavailable } from '../core/errors.ts';

/** A queue up to this length is not overload. */
const maxNormalWaiting = 64;

/** Limits the number of concurrent tasks. Others wait in order of arrival, up to a timeout. */
export function createConcurrencyLimit(count: number, maxWaitMs: number, now: () => number = () => performance.now()) {
  /** Each is called when a slot is free. A set, so that a waiter that times out can be removed immediately. */
  const waiting = new Set<() => void>();
  let taken = 0;
  let lastTakenAt = 0;
  /** A moving average of how long a slot is used. */
  let useMs = 1;

  const waitForSlot = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const takeSlot = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(takeSlot);
        reject(serviceUnavailable('The database is overloaded.'));
      }, maxWaitMs);
      waiting.add(takeSlot);
    });
  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      taken -= 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    async use<T>(work: () => Promise<T>): Promise<T> {
      if (taken < count) taken += 1;
      else await waitForSlot();
      const takenAt = now();
      lastTakenAt = takenAt;
      try {
        return await work();
      } finally {
        useMs += 0.02 * (now() - takenAt - useMs);
        release();
      }
    },
    /** The expected wait of the next task, by the queue length and the average use of a slot. */
    expectedWaitMs(): number {
      if (waiting.size <= maxNormalWaiting) return 0;
      const averageWaitMs = (waiting.size * useMs) / count;
      // If the server stops responding no slot is released, and the average no longer applies.
      return Math.max(averageWaitMs, now() - lastTakenAt);
    },
  };
}
