import { createHash } from 'node:crypto';
import { AppError, idempotencyInProgress, idempotencyKeyReused, notFound } from '../../core/errors.ts';
import type { Sealer } from '../../core/sealer.ts';
import { associatedId } from '../../storage/data-key.ts';
import type { Database, Queries } from '../../storage/database.ts';

const savedForMs = 24 * 3_600_000;
/** The status of a response whose content was removed. */
const removedStatus = 409;
/** Rows removed per step, so that cleanup does not block writes for long. */
const cleanupBatchSize = 500;

/** A request that must take effect once, however often it is sent. */
export interface Claim {
  /** The workspace, or the call of an access token: two of them may use the same key. */
  readonly scope: string;
  readonly key: string;
  /** The same for identical requests only. */
  readonly fingerprint: string;
  /** When another request may claim the key. Also identifies the claim: one that was lost changes nothing any more. */
  readonly leaseUntil: number;
}

export interface SavedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response that contains what was said in a call, and disappears with it. */
export interface CallContent {
  readonly callId: string;
  /** The content may not be stored in the clear. */
  readonly isSealed: boolean;
  /** The content may not even be stored sealed: the call has ended with this response. */
  readonly isRemoved?: boolean;
}

/** The key is claimed, or a response was saved under it. */
export type ClaimResult =
  /** `isResumed`: an earlier request with the key has begun and did not finish. */
  { readonly saved: null; readonly isResumed: boolean } | { readonly saved: SavedResponse };

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

/** SQL for the saved responses of requests with an Idempotency-Key. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createIdempotencyStore(database: Database, sealer: Sealer, now: () => number) {
  const inProgress = new Set<string>();
  const rowOf = ({ scope, key }: Claim): [string, string] => [
    scope,
    createHash('sha256').update(key).digest('base64url'),
  ];

  return {
    /**
     * Rejects a repeat while the first request is in progress in this process. Across processes, the database makes it
     * wait.
     */
    exclusively: async <T>(claim: Claim, work: () => Promise<T>): Promise<T> => {
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
    claim: async (queries: Queries, claim: Claim): Promise<ClaimResult> => {
      const row = rowOf(claim);
      const time = now();
      const { fingerprint, leaseUntil } = claim;
      const claimed = await queries.run(
        `INSERT INTO idempotency_keys (workspace_id, key_hash, fingerprint, expires_at, lease_until)
          VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (workspace_id, key_hash) DO UPDATE SET fingerprint = $3, expires_at = $4, lease_until = $5,
            status = NULL, body = NULL, sealed_body = NULL, call_id = NULL
          WHERE idempotency_keys.expires_at <= $6`,
        [...row, fingerprint, time + savedForMs, leaseUntil, time],
      );
      if (claimed > 0) return { saved: null, isResumed: false };
      const found = await queries.get<SavedRow>(
        `SELECT fingerprint, lease_until, status, headers, body, sealed_body FROM idempotency_keys
          WHERE workspace_id = $1 AND key_hash = $2`,
        row,
      );
      if (found === undefined) throw idempotencyInProgress();
      if (found.fingerprint !== fingerprint) throw idempotencyKeyReused();
      if (found.status !== null) return { saved: openSaved(found, row) };
      // Another process is performing the action, or was while it ended. Nobody can tell before the lease expires.
      const secondsLeft = Math.ceil(((found.lease_until ?? 0) - time) / 1000);
      if (secondsLeft > 0) throw idempotencyInProgress(secondsLeft);
      const resumed = await queries.run(
        `UPDATE idempotency_keys SET lease_until = $3
          WHERE workspace_id = $1 AND key_hash = $2 AND status IS NULL AND coalesce(lease_until, 0) <= $4`,
        [...row, leaseUntil, time],
      );
      if (resumed === 0) throw idempotencyInProgress();
      return { saved: null, isResumed: true };
    },

    /** False if the claim was lost. */
    renew: async (claim: Claim, leaseUntil: number): Promise<boolean> => {
      const renewed = await database.unqueued.run(
        `UPDATE idempotency_keys SET lease_until = $4
          WHERE workspace_id = $1 AND key_hash = $2 AND status IS NULL AND lease_until = $3`,
        [...rowOf(claim), claim.leaseUntil, leaseUntil],
      );
      return renewed > 0;
    },

    /** After a failed action, so that it can be resumed immediately. */
    release: async (claim: Claim): Promise<void> => {
      await database.run(
        `UPDATE idempotency_keys SET lease_until = NULL
          WHERE workspace_id = $1 AND key_hash = $2 AND status IS NULL AND lease_until = $3`,
        [...rowOf(claim), claim.leaseUntil],
      );
    },

    /** False if the claim was lost: it had expired, and another request has claimed the key since. */
    save: async (
      queries: Queries,
      claim: Claim,
      { status, headers, body }: SavedResponse,
      content: CallContent | null = null,
    ): Promise<boolean> => {
      const row = rowOf(claim);
      const { callId = null, isSealed = false, isRemoved = false } = content ?? {};
      const saved = await queries.run(
        `UPDATE idempotency_keys SET status = $3, headers = $4, body = $5, sealed_body = $6, call_id = $7,
            expires_at = $8, lease_until = NULL
          WHERE workspace_id = $1 AND key_hash = $2 AND status IS NULL AND lease_until = $9`,
        [
          ...row,
          isRemoved ? removedStatus : status,
          JSON.stringify(headers),
          isSealed || isRemoved ? null : body,
          isSealed && !isRemoved ? sealer.seal(body, associatedId(...row)) : null,
          callId,
          now() + savedForMs,
          claim.leaseUntil,
        ],
      );
      return saved > 0;
    },

    /**
     * Removes the saved responses with the content of a call. The rows stay, so that a repeated request still has no
     * second effect. `onlySealed`: those that were sealed while the call was open.
     */
    removeContent: async (
      queries: Queries,
      callId: string,
      { isDeleted, onlySealed = false }: { readonly isDeleted: boolean; readonly onlySealed?: boolean },
    ): Promise<void> => {
      await queries.write(
        `UPDATE idempotency_keys SET body = NULL, sealed_body = NULL, status = $2
          WHERE call_id = $1 ${onlySealed ? 'AND sealed_body IS NOT NULL' : ''}`,
        [callId, isDeleted ? 404 : removedStatus],
      );
    },

    /** Removes a saved response that cannot be opened any more. */
    removeLost: async (queries: Queries, scope: string, keyHash: string): Promise<void> => {
      await queries.write(
        'UPDATE idempotency_keys SET sealed_body = NULL, status = 409 WHERE workspace_id = $1 AND key_hash = $2',
        [scope, keyHash],
      );
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

  function openSaved({ status, headers, body, sealed_body }: SavedRow, row: readonly string[]): SavedResponse {
    const text = sealed_body === null ? body : String(sealer.open(sealed_body, associatedId(...row)));
    if (text !== null) return { status: status as number, headers: JSON.parse(headers), body: text };
    if (status === 404) throw notFound('call');
    throw contentRemoved();
  }
}

interface SavedRow extends Record<string, unknown> {
  fingerprint: string;
  lease_until: number | null;
  status: number | null;
  headers: string;
  body: string | null;
  sealed_body: Uint8Array | null;
}

function contentRemoved(): AppError {
  return new AppError('STATE_CONFLICT', 'The request took effect, but what it returned is no longer stored.', {
    details: { status: 'removed', allowed: [], reason: 'content_removed' },
  });
}
