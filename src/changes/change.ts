import { serviceUnavailable } from '../core/errors.ts';
import { StoredJson, storedJson } from '../core/stored-json.ts';
import type { Caller } from '../http/admission/caller.ts';
import type {
  Begun,
  ChangeContext,
  ChangeReply,
  Changes,
  MediaReply,
  OperationReply,
  RecordChange,
} from '../http/operations/handlers.ts';
import { OwnedLeases, realTiming, type Timing } from '../jobs/owned-leases.ts';
import type { Database, Queries } from '../storage/database.ts';
import { seal, unseal } from './idempotency/seal.ts';
import type { Claim, IdempotencyStore, SavedResponse } from './idempotency/store.ts';

/** Who changed what. The key and request are null for changes made on the command line. */
export interface AuditRecord {
  readonly workspaceId: string;
  readonly keyId: string | null;
  readonly routeId: string;
  readonly resourceId: string;
  readonly resourceName?: string | null | undefined;
  readonly requestId: string | null;
}

export interface ChangeParts {
  readonly database: Database;
  readonly recordAudit: (queries: Queries, record: AuditRecord) => Promise<void>;
  readonly idempotency: IdempotencyStore;
  readonly checkCaller: (queries: Queries, caller: Caller) => Promise<unknown>;
  readonly now: () => number;
  /** How long the claim of a lost process lasts. */
  readonly leaseMs?: number | undefined;
  readonly timing?: Timing;
}

/** An action in progress with its claim, which changes when it is renewed. */
interface ActionClaim {
  claim: Claim;
}

/** An action must end within this time. */
export const maxActionMs = 5 * 60_000;
/** If the process crashes during an action, its Idempotency-Key can be claimed again after this time. */
export const claimMs = 10_000;

/**
 * All changes go through here: one transaction contains the effect, its audit entry and, if the caller sent an
 * Idempotency-Key, the saved response. So none of the three ever exists without the others, even after a crash.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createChanges(parts: ChangeParts): Changes {
  const { database, recordAudit, idempotency, checkCaller, now, leaseMs = claimMs, timing = realTiming } = parts;
  const claims = new OwnedLeases<ActionClaim>({
    leaseMs,
    // One statement for each: the end of a claim also identifies it.
    renew: async (owned) => {
      const leaseUntil = now() + leaseMs;
      const renew = async (action: ActionClaim): Promise<ActionClaim[]> => {
        if (!(await idempotency.renew(action.claim, leaseUntil))) return [];
        action.claim = { ...action.claim, leaseUntil };
        return [action];
      };
      return new Set((await Promise.all(owned.map(renew))).flat());
    },
    // Nothing to do: the final transaction checks the lease.
    onLost: () => {},
    onError: () => {},
    timing,
  });

  const audit = async (
    queries: Queries,
    { operation, requestId, caller }: ChangeContext,
    { resourceId, resourceName, sourceId, sourceName }: Omit<ChangeReply, 'body'>,
  ): Promise<void> => {
    const { workspaceId, keyId } = caller;
    const entry = { workspaceId, keyId, routeId: operation.id, requestId };
    // The audit log of the original also shows what was made from it.
    if (sourceId !== undefined)
      await recordAudit(queries, { ...entry, resourceId: sourceId, resourceName: sourceName });
    await recordAudit(queries, { ...entry, resourceId, resourceName });
  };
  const save = async (
    queries: Queries,
    context: ChangeContext,
    claim: Claim | null,
    reply: ChangeReply,
  ): Promise<OperationReply> => {
    if (context.repeat === null || claim === null) return reply;
    const text = String(storedJson(reply.body).bytes);
    const { sealWith } = context.repeat;
    const body = sealWith === null ? text : seal(text, sealWith);
    const saved = { status: context.operation.success.status, headers: reply.headers ?? {}, body };
    if (!(await idempotency.save(queries, claim, saved, reply.callContent ?? null))) throw tookTooLong();
    return { ...reply, body: new StoredJson(text) };
  };
  const replayOf = async (queries: Queries, context: ChangeContext, saved: SavedResponse): Promise<OperationReply> => {
    // The saved response may contain a secret, which must not be sent to a revoked key.
    await checkCaller(queries, context.caller);
    const sealWith = context.repeat?.sealWith ?? null;
    const text = sealWith === null ? saved.body : unseal(saved.body, sealWith);
    return { body: new StoredJson(text), headers: { ...saved.headers, 'idempotent-replayed': 'true' } };
  };
  const claimOf = ({ caller, repeat }: ChangeContext): Claim | null => {
    if (repeat === null) return null;
    const { key, fingerprint, scope = caller.workspaceId } = repeat;
    return { scope, key, fingerprint, leaseUntil: now() + leaseMs };
  };

  const performChange: Changes['performChange'] = (context, effect) => {
    const claim = claimOf(context);
    const make = async (queries: Queries): Promise<OperationReply> => {
      const reply = await effect(queries);
      await audit(queries, context, reply);
      return save(queries, context, claim, reply);
    };
    if (claim === null) return database.transaction(make);
    return idempotency.exclusively(claim, () =>
      database.transaction(async (queries) => {
        const { saved } = await idempotency.claim(queries, claim);
        return saved === null ? make(queries) : replayOf(queries, context, saved);
      }),
    );
  };

  /** An action in progress: the claim on its key, which it renews, and its transactions. */
  const startAction = (context: ChangeContext, deadline: AbortSignal) => {
    const claim = claimOf(context);
    const action = claim === null ? null : { claim };
    let hasBegun = false;
    let isSaved = false;

    /** The claim belongs to the first transaction, so that it never exists without what that one writes. */
    const claimed = async (queries: Queries): Promise<{ saved: OperationReply | null; isResumed: boolean }> => {
      if (action === null) return { saved: null, isResumed: false };
      const result = await idempotency.claim(queries, action.claim);
      if (result.saved === null) return result;
      return { saved: await replayOf(queries, context, result.saved), isResumed: false };
    };

    return {
      begin: async <Result>(
        effect: (
          queries: Queries,
          isResumed: boolean,
        ) => Promise<{ resourceId: string | null; resourceName?: string | null; result: Result }>,
      ): Promise<Begun<Result>> => {
        const begun = await database.transaction(async (queries): Promise<Begun<Result>> => {
          const { saved, isResumed } = await claimed(queries);
          if (saved !== null) return { saved };
          const { resourceId, resourceName = null, result } = await effect(queries, isResumed);
          if (resourceId !== null && !isResumed) await audit(queries, context, { resourceId, resourceName });
          return { saved: null, result };
        });
        hasBegun = begun.saved === null;
        if (hasBegun && action !== null) claims.add(action);
        return begun;
      },

      record: (async (effect) => {
        deadline.throwIfAborted();
        const reply = await database.transaction(async (queries) => {
          const { saved } = hasBegun ? { saved: null } : await claimed(queries);
          if (saved !== null) return saved;
          const made = await effect(queries);
          if (!hasBegun) await audit(queries, context, made);
          return save(queries, context, action?.claim ?? null, made);
        });
        isSaved = true;
        return reply;
      }) as RecordChange,

      /** What has begun and was not recorded can be resumed by a repeated request. */
      end: async (): Promise<void> => {
        if (action === null || !hasBegun) return;
        claims.release(action);
        // If this fails too, the key is free again when the claim expires; the first error is the one to report.
        if (!isSaved) await idempotency.release(action.claim).catch(() => {});
      },
    };
  };

  const performAction: Changes['performAction'] = (context, act) => {
    const claim = claimOf(context);
    const run = (deadline: AbortSignal, release: () => void) => async () => {
      const action = startAction(context, deadline);
      let streaming: Promise<unknown> | undefined;
      try {
        const reply = await act(action, deadline);
        streaming = (reply as Partial<MediaReply> | undefined)?.completion;
        return reply;
      } finally {
        const finish = (): Promise<void> => action.end().finally(release);
        if (streaming === undefined) await finish();
        // The rest of a stream is produced while it is sent.
        else streaming.then(finish, finish);
      }
    };
    return withinLimit(timing, (deadline, release) => {
      const perform = run(deadline, release);
      return claim === null ? perform() : idempotency.exclusively(claim, perform);
    });
  };

  return { performChange, performAction };
}

/** Rejects when the time is over, even if the work ignores its signal. The work calls `release` when it is over. */
async function withinLimit<Result>(
  timing: Timing,
  work: (deadline: AbortSignal, release: () => void) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  timeout.catch(() => {});
  const cancel = timing.later(() => {
    const error = tookTooLong();
    controller.abort(error);
    reject(error);
  }, maxActionMs);
  return Promise.race([work(controller.signal, cancel), timeout]);
}

function tookTooLong() {
  return serviceUnavailable('The operation took too long.');
}
