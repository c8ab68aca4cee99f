import { createHash } from 'node:crypto';
import { idempotencyInProgress, idempotencyKeyReused } from '../../core/errors.ts';
import type { Database, Queries } from '../../storage/database.ts';

const keptForMs = 24 * 3_600_000;
/** Rows removed in one step, so that cleaning never holds up a write for long. */
const cleaningStep = 500;

/** A request that must have one effect, however often it is sent. */
export interface Claim {
  readonly workspaceId: string;
  readonly key: string;
  /** The same for the same request, and for no other. */
  readonly fingerprint: string;
}

export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

/** SQL of the answers that are kept for repeats. Claim, effect and answer are one transaction: all of it, or nothing. */
export function createIdempotencyStore(database: Database, now: () => number) {
  const inWork = new Set<string>();
  const rowOf = ({ workspaceId, key }: Claim) => [workspaceId, createHash('sha256').update(key).digest('base64url')];

  return {
    /** Refuses a repeat while the first is in work in this process; in another one, the database makes it wait. */
    alone: async <T>(claim: Claim, work: () => Promise<T>): Promise<T> => {
      const name = rowOf(claim).join(' ');
      if (inWork.has(name)) throw idempotencyInProgress();
      inWork.add(name);
      try {
        return await work();
      } finally {
        inWork.delete(name);
      }
    },

    /**
     * Takes the key, or finds the answer that was given under it. Whoever takes it at the same moment on another
     * instance waits here until this transaction has ended.
     */
    take: async (queries: Queries, claim: Claim): Promise<KeptAnswer | null> => {
      const row = rowOf(claim);
      const taken = await queries.run(
        `INSERT INTO idempotency_keys (workspace_id, key_hash, fingerprint, expires_at) VALUES ($1, $2, $3, $4)
          ON CONFLICT (workspace_id, key_hash) DO UPDATE SET fingerprint = $3, expires_at = $4, status = NULL
          WHERE idempotency_keys.expires_at <= $5`,
        [...row, claim.fingerprint, now() + keptForMs, now()],
      );
      if (taken > 0) return null;
      const kept = await queries.get<{ fingerprint: string; status: number; headers: string; body: string }>(
        'SELECT fingerprint, status, headers, body FROM idempotency_keys WHERE workspace_id = $1 AND key_hash = $2',
        row,
      );
      if (kept === undefined) throw idempotencyInProgress();
      if (kept.fingerprint !== claim.fingerprint) throw idempotencyKeyReused();
      return { status: kept.status, headers: JSON.parse(kept.headers), body: kept.body };
    },

    keep: async (queries: Queries, claim: Claim, { status, headers, body }: KeptAnswer): Promise<void> => {
      await queries.run(
        'UPDATE idempotency_keys SET status = $3, headers = $4, body = $5 WHERE workspace_id = $1 AND key_hash = $2',
        [...rowOf(claim), status, JSON.stringify(headers), body],
      );
    },

    /** Removes a few of those whose time is over; true where more may be left. */
    removeExpired: async (): Promise<boolean> => {
      const removed = await database.run(
        `DELETE FROM idempotency_keys WHERE (workspace_id, key_hash) IN
          (SELECT workspace_id, key_hash FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
        [now(), cleaningStep],
      );
      return removed === cleaningStep;
    },
  };
}
