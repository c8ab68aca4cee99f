import { StoredJson, storedJson } from '../core/stored-json.ts';
import type { Caller } from '../http/admission/caller.ts';
import type { ChangeContext, ChangeReply, Changes, OperationReply } from '../http/operations/handlers.ts';
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
}

/**
 * All changes go through here: one transaction contains the effect, its audit entry and, if the caller sent an
 * Idempotency-Key, the saved response. So none of the three ever exists without the others, even after a crash.
 */
export function createChanges({ database, recordAudit, idempotency, checkCaller }: ChangeParts): Changes {
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
    effect: (queries: Queries) => ChangeReply | Promise<ChangeReply>,
  ): Promise<OperationReply> => {
    const reply = await effect(queries);
    await audit(queries, context, reply);
    if (context.repeat === null) return reply;
    const { bytes } = storedJson(reply.body);
    const { sealWith } = context.repeat;
    const text = String(bytes);
    await idempotency.save(queries, claimOf(context), {
      status: context.operation.success.status,
      headers: reply.headers ?? {},
      body: sealWith === null ? text : seal(text, sealWith),
    });
    return { ...reply, body: new StoredJson(text) };
  };
  /** The saved response of an earlier request; null if this is the first one, which then owns the key. */
  const replay = async (
    queries: Queries,
    context: ChangeContext,
    claim: (queries: Queries, claim: Claim) => ReturnType<IdempotencyStore['claim']>,
  ): Promise<OperationReply | null> => {
    const saved = await claim(queries, claimOf(context));
    if (saved === null) return null;
    // The saved response may contain a secret, which must not be sent to a revoked key.
    await checkCaller(queries, context.caller);
    const sealWith = context.repeat?.sealWith ?? null;
    const text = sealWith === null ? saved.body : unseal(saved.body, sealWith);
    return { body: new StoredJson(text), headers: { ...saved.headers, 'idempotent-replayed': 'true' } };
  };

  return {
    performChange: (context, effect) => {
      if (context.repeat === null) return database.transaction((queries) => make(queries, context, effect));
      return idempotency.alone(claimOf(context), () =>
        database.transaction(
          async (queries) =>
            (await replay(queries, context, idempotency.claim)) ?? (await make(queries, context, effect)),
        ),
      );
    },

    performAction: (context, act) => {
      const run = () => act((effect) => database.transaction((queries) => make(queries, context, effect)));
      if (context.repeat === null) return run();
      const claim = claimOf(context);
      return idempotency.alone(claim, async () => {
        // In a separate transaction, so that other instances see that the action is in progress.
        const saved = await database.transaction((queries) => replay(queries, context, idempotency.claimForAction));
        if (saved !== null) return saved;
        try {
          return await run();
        } catch (error) {
          // If this fails too, the key is free again when the claim expires; the first error is the one to report.
          await database.transaction((queries) => idempotency.release(queries, claim)).catch(() => {});
          throw error;
        }
      });
    },
  };
}

function claimOf({ caller, repeat }: ChangeContext): Claim {
  return { workspaceId: caller.workspaceId, key: repeat?.key ?? '', fingerprint: repeat?.fingerprint ?? '' };
}
