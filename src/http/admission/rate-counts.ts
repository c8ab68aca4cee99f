import type { RateLimit } from '../../config.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { Database } from '../../storage/database.ts';

/** The name of the limit that all requests of an API key count towards. */
export const generalLimit = 'default';

/** Points that a key has used in its window, including the ones just taken, and when the window ends. */
export interface Taken {
  readonly points: number;
  readonly resetMs: number;
}

export type TakePoints = (keyId: string, points: number) => MaybePromise<Taken>;

/** Counts in memory, by the monotonic clock. */
export function countInMemory(
  { windowSeconds }: RateLimit,
  now: () => number = () => performance.now(),
): (keyId: string, points: number) => Taken {
  const windowMs = windowSeconds * 1000;
  const windows = new Map<string, { points: number; readonly end: number }>();
  let nextSweep = now() + windowMs;
  const sweep = (current: number): void => {
    nextSweep = current + windowMs;
    for (const [keyId, { end }] of windows) if (end <= current) windows.delete(keyId);
  };

  return (keyId, points) => {
    const current = now();
    if (current >= nextSweep) sweep(current);
    const known = windows.get(keyId);
    if (known !== undefined && known.end > current) {
      known.points += points;
      return { points: known.points, resetMs: known.end - current };
    }
    windows.set(keyId, { points, end: current + windowMs });
    return { points, resetMs: windowMs };
  };
}

const databaseNow = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
/** Rows of windows that ended this long ago are removed. */
const retentionMs = 3_600_000;

/**
 * Counts in PostgreSQL for all instances, by the clock of the database server, so that clock skew between instances
 * does not matter. If that clock is set back, no window lasts longer than a full window from then on. The count is
 * capped because the column has 31 bits. Limits with different names are counted separately.
 */
export function countInDatabase(database: Database, name: string, { requests, windowSeconds }: RateLimit): TakePoints {
  const windowMs = windowSeconds * 1000;
  const isOpen = 'kept.expire > excluded.expire - $3';
  const takeSql = `INSERT INTO rate_limits AS kept (key, points, expire) VALUES ($1, $2, ${databaseNow} + $3)
    ON CONFLICT (key) DO UPDATE SET
      points = excluded.points + CASE WHEN ${isOpen} THEN least(kept.points, $4) ELSE 0 END,
      expire = CASE WHEN ${isOpen} THEN least(kept.expire, excluded.expire) ELSE excluded.expire END
    RETURNING points, expire - ${databaseNow} AS reset_ms`;
  // The general limit keeps the bare ids that instances of earlier versions count under.
  const prefix = name === generalLimit ? '' : `${name}:`;
  return async (id, points) => {
    const row = await database.unqueued.get<{ points: number; reset_ms: number }>(takeSql, [
      `${prefix}${id}`,
      points,
      windowMs,
      requests,
    ]);
    return { points: row?.points ?? points, resetMs: Math.max(0, row?.reset_ms ?? windowMs) };
  };
}

/** Resolves to true if more work is pending. */
export async function removeEndedWindows(database: Database): Promise<boolean> {
  await database.run(`DELETE FROM rate_limits WHERE expire < ${databaseNow} - $1`, [retentionMs]);
  return false;
}
