import type { Alert } from '../../../contract/analytics/alert.ts';
import type { EventData } from '../../../contract/webhooks/events.ts';
import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { StoredResources } from '../stored-resources.ts';
import { evaluatedAlert } from './alert.ts';
import { measure, type QueryFigures } from './measuring.ts';

export interface AlertEvent {
  readonly workspaceId: string;
  readonly type: 'alert_firing' | 'alert_resolved';
  readonly subjectId: string;
  readonly sequence: null;
  readonly agentId: null;
  readonly agentWebhook: null;
  readonly data: EventData<'alert_firing'>;
}

export interface EvaluationParts {
  readonly database: Database;
  readonly jobs: Pick<JobQueue, 'add' | 'remove'>;
  readonly store: StoredResources<Alert>;
  readonly query: QueryFigures;
  readonly writeEvent: (queries: Queries, event: AlertEvent) => Promise<unknown>;
  readonly now: () => number;
}

interface AlertJob {
  readonly alertId: string;
}

const kindName = 'alert';
const maxAttempts = 3;

export type Evaluation = ReturnType<typeof createEvaluation>;

/** Evaluates each enabled alert every minute, by a job of its own. */
export function createEvaluation({ database, jobs, store, query, writeEvent, now }: EvaluationParts) {
  /** An event for a change to or from `firing`. */
  const report = async (queries: Queries, workspaceId: string, before: Alert, after: Alert): Promise<void> => {
    const wasFiring = before.state === 'firing';
    if (wasFiring === (after.state === 'firing')) return;
    const { id, name, metric, window, value: threshold, lastValue: value } = after;
    await writeEvent(queries, {
      workspaceId,
      type: wasFiring ? 'alert_resolved' : 'alert_firing',
      subjectId: id,
      sequence: null,
      agentId: null,
      agentWebhook: null,
      data: { alertId: id, name, metric, value, threshold, window, from: before.state, to: after.state },
    });
  };

  const kind: JobKind<AlertJob> = {
    name: kindName,
    maxAttempts,
    retryDelaysMs: [2000],
    timeoutMs: 30_000,
    concurrency: 4,
    concurrencyPerWorkspace: 2,
    recurrence: { everyMs: 60_000 },
    isAdded: true,
    run: async ({ workspaceId, payload: { alertId } }, { complete }) => {
      const stored = workspaceId === null ? undefined : await store.read(workspaceId, alertId);
      if (workspaceId === null || stored === undefined) return;
      const at = now();
      const measured = await measure(query, workspaceId, stored.resource, at);
      if (measured === null) return;
      await database.transaction(
        async (queries) => {
          // The alert first, as when it is changed. Its job is then another one.
          const locked = await store.lock(queries, workspaceId, alertId);
          if (!(await complete(queries)) || locked === undefined) return;
          const next = evaluatedAlert(locked.resource, measured, new Date(at).toISOString());
          await store.replace(queries, workspaceId, next);
          await report(queries, workspaceId, locked.resource, next);
        },
        { isBackground: true },
      );
    },
  };

  return {
    kind: kind as JobKind,
    report,

    /** Evaluates an alert at once, and then every minute. */
    begin: async (queries: Queries, workspaceId: string, { id: alertId, enabled }: Alert): Promise<void> => {
      if (!enabled) return;
      await jobs.add<AlertJob>(
        queries,
        { name: kindName, maxAttempts },
        { workspaceId, payload: { alertId }, dedupeKey: alertId },
      );
    },

    stop: (queries: Queries, alertId: string): Promise<void> => jobs.remove(queries, kind, alertId),
  };
}
