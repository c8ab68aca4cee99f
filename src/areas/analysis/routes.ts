import { versionNameOf } from '../../contract/agent-version.ts';
import type { AnalyzeCall, analysisContract } from '../../contract/analysis.ts';
import type { Call } from '../../contract/calls/call.ts';
import { terminalStatuses } from '../../contract/calls/call.ts';
import { testAnalysisModels } from '../../contract/test-models.ts';
import {
  notAccepting,
  notFound,
  providerNotConfigured,
  stateConflict,
  unprocessable,
  upstreamError,
} from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import type { Database, Reads } from '../../storage/database.ts';
import type { Analyses, AnalyzedCalls, CallToAnalyze, ReadVersion } from './analyses.ts';
import type { Analyzer } from './extraction/analyze.ts';
import type { AnalysisPlan } from './extraction/task.ts';
import { needsProvider, planOf } from './plan.ts';
import type { AnalysisRequests } from './requests.ts';
import type { AnalysisStore } from './store.ts';

/** One try: common proxies hang up after a minute. */
const previewLimits = { tryDelaysMs: [0], totalMs: 50_000 };

export interface AnalysisRouteParts {
  readonly store: AnalysisStore;
  readonly database: Database;
  readonly analyses: Pick<Analyses, 'toAnalyze'>;
  readonly requests: AnalysisRequests;
  readonly analyze: Analyzer;
  readonly hasModel: boolean;
  readonly calls: AnalyzedCalls;
  readonly readVersion: ReadVersion;
  readonly now: () => number;
}

export function analysisRoutes(parts: AnalysisRouteParts): Handlers<(typeof analysisContract.operations)[number]> {
  const { database, store, analyses, requests, analyze, hasModel, calls, readVersion, now } = parts;

  /** The plan of a request, after every check. */
  const prepare = async (
    queries: Reads,
    found: CallToAnalyze | undefined,
    body: AnalyzeCall,
  ): Promise<{ agentVersion: number; plan: AnalysisPlan }> => {
    if (found === undefined) throw notFound('call');
    const { call } = found;
    requireTerminal(call);
    await requireWords(call);
    const { agentVersion, plan } = await planFor(queries, found, body);
    if (!needsProvider(plan.model)) {
      if (!(testAnalysisModels as readonly string[]).includes(plan.model)) {
        throw unprocessable({
          model: [`must be one of ${testAnalysisModels.join(', ')}, or the name of a real model`],
        });
      }
    } else if (!hasModel) throw providerNotConfigured('llm');
    return { agentVersion, plan };
  };

  const requireWords = async ({ id, transcriptStatus }: Call): Promise<void> => {
    if (transcriptStatus === 'not_stored') throw unprocessable({}, ['the transcript of this call is not stored']);
    if (transcriptStatus === 'deleted') throw unprocessable({}, ['the transcript of this call was deleted']);
    const turns = await calls.turns(id);
    if (!turns.some(({ role }) => role === 'caller')) {
      throw unprocessable({}, ['the caller said nothing in this call']);
    }
  };

  /** As the version is now. With a model and items of its own, a request needs none. */
  const planFor = async (queries: Reads, { call, language }: CallToAnalyze, body: AnalyzeCall) => {
    const { agentVersion = call.agentVersion, model, postCallAnalysisData } = body;
    const version = versionNameOf(agentVersion);
    const found =
      version === undefined ? undefined : await readVersion(queries, call.workspaceId, call.agentId, version);
    if (found !== undefined) return { agentVersion: found.agent.version, plan: planOf(found.agent, body) };
    if (model === undefined || postCallAnalysisData === undefined) {
      throw unprocessable({ agentVersion: ['there is no such version of the agent'] });
    }
    const plan = { model, items: postCallAnalysisData, language, summaryPrompt: null, successPrompt: null };
    return { agentVersion: call.agentVersion, plan };
  };

  return {
    'calls.analysis.run': async ({ caller: { workspaceId }, params: { id }, body, queries }) => {
      const found = isId('call', id) ? await calls.lock(queries, workspaceId, id) : undefined;
      if (found !== undefined) {
        requireTerminal(found.call);
        if (await store.isPending(queries, id)) {
          const { status } = found.call;
          throw stateConflict('call', { status, allowed: terminalStatuses, reason: 'analysis_pending' });
        }
      }
      const { agentVersion, plan } = await prepare(queries, found, body);
      const analysis = await requests.request(queries, workspaceId, id, agentVersion, plan);
      return { body: analysis, resourceId: analysis.id };
    },

    'calls.analysis.preview': async ({ caller: { workspaceId }, params: { id }, body, startWaiting }) => {
      const found = isId('call', id) ? await calls.find(workspaceId, id) : undefined;
      const { plan } = await prepare(database, found, body);
      const startedAt = now();
      const call = await analyses.toAnalyze(found as CallToAnalyze);
      const signal = startWaiting();
      const outcome = await analyze(plan, call, previewLimits, signal).catch((error: unknown) => {
        throw signal.aborted ? notAccepting('The service is shutting down.') : error;
      });
      const { promptTokens, completionTokens } = outcome;
      if (outcome.status === 'failed') {
        if (outcome.reason === 'transcript_too_long') throw unprocessable({}, ['the transcript is too long']);
        const code = /HTTP (\d{3})/.exec(outcome.detail)?.[1] ?? null;
        throw upstreamError(needsProvider(plan.model) ? 'llm' : 'test', code, true);
      }
      const { summary, successful, sentiment, data, evidence, issues } = outcome.findings;
      return {
        body: {
          status: 'completed',
          reason: null,
          revision: 0,
          model: plan.model,
          summary,
          successful,
          sentiment,
          data: { ...data },
          evidence,
          issues: [...issues],
          promptTokens,
          completionTokens,
          durationMs: Math.max(0, now() - startedAt),
          completedAt: new Date(now()).toISOString(),
        },
      };
    },

    'calls.analysis.list': async ({ caller: { workspaceId }, params: { id }, query, position, nextPage }) => {
      const found = isId('call', id) ? await calls.find(workspaceId, id) : undefined;
      if (found === undefined) throw notFound('call');
      return nextPage(await store.page(id, position?.after ?? null, query.limit));
    },
  };
}

function requireTerminal({ status }: Call): void {
  if ((terminalStatuses as readonly string[]).includes(status)) return;
  throw stateConflict('call', { status, allowed: terminalStatuses });
}
