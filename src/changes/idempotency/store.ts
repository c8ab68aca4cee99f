import { createHash } from 'node:crypto';
import { idempotencyInProgress, idempotencyKeyReused } from '../../core/errors.ts';
import type { Database, Queries } from '../../storage/database.ts';

const savedForMs = 24 * 3_600_000;
/** An action that was cut off, by a crash, can be repeated after this. No action may take that long. */
const maxActionMs = 5 * 60_000;
/** Rows removed in one step, so that cleaning never holds up a write for long. */
const cleaningStep = 500;

/** A request that must have one effect, however often it is sent. */
export interface Claim {
  readonly workspaceId: string;
  readonly key: string;
  /** The same for the same request, and for no other. */
  readonly fingerprint: string;
}

export interface SavedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

/** SQL of the responses that are saved for repeats of a request. */
export function createIdempotencyStore(database: Database, now: () => number) {
  const inProgress = new Set<string>();
  const rowOf = ({ workspaceId, key }: Claim) => [workspaceId, createHash('sha256').update(key).digest('base64url')];

  const claimFor = async (queries: Queries, claim: Claim, forMs: number): Promise<SavedResponse | null> => {
    const row = rowOf(claim);
    const claimed = await queries.run(
      `INSERT INTO idempotency_keys (workspace_id, key_hash, fingerprint, expires_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workspace_id, key_hash) DO UPDATE SET fingerprint = $3, expires_at = $4, status = NULL
        WHERE idempotency_keys.expires_at <= $5`,
      [...row, claim.fingerprint, now() + forMs, now()],
    );
    if (claimed > 0) return null;
    const saved = await queries.get<{ fingerprint: string; status: number | null; headers: string; body: string }>(
      'SELECT fingerprint, status, headers, body FROM idempotency_keys WHERE workspace_id = $1 AND key_hash = $2',
      row,
    );
    if (saved === undefined) throw idempotencyInProgress();
    if (saved.fingerprint !== claim.fingerprint) throw idempotencyKeyReused();
    // An action that another instance is performing, or that was cut off a moment ago.
    if (saved.status === null) throw idempotencyInProgress();
    return { status: saved.status, headers: JSON.parse(saved.headers), body: saved.body };
  };

  return {
    /** Refuses a repeat while the first is in progress in this process; in another one, the database makes it wait. */
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
     * Claims the key, or finds the response that was saved under it. Another instance that claims it at the same moment
     * waits here until this transaction has ended.
     */
    claim: (queries: Queries, claim: Claim) => claimFor(queries, claim, savedForMs),

    /** The same for an action, which is performed after this transaction. */
    claimForAction: (queries: Queries, claim: Claim) => claimFor(queries, claim, maxActionMs),

    /** After an action that failed: it can be repeated at once. */
    release: async (queries: Queries, claim: Claim): Promise<void> => {
      await queries.run(
        'DELETE FROM idempotency_keys WHERE workspace_id = $1 AND key_hash = $2 AND status IS NULL',
        rowOf(claim),
      );
    },

    save: async (queries: Queries, claim: Claim, { status, headers, body }: SavedResponse): Promise<void> => {
      await queries.run(
        `UPDATE idempotency_keys SET status = $3, headers = $4, body = $5, expires_at = $6
          WHERE workspace_id = $1 AND key_hash = $2`,
        [...rowOf(claim), status, JSON.stringify(headers), body, now() + savedForMs],
      );
    },

    /** Removes a batch of those that have expired. Resolves to true if there may be more. */
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
