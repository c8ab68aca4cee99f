import type { Caller } from '../http/admission/caller.ts';
import type { OperationReply, PerformWrite, WriteReply } from '../http/operations/handlers.ts';
import type { Database, Queries } from '../storage/database.ts';
import { seal, unseal } from './idempotency/seal.ts';
import type { IdempotencyStore } from './idempotency/store.ts';

/** What was done, by whom and to what. Null where it was done on the command line, without a key or a request. */
export interface AuditRecord {
  readonly workspaceId: string;
  readonly keyId: string | null;
  readonly routeId: string;
  readonly resourceId: string;
  readonly requestId: string | null;
}

/**
 * Every change goes this way: one transaction holds the effect, its entry in the audit trail and, where the caller sent
 * an Idempotency-Key, the answer. So none of the three is ever there without the others, whenever the process ends.
 */
export function createWriter(
  database: Database,
  recordAudit: (queries: Queries, record: AuditRecord) => Promise<void>,
  idempotency: IdempotencyStore,
  checkCaller: (queries: Queries, caller: Caller) => Promise<unknown>,
): PerformWrite {
  return async (context, effect) => {
    const { operation, caller, requestId, repeat } = context;
    const record = async (queries: Queries, { resourceId, sourceId }: WriteReply): Promise<void> => {
      const { workspaceId, keyId } = caller;
      const entry = { workspaceId, keyId, routeId: operation.id, requestId };
      // The audit log of the original shows what was made from it, too.
      if (sourceId !== undefined) await recordAudit(queries, { ...entry, resourceId: sourceId });
      await recordAudit(queries, { ...entry, resourceId });
    };

    if (repeat === null) {
      return database.transaction(async (queries) => {
        const reply = await effect(queries);
        await record(queries, reply);
        return reply;
      });
    }

    const claim = { workspaceId: caller.workspaceId, key: repeat.key, fingerprint: repeat.fingerprint };
    const hide = (text: string) => (repeat.sealWith === null ? text : seal(text, repeat.sealWith));
    const show = (text: string) => (repeat.sealWith === null ? text : unseal(text, repeat.sealWith));
    return idempotency.alone(claim, () =>
      database.transaction(async (queries): Promise<OperationReply> => {
        const kept = await idempotency.take(queries, claim);
        if (kept !== null) {
          // The kept answer may hold a secret, which a key that has been revoked must not get any more.
          await checkCaller(queries, caller);
          return { body: show(kept.body), headers: { ...kept.headers, 'idempotent-replayed': 'true' } };
        }
        const reply = await effect(queries);
        await record(queries, reply);
        await idempotency.keep(queries, claim, {
          status: operation.success.status,
          headers: reply.headers ?? {},
          body: hide(reply.body),
        });
        return reply;
      }),
    );
  };
}
