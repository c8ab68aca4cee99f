import type { Agent } from '../../contract/agent.ts';
import type { Analysis } from '../../contract/analysis.ts';
import type { Call } from '../../contract/calls/call.ts';
import type { Turn } from '../../contract/turn.ts';
import type { JobKind } from '../../jobs/kind.ts';
import type { Database, Queries, Reads } from '../../storage/database.ts';
import { timeZoneOf } from '../../voice/engines/agent-parts.ts';
import { type Analyzer, type Outcome, tryDelaysMs } from './extraction/analyze.ts';
import type { AnalyzedCall } from './extraction/task.ts';
import { type AnalysisJob, analysisJob, withoutHistory } from './requests.ts';
import type { AnalysisStore, StoredAnalysis } from './store.ts';

/** A call as its analysis needs it. */
export interface CallToAnalyze {
  readonly call: Call;
  /** Of the agent. */
  readonly language: string;
  /** Of the agent version that the call is pinned to. */
  readonly agentDigest: string;
}

/** What the analysis needs of calls. */
export interface AnalyzedCalls {
  find(workspaceId: string, id: string): Promise<CallToAnalyze | undefined>;
  /** Locks the call until the transaction ends. */
  lock(queries: Queries, workspaceId: string, id: string): Promise<CallToAnalyze | undefined>;
  /** Undefined once nothing needs it any more. */
  agent(workspaceId: string, digest: string): Promise<Agent | undefined>;
  turns(callId: string): Promise<Turn[]>;
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
  readonly now: () => number;
  readonly analyze: Analyzer;
  readonly calls: AnalyzedCalls;
  readonly readVersion: ReadVersion;
}

/** An agent version as it is now. */
export type ReadVersion = (
  queries: Reads,
  workspaceId: string,
  agentId: string,
  version: number | 'published' | 'latest',
) => Promise<{ readonly agent: Agent } | undefined>;

/** From the end of the call, or from the claim after a lost process. */
const settledWithinMs = 5 * 60_000;
/** A job that lost its process over and over: nothing works on the analysis any more. */
const abandonedAfterMs = 20 * 60_000;
const sweepSize = 100;

export type Analyses = ReturnType<typeof createAnalyses>;

/** The analyses of calls: each is settled once, with its call and its event in one transaction. */
export function createAnalyses(parts: AnalysesParts) {
  const { database, store, now, analyze, calls, readVersion } = parts;

  const settle = ({ workspaceId, analysis }: StoredAnalysis, outcome: Outcome): Promise<void> =>
    database.transaction(async (queries) => {
      const { callId, id } = analysis;
      // The call is locked first, as everywhere.
      const held = await calls.lock(queries, workspaceId, callId);
      const current = await store.find(queries, callId, id, true);
      // Deleted meanwhile, or another process has settled it.
      if (held === undefined || current?.analysis.status !== 'pending') return;
      const settled = settledAnalysis(current.analysis, outcome, held.call, now());
      await store.settle(queries, settled);
      await calls.change(queries, workspaceId, callId, (call) => changeOf(call, settled));
    });

  const run = async (workspaceId: string | null, payload: AnalysisJob, attempt: number, signal: AbortSignal) => {
    if (workspaceId === null) return;
    const { callId, analysisId } = payload;
    const stored = await store.find(database, callId, analysisId);
    const found = await calls.find(workspaceId, callId);
    if (stored?.analysis.status !== 'pending' || stored.plan === null || found === undefined) return;
    const since = attempt === 1 ? now() - Date.parse(stored.analysis.createdAt) : 0;
    const totalMs = settledWithinMs - since;
    const outcome: Outcome =
      totalMs <= 0 ? outOfTime : await analyze(stored.plan, await toAnalyze(found), { tryDelaysMs, totalMs }, signal);
    await settle(stored, outcome);
  };

  const toAnalyze = async ({ call, language, agentDigest }: CallToAnalyze): Promise<AnalyzedCall> => {
    const { workspaceId, agentId, agentVersion } = call;
    const agent =
      (await calls.agent(workspaceId, agentDigest)) ??
      (await readVersion(database, workspaceId, agentId, agentVersion))?.agent;
    return {
      startedAt: Date.parse(call.startedAt ?? call.createdAt),
      timeZone: timeZoneOf(agent ?? { language }),
      language,
      turns: await calls.turns(call.id),
    };
  };

  const job: JobKind<AnalysisJob> = {
    ...analysisJob,
    retryDelaysMs: [1000, 10_000],
    timeoutMs: settledWithinMs + 30_000,
    concurrency: 10,
    run: ({ workspaceId, payload, attempt }, { signal }) => run(workspaceId, payload, attempt, signal),
  };

  return {
    job: job as JobKind,
    toAnalyze,

    /** Settles what nothing works on any more. Resolves to true if there may be more. */
    sweep: async (): Promise<boolean> => {
      const abandoned = await store.pendingSince(now() - abandonedAfterMs, sweepSize);
      for (const stored of abandoned) await settle(stored, outOfTime);
      return abandoned.length === sweepSize;
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

function settledAnalysis(analysis: Analysis, outcome: Outcome, call: Call, at: number): Analysis {
  const { promptTokens, completionTokens } = outcome;
  const settled = {
    ...analysis,
    promptTokens,
    completionTokens,
    durationMs: Math.max(0, at - Date.parse(analysis.createdAt)),
    completedAt: new Date(at).toISOString(),
  };
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
