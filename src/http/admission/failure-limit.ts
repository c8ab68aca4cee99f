import { LRUCache } from 'lru-cache';
import { rateLimited } from '../../core/errors.ts';
import { clientNetworkOf } from '../../net/networks.ts';

export interface FailureLimitOptions {
  /** Failures per window and address. */
  readonly failures: number;
  readonly windowMs: number;
  /** Beyond it, the counts of the addresses that were seen longest ago are forgotten. */
  readonly maxAddresses: number;
  /** What is limited, for the message. */
  readonly subject: string;
  readonly now?: () => number;
}

/** Throws 429 if the address has failed too often. Runs the attempt otherwise, which fails by throwing. */
export type LimitFailures = <Result>(address: string | null, run: () => Promise<Result>) => Promise<Result>;

/**
 * Limits the failures of each client address, so that those of one client do not lock out another. IPv6 addresses count
 * by their first 64 bits. Counted in memory, by each process.
 */
export function createFailureLimit(options: FailureLimitOptions): LimitFailures {
  const { failures, windowMs, maxAddresses, subject, now = () => performance.now() } = options;
  const windows = new LRUCache<string, { failures: number; readonly end: number }>({ max: maxAddresses });
  return async (address, run) => {
    const key = address === null ? '' : clientNetworkOf(address);
    const current = now();
    const known = windows.get(key);
    const window = known !== undefined && known.end > current ? known : { failures: 0, end: current + windowMs };
    if (window.failures >= failures) throw rateLimited(Math.max(1, Math.ceil((window.end - current) / 1000)), subject);
    // Counted before it has failed, so that concurrent attempts are counted too.
    window.failures += 1;
    windows.set(key, window);
    const result = await run();
    window.failures -= 1;
    return result;
  };
}
