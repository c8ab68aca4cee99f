import type { Agent } from '../../contract/agent.ts';
import type { Analysis } from '../../contract/analysis.ts';
import type { Call } from '../../contract/calls/call.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { Queries } from '../../storage/database.ts';
import type { AnalysisPlan } from './extraction/task.ts';
import { planOf, skipReason } from './plan.ts';
import type { AnalysisStore } from './store.ts';

export interface AnalysisJob {
  readonly callId: string;
  readonly analysisId: string;
}

/** Only a lost process or an unreachable database makes a run fail: the model has its own tries. */
export const analysisJob = { name: 'analysis', maxAttempts: 10 };

export interface AnalysisRequestParts {
  readonly store: Pick<AnalysisStore, 'insert'>;
  readonly jobs: JobQueue;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Whether a language model is connected. */
  readonly hasModel: boolean;
}

const emptyResult = {
  reason: null,
  revision: 0,
  summary: null,
  successful: null,
  sentiment: null,
  data: {},
  evidence: { successful: null, sentiment: null, data: {} },
  issues: [] as Analysis['issues'],
  promptTokens: null,
  completionTokens: null,
  durationMs: null,
  completedAt: null,
};

export type AnalysisRequests = ReturnType<typeof createAnalysisRequests>;

/** Adds analyses: pending with a job, or skipped. */
export function createAnalysisRequests({ store, jobs, newId, now, hasModel }: AnalysisRequestParts) {
  const add = async (
    queries: Queries,
    workspaceId: string,
    given: Pick<Analysis, 'callId' | 'trigger' | 'agentVersion' | 'createdAt' | 'reason'>,
    plan: AnalysisPlan,
  ): Promise<Analysis> => {
    const { callId, trigger, agentVersion, createdAt, reason } = given;
    const isSkipped = reason !== null;
    const analysis: Analysis = {
      id: newId('ana'),
      callId,
      trigger,
      agentVersion,
      createdAt,
      status: isSkipped ? 'skipped' : 'pending',
      ...emptyResult,
      reason,
      model: isSkipped ? null : plan.model,
      completedAt: isSkipped ? createdAt : null,
    };
    await store.insert(queries, { workspaceId, analysis, plan: isSkipped ? null : plan });
    if (!isSkipped)
      await jobs.add<AnalysisJob>(queries, analysisJob, { workspaceId, payload: { callId, analysisId: analysis.id } });
    return analysis;
  };

  return {
    /** A call ends in this transaction. Returns its analysis: pending, or skipped at once. */
    begin: async (
      queries: Queries,
      call: Call,
      agent: Agent,
      hasCallerSpeech: boolean,
      endedAt: string,
    ): Promise<Call['analysis']> => {
      const { id: callId, agentVersion, workspaceId } = call;
      const reason = skipReason(call, agent, { hasCallerSpeech, hasModel });
      const given = { callId, trigger: 'call_end', agentVersion, createdAt: endedAt, reason } as const;
      return withoutHistory(await add(queries, workspaceId, given, planOf(agent)));
    },

    /** Requested by a client. */
    request: (queries: Queries, workspaceId: string, callId: string, agentVersion: number, plan: AnalysisPlan) => {
      const createdAt = new Date(now()).toISOString();
      return add(queries, workspaceId, { callId, trigger: 'api', agentVersion, createdAt, reason: null }, plan);
    },
  };
}

/** As it is shown in the call. */
export function withoutHistory(analysis: Analysis): Call['analysis'] {
  const {
    id: _id,
    callId: _callId,
    trigger: _trigger,
    agentVersion: _version,
    createdAt: _createdAt,
    ...rest
  } = analysis;
  return rest;
}
