import type { Agent } from '../../contract/agents/agent.ts';
import type { Analysis } from '../../contract/analysis/index.ts';
import type { Call } from '../../contract/calls/call.ts';
import type { Turn } from '../../contract/calls/turn.ts';
import type { JobContext, JobKind } from '../../jobs/kind.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { Database, Queries } from '../../storage/database.ts';
import type { Clock } from '../../voice/clock.ts';
import { type Analyzer, type Outcome, tryDelaysMs } from './extraction/analyze.ts';
import type { AnalyzedCall } from './extraction/task.ts';
import { wait } from './extraction/wait.ts';
import { type AnalysisJob, analysisJob, settledWithinMs, withoutHistory } from './requests.ts';
import type { AnalysisStore, StoredAnalysis } from './store.ts';

/** A call as its analysis needs it. */
export interface CallToAnalyze {
  readonly call: Call;
  /** The language of the agent. */
  readonly language: string;
  /** The digest of the agent version that the call is pinned to. */
  readonly agentDigest: string;
}

/** What the analysis needs of calls. */
export interface AnalyzedCalls {
  find(workspaceId: string, id: string): Promise<CallToAnalyze | undefined>;
  /** Locks the call until the transaction ends. */
  lock(queries: Queries, workspaceId: string, id: string): Promise<CallToAnalyze | undefined>;
  /** Undefined once nothing needs it any more. */
  agent(workspaceId: string, digest: string): Promise<Agent | undefined>;
  hasCallerTurn(callId: string): Promise<boolean>;
  turns(callId: string): Promise<Turn[]>;
  /** What the storage setting of the call keeps of its analysis. */
  stored<A extends Call['analysis']>(analysis: A, setting: Call['dataStorageSetting']): A;
  /** Replaces the analysis of a call that is not deleted, with the event `call_analyzed` if it is published. */
  change(
    queries: Queries,
    workspaceId: string,
    id: string,
    change: (call: Call) => { readonly analysis: Call['analysis']; readonly isPublished: boolean } | null,
  ): Promise<void>;
}

export interface AnalysesParts {
  readonly database: Database;
  readonly store: AnalysisStore;
  readonly jobs: Pick<JobQueue, 'remove'>;
  readonly now: () => number;
  readonly clock: Clock;
  readonly analyzerOf: (workspaceId: string) => Analyzer;
  readonly calls: AnalyzedCalls;
}

/** How often to look whether the recording of a call is settled. */
const recordingPollMs = 250;
const sweepSize = 100;

export type Analyses = ReturnType<typeof createAnalyses>;

/** The analyses of calls: each is settled once, with its call and its event in one transaction. */
export function createAnalyses(parts: AnalysesParts) {
  const { database, store, jobs, now, clock, analyzerOf, calls } = parts;
  /** Analyses that waited while no process was running have their time from then on. */
  const startedAt = now();
  const deadlineOf = ({ dueAt }: StoredAnalysis): number => Math.max(dueAt ?? 0, startedAt + settledWithinMs);

  /** `mayWrite`, in the transaction: whether the result still counts. */
  const settle = (
    { workspaceId, analysis: { callId, id } }: StoredAnalysis,
    outcome: Outcome,
    durationMs: number | null,
    mayWrite: (queries: Queries) => Promise<boolean>,
  ): Promise<void> =>
    database.transaction(async (queries) => {
      // The call is locked first, as everywhere.
      const locked = await calls.lock(queries, workspaceId, callId);
      const current = await store.find(queries, callId, id);
      if (!(await mayWrite(queries))) return;
      // Deleted meanwhile, or another process has settled it.
      if (locked === undefined || current?.analysis.status !== 'pending') return;
      const result = settledAnalysis(current.analysis, outcome, locked.call, { at: now(), durationMs });
      const settled = calls.stored(result, locked.call.dataStorageSetting);
      await store.replace(queries, current, settled);
      await calls.change(queries, workspaceId, callId, (call) => changeOf(call, settled));
    });

  /** An event with the analysis would otherwise have a recording that is about to change. */
  const recordingSettled = async (workspaceId: string, callId: string, until: number, signal: AbortSignal) => {
    for (;;) {
      const found = await calls.find(workspaceId, callId);
      if (found?.call.recording.status !== 'processing' || now() >= until) return;
      await wait(clock, recordingPollMs, signal);
    }
  };

  const run = async (
    workspaceId: string | null,
    { callId, analysisId }: AnalysisJob,
    attempt: number,
    { signal, complete }: JobContext,
  ): Promise<void> => {
    if (workspaceId === null) return;
    const stored = await store.find(database, callId, analysisId);
    const found = await calls.find(workspaceId, callId);
    if (stored?.analysis.status !== 'pending' || stored.request === null || found === undefined) return;
    const began = now();
    let deadline = deadlineOf(stored);
    if (attempt > 1) {
      deadline = began + settledWithinMs;
      await store.postpone(callId, analysisId, deadline);
    }
    const totalMs = deadline - began;
    const { plan, timeZone } = stored.request;
    const outcome: Outcome =
      totalMs <= 0
        ? outOfTime
        : await analyzerOf(workspaceId)(plan, await toAnalyze(found, timeZone), { tryDelaysMs, totalMs }, signal);
    const durationMs = Math.max(0, now() - began);
    await recordingSettled(workspaceId, callId, deadline, signal);
    await settle(stored, outcome, durationMs, complete);
  };

  const toAnalyze = async ({ call, language }: CallToAnalyze, timeZone: string): Promise<AnalyzedCall> => ({
    startedAt: Date.parse(call.startedAt ?? call.createdAt),
    timeZone,
    language,
    turns: await calls.turns(call.id),
  });

  const job: JobKind<AnalysisJob> = {
    ...analysisJob,
    retryDelaysMs: [1000, 10_000],
    timeoutMs: settledWithinMs + 30_000,
    concurrency: 20,
    concurrencyPerWorkspace: 10,
    run: ({ workspaceId, payload, attempt }, context) => run(workspaceId, payload, attempt, context),
  };

  return {
    job: job as JobKind,
    toAnalyze,

    /** Settles those that nothing has settled in time. Resolves to true if there may be more. */
    sweep: async (): Promise<boolean> => {
      if (now() < startedAt + settledWithinMs) return false;
      const overdue = await store.overdue(now(), sweepSize);
      for (const stored of overdue) {
        await settle(stored, outOfTime, null, async (queries) => {
          await jobs.remove(queries, analysisJob, stored.analysis.id);
          return true;
        });
      }
      return overdue.length === sweepSize;
    },
  };
}

const outOfTime: Outcome = {
  status: 'failed',
  reason: 'timeout',
  detail: 'it was not settled in time',
  promptTokens: 0,
  completionTokens: 0,
};

function settledAnalysis(
  analysis: Analysis,
  outcome: Outcome,
  call: Call,
  { at, durationMs }: { readonly at: number; readonly durationMs: number | null },
): Analysis {
  const { promptTokens, completionTokens } = outcome;
  const completedAt = new Date(at).toISOString();
  const settled = { ...analysis, promptTokens, completionTokens, durationMs, completedAt };
  if (outcome.status === 'failed') return { ...settled, status: 'failed', reason: outcome.reason };
  const { issues, ...findings } = outcome.findings;
  return {
    ...settled,
    ...findings,
    data: { ...findings.data },
    issues: [...issues],
    status: 'completed',
    revision: call.analysis.revision + 1,
  };
}

/** A failed rerun changes nothing, unless the call has no completed analysis yet. */
function changeOf(call: Call, settled: Analysis): { analysis: Call['analysis']; isPublished: boolean } | null {
  const isPublished = settled.trigger === 'call_end' || settled.status === 'completed';
  if (!isPublished && call.analysis.status === 'completed') return null;
  return { analysis: withoutHistory(settled), isPublished };
}
