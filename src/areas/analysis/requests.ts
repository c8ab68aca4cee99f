import type { Agent } from '../../contract/agents/agent.ts';
import type { Analysis } from '../../contract/analysis/index.ts';
import type { Call } from '../../contract/calls/call.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { Queries } from '../../storage/database.ts';
import { timeZoneOf } from '../../voice/engines/agent-parts.ts';
import type { AnalysisRequest } from './extraction/task.ts';
import { planOf, skipReason } from './plan.ts';
import type { AnalysisStore } from './store.ts';

export interface AnalysisJob {
  readonly callId: string;
  readonly analysisId: string;
}

/** Only a lost process or an unreachable database makes a run fail: the model has its own tries. */
export const analysisJob = { name: 'analysis', maxAttempts: 10 };

/** From the request, or from the claim after a lost process. */
export const settledWithinMs = 5 * 60_000;

export interface AnalysisRequestParts {
  readonly store: Pick<AnalysisStore, 'insert' | 'ofCall' | 'replace' | 'removeAll'>;
  readonly jobs: Pick<JobQueue, 'add' | 'remove'>;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Whether a language model is connected for a workspace. */
  readonly hasModel: (workspaceId: string) => boolean;
}

const emptyResult = {
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
};

export type AnalysisRequests = ReturnType<typeof createAnalysisRequests>;

/** Adds analyses, pending with a job or skipped, and removes their content. */
export function createAnalysisRequests({ store, jobs, newId, now, hasModel }: AnalysisRequestParts) {
  const addJob = (queries: Queries, workspaceId: string, { callId, id }: Analysis): Promise<unknown> =>
    jobs.add<AnalysisJob>(queries, analysisJob, { workspaceId, payload: { callId, analysisId: id }, dedupeKey: id });

  const add = async (
    queries: Queries,
    workspaceId: string,
    given: Pick<Analysis, 'callId' | 'trigger' | 'agentVersion' | 'reason'>,
    request: AnalysisRequest,
  ): Promise<Analysis> => {
    const { callId, trigger, agentVersion, reason } = given;
    const at = now();
    const createdAt = new Date(at).toISOString();
    const isSkipped = reason !== null;
    const analysis: Analysis = {
      id: newId('ana'),
      callId,
      trigger,
      agentVersion,
      createdAt,
      status: isSkipped ? 'skipped' : 'pending',
      reason,
      ...emptyResult,
      model: isSkipped ? null : request.plan.model,
      completedAt: isSkipped ? createdAt : null,
    };
    await store.insert(queries, {
      workspaceId,
      analysis,
      request: isSkipped ? null : request,
      dueAt: isSkipped ? null : at + settledWithinMs,
    });
    if (!isSkipped) await addJob(queries, workspaceId, analysis);
    return analysis;
  };

  return {
    /** A call ends in this transaction. Returns its analysis: pending, or skipped at once. */
    begin: async (queries: Queries, call: Call, agent: Agent, hasCallerSpeech: boolean): Promise<Call['analysis']> => {
      const { id: callId, workspaceId } = call;
      const { version: agentVersion } = agent;
      const reason = skipReason(call, agent, { hasCallerSpeech, hasModel: hasModel(workspaceId) });
      const request = { plan: planOf(agent), timeZone: timeZoneOf(agent) };
      const given = { callId, trigger: 'call_end', agentVersion, reason } as const;
      return withoutHistory(await add(queries, workspaceId, given, request));
    },

    /** Requested by a client. */
    request: (
      queries: Queries,
      workspaceId: string,
      callId: string,
      agentVersion: number,
      request: AnalysisRequest,
    ): Promise<Analysis> => add(queries, workspaceId, { callId, trigger: 'api', agentVersion, reason: null }, request),

    /**
     * Changes the analyses of a call that is redacted. One that is running may have read more than is kept now: its job
     * is removed, so that its result is dropped, and replaced by another if it is still pending.
     */
    rewrite: async (queries: Queries, callId: string, change: (analysis: Analysis) => Analysis): Promise<void> => {
      for (const stored of await store.ofCall(queries, callId)) {
        const { workspaceId, analysis } = stored;
        const changed = change(analysis);
        await store.replace(queries, stored, changed);
        if (analysis.status !== 'pending') continue;
        await jobs.remove(queries, analysisJob, analysis.id);
        if (changed.status === 'pending') await addJob(queries, workspaceId, changed);
      }
    },

    /** Removes everything about a call that is deleted. */
    remove: async (queries: Queries, callId: string): Promise<void> => {
      for (const { analysis } of await store.ofCall(queries, callId)) {
        if (analysis.status === 'pending') await jobs.remove(queries, analysisJob, analysis.id);
      }
      await store.removeAll(queries, callId);
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
