import type { Call } from '../../contract/calls/call.ts';
import type { Trigger } from '../../contract/workflows/definition.ts';
import type { JobKind } from '../../jobs/kind.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { Database, Queries } from '../../storage/database.ts';
import type { NewRuns } from './runs/new-runs.ts';
import type { WorkflowStore } from './store.ts';

/** What the listener reads of an event. */
export interface CallEvent {
  readonly id: string;
  readonly workspaceId: string;
  readonly type: string;
  readonly subjectId: string;
  readonly data: object;
}

export interface MatchingParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly store: WorkflowStore;
  readonly newRuns: NewRuns;
  /** The call, locked until the transaction ends. */
  readonly lockCall: (queries: Queries, workspaceId: string, callId: string) => Promise<Call | undefined>;
  readonly matcher: (call: Call) => (trigger: Trigger) => boolean;
  /** Runs were added. */
  readonly onAdded: () => void;
}

interface Match {
  readonly eventId: string;
  readonly event: string;
  readonly workspaceId: string;
  readonly callId: string;
  /** When the newest of the workflows enabled at that time was enabled: those enabled later are not started. */
  readonly newestEnabling: number;
  /** What was stored of the call then: if it is less by now, its content was removed, and nothing starts. */
  readonly setting: Call['dataStorageSetting'];
}

/** Starts the runs of an event. Its transaction only adds a job, so that a call ends as fast with many workflows as with none. */
export function createMatching({ database, jobs, store, newRuns, lockCall, matcher, onAdded }: MatchingParts) {
  const start = async (queries: Queries, match: Match): Promise<void> => {
    const { workspaceId, callId, event, eventId, newestEnabling, setting } = match;
    const call = await lockCall(queries, workspaceId, callId);
    if (call === undefined || call.dataStorageSetting !== setting) return;
    const enabled = await store.enabledUntil(queries, workspaceId, event, newestEnabling);
    const matches = matcher(call);
    const matching = enabled.filter(({ trigger }) => matches(trigger));
    await newRuns.ofEvent(queries, call, eventId, matching);
  };

  const kind: JobKind<Match> = {
    name: 'workflow_match',
    maxAttempts: 1000,
    retryDelaysMs: [500, 2000, 10_000, 30_000],
    timeoutMs: 30_000,
    concurrency: 50,
    concurrencyPerWorkspace: 20,
    run: async ({ payload }, { complete }) => {
      await database.transaction(async (queries) => {
        await start(queries, payload);
        await complete(queries);
      });
      onAdded();
    },
  };

  return {
    kind,

    /** In the transaction of an event. */
    onEvent: async (queries: Queries, event: CallEvent): Promise<void> => {
      const { id: eventId, type, workspaceId, subjectId: callId, data } = event;
      if (type !== 'call_ended' && type !== 'call_analyzed') return;
      const newestEnabling = await store.newestEnabling(queries, workspaceId, type);
      if (newestEnabling === null) return;
      const { dataStorageSetting: setting } = (data as { readonly call: Call }).call;
      const payload = { eventId, event: type, workspaceId, callId, newestEnabling, setting };
      await jobs.add(queries, kind, { payload, workspaceId, dedupeKey: eventId });
    },
  };
}
