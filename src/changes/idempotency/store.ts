import { createHash } from 'node:crypto';
import { idempotencyInProgress, idempotencyKeyReused } from '../../core/errors.ts';
import type { Database, Queries } from '../../storage/database.ts';

const savedForMs = 24 * 3_600_000;
/** Rows removed per step, so that cleanup does not block writes for long. */
const cleanupBatchSize = 500;

/** A request that must take effect once, however often it is sent. */
export interface Claim {
  readonly workspaceId: string;
  readonly key: string;
  /** The same for identical requests only. */
  readonly fingerprint: string;
  /** When another request may claim the key. Also identifies the claim: one that was lost changes nothing any more. */
  readonly expiresAt: number;
}

export interface SavedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

/** SQL for the saved responses of requests with an Idempotency-Key. */
export function createIdempotencyStore(database: Database, now: () => number) {
  const inProgress = new Set<string>();
  const rowOf = ({ workspaceId, key }: Claim) => [workspaceId, createHash('sha256').update(key).digest('base64url')];

  return {
    /**
     * Rejects a repeat while the first request is in progress in this process. Across processes, the database makes it
     * wait.
     */
    alone: async <T>(claim: Claim, work: () => Promise<T>): Promise<T> => {
      const name = rowOf(claim).join(' ');
      if (inProgress.has(name)) throw idempotencyInProgress();
      inProgress.add(name);
      try {
        return await work();
      } finally {
        inProgress.delete(name);
      }
    },

    /**
     * Claims the key, or returns the response saved under it. Another instance that claims it at the same time waits
     * here until this transaction ends.
     */
    claim: async (queries: Queries, claim: Claim): Promise<SavedResponse | null> => {
      const row = rowOf(claim);
      const claimed = await queries.run(
        `INSERT INTO idempotency_keys (workspace_id, key_hash, fingerprint, expires_at) VALUES ($1, $2, $3, $4)
          ON CONFLICT (workspace_id, key_hash) DO UPDATE SET fingerprint = $3, expires_at = $4, status = NULL
          WHERE idempotency_keys.expires_at <= $5`,
        [...row, claim.fingerprint, claim.expiresAt, now()],
      );
      if (claimed > 0) return null;
      const saved = await queries.get<{ fingerprint: string; status: number | null; headers: string; body: string }>(
        'SELECT fingerprint, status, headers, body FROM idempotency_keys WHERE workspace_id = $1 AND key_hash = $2',
        row,
      );
      if (saved === undefined) throw idempotencyInProgress();
      if (saved.fingerprint !== claim.fingerprint) throw idempotencyKeyReused();
      // Another instance is performing the action, or it was interrupted a moment ago.
      if (saved.status === null) throw idempotencyInProgress();
      return { status: saved.status, headers: JSON.parse(saved.headers), body: saved.body };
    },

    /** After a failed action, so that it can be repeated immediately. */
    release: async (queries: Queries, claim: Claim): Promise<void> => {
      await queries.run(
        `DELETE FROM idempotency_keys
          WHERE workspace_id = $1 AND key_hash = $2 AND status IS NULL AND expires_at = $3`,
        [...rowOf(claim), claim.expiresAt],
      );
    },

    /** False if the claim was lost: it had expired, and another request has claimed the key since. */
    save: async (queries: Queries, claim: Claim, { status, headers, body }: SavedResponse): Promise<boolean> => {
      const saved = await queries.run(
        `UPDATE idempotency_keys SET status = $3, headers = $4, body = $5, expires_at = $6
          WHERE workspace_id = $1 AND key_hash = $2 AND status IS NULL AND expires_at = $7`,
        [...rowOf(claim), status, JSON.stringify(headers), body, now() + savedForMs, claim.expiresAt],
      );
      return saved > 0;
    },

    /** Removes a batch of expired rows. Resolves to true if there may be more. */
    removeExpired: async (): Promise<boolean> => {
      const removed = await database.run(
        `DELETE FROM idempotency_keys WHERE (workspace_id, key_hash) IN
          (SELECT workspace_id, key_hash FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
        [now(), cleanupBatchSize],
      );
      return removed === cleanupBatchSize;
    },
  };
}
