import { serviceUnavailable } from '../core/errors.ts';
import { StoredJson, storedJson } from '../core/stored-json.ts';
import type { Caller } from '../http/admission/caller.ts';
import type { ChangeContext, ChangeReply, Changes, OperationReply, RecordChange } from '../http/operations/handlers.ts';
import type { Database, Queries } from '../storage/database.ts';
import { seal, unseal } from './idempotency/seal.ts';
import type { Claim, IdempotencyStore } from './idempotency/store.ts';

/** Who changed what. The key and request are null for changes made on the command line. */
export interface AuditRecord {
  readonly workspaceId: string;
  readonly keyId: string | null;
  readonly routeId: string;
  readonly resourceId: string;
  readonly requestId: string | null;
}

export interface ChangeParts {
  readonly database: Database;
  readonly recordAudit: (queries: Queries, record: AuditRecord) => Promise<void>;
  readonly idempotency: IdempotencyStore;
  readonly checkCaller: (queries: Queries, caller: Caller) => Promise<unknown>;
  readonly now: () => number;
  /** Calls back after the time; returns how to cancel that. */
  readonly later?: (callback: () => void, afterMs: number) => () => void;
}

/** An action must end within this time. If the process crashes, its Idempotency-Key can be claimed again after it. */
export const maxActionMs = 5 * 60_000;

/**
 * All changes go through here: one transaction contains the effect, its audit entry and, if the caller sent an
 * Idempotency-Key, the saved response. So none of the three ever exists without the others, even after a crash.
 */
export function createChanges(parts: ChangeParts): Changes {
  const { database, recordAudit, idempotency, checkCaller, now, later = afterTimeout } = parts;

  const audit = async (queries: Queries, context: ChangeContext, reply: ChangeReply): Promise<void> => {
    const { operation, requestId } = context;
    const { workspaceId, keyId } = context.caller;
    const entry = { workspaceId, keyId, routeId: operation.id, requestId };
    // The audit log of the original also shows what was made from it.
    if (reply.sourceId !== undefined) await recordAudit(queries, { ...entry, resourceId: reply.sourceId });
    await recordAudit(queries, { ...entry, resourceId: reply.resourceId });
  };
  const make = async (
    queries: Queries,
    context: ChangeContext,
    claim: Claim | null,
    effect: Parameters<RecordChange>[0],
  ): Promise<OperationReply> => {
    const reply = await effect(queries);
    await audit(queries, context, reply);
    if (context.repeat === null || claim === null) return reply;
    const { bytes } = storedJson(reply.body);
    const { sealWith } = context.repeat;
    const text = String(bytes);
    const isSaved = await idempotency.save(queries, claim, {
      status: context.operation.success.status,
      headers: reply.headers ?? {},
      body: sealWith === null ? text : seal(text, sealWith),
    });
    if (!isSaved) throw tookTooLong();
    return { ...reply, body: new StoredJson(text) };
  };
  /** The saved response of an earlier request; null if this is the first one, which then owns the key. */
  const replay = async (queries: Queries, context: ChangeContext, claim: Claim): Promise<OperationReply | null> => {
    const saved = await idempotency.claim(queries, claim);
    if (saved === null) return null;
    // The saved response may contain a secret, which must not be sent to a revoked key.
    await checkCaller(queries, context.caller);
    const sealWith = context.repeat?.sealWith ?? null;
    const text = sealWith === null ? saved.body : unseal(saved.body, sealWith);
    return { body: new StoredJson(text), headers: { ...saved.headers, 'idempotent-replayed': 'true' } };
  };
  const claimOf = ({ caller, repeat }: ChangeContext): Claim | null => {
    if (repeat === null) return null;
    const { key, fingerprint } = repeat;
    return { workspaceId: caller.workspaceId, key, fingerprint, expiresAt: now() + maxActionMs };
  };

  return {
    performChange: (context, effect) => {
      const claim = claimOf(context);
      if (claim === null) return database.transaction((queries) => make(queries, context, null, effect));
      return idempotency.alone(claim, () =>
        database.transaction(
          async (queries) => (await replay(queries, context, claim)) ?? (await make(queries, context, claim, effect)),
        ),
      );
    },

    performAction: (context, act) => {
      const claim = claimOf(context);
      return withinLimit(later, (deadline) => {
        const run = () =>
          act(async (effect) => {
            deadline.throwIfAborted();
            return database.transaction((queries) => make(queries, context, claim, effect));
          }, deadline);
        if (claim === null) return run();
        return idempotency.alone(claim, async () => {
          // In a separate transaction, so that other instances see that the action is in progress.
          const saved = await database.transaction((queries) => replay(queries, context, claim));
          if (saved !== null) return saved;
          try {
            return await run();
          } catch (error) {
            // If this fails too, the key is free again when the claim expires; the first error is the one to report.
            await database.transaction((queries) => idempotency.release(queries, claim)).catch(() => {});
            throw error;
          }
        });
      });
    },
  };
}

/** Rejects when the time is over, even if the work ignores its signal. */
async function withinLimit<Result>(
  later: NonNullable<ChangeParts['later']>,
  work: (deadline: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const cancel = later(() => {
    const error = tookTooLong();
    controller.abort(error);
    reject(error);
  }, maxActionMs);
  try {
    return await Promise.race([work(controller.signal), timeout]);
  } finally {
    cancel();
  }
}

function afterTimeout(callback: () => void, afterMs: number): () => void {
  const timer = setTimeout(callback, afterMs).unref();
  return () => clearTimeout(timer);
}

function tookTooLong() {
  return serviceUnavailable('The operation took too long.');
}
