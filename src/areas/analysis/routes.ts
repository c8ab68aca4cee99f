import type { Agent } from '../../contract/agents/agent.ts';
import { testAnalysisModels } from '../../contract/agents/test-models.ts';
import { versionNameOf } from '../../contract/agents/version.ts';
import type { AnalyzeCall, analysisContract } from '../../contract/analysis/index.ts';
import { type Call, terminalStatuses } from '../../contract/calls/call.ts';
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
import { timeZoneOf } from '../../voice/engines/agent-parts.ts';
import type { Analyses, AnalyzedCalls, CallToAnalyze } from './analyses.ts';
import type { Analyzer } from './extraction/analyze.ts';
import type { AnalysisRequest } from './extraction/task.ts';
import { needsProvider, planOf } from './plan.ts';
import type { AnalysisRequests } from './requests.ts';
import type { AnalysisStore } from './store.ts';

/** One try: common proxies hang up after a minute. */
const previewLimits = { tryDelaysMs: [0], totalMs: 50_000 };

/** An agent version as it is now. */
export type ReadVersion = (
  queries: Reads,
  workspaceId: string,
  agentId: string,
  version: number | 'published' | 'latest',
) => Promise<{ readonly agent: Agent } | undefined>;

export interface AnalysisRouteParts {
  readonly store: AnalysisStore;
  readonly database: Database;
  readonly analyses: Pick<Analyses, 'toAnalyze'>;
  readonly requests: AnalysisRequests;
  readonly analyzerOf: (workspaceId: string) => Analyzer;
  readonly hasModel: (workspaceId: string) => boolean;
  readonly calls: AnalyzedCalls;
  readonly readVersion: ReadVersion;
  readonly now: () => number;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of short handlers.
export function analysisRoutes(parts: AnalysisRouteParts): Handlers<(typeof analysisContract.operations)[number]> {
  const { database, store, analyses, requests, analyzerOf, hasModel, calls, readVersion, now } = parts;

  /** What a request asks for, after every check. */
  const prepare = async (queries: Reads, found: CallToAnalyze | undefined, body: AnalyzeCall) => {
    if (found === undefined) throw notFound('call');
    const { call, language } = found;
    requireTerminal(call);
    const { agentId } = call;
    if (agentId === null || call.agentVersion === null) throw unprocessable({}, ['no agent took this call']);
    const issue = await transcriptIssue(call);
    const { agentVersion = call.agentVersion, model, postCallAnalysisData } = body;
    const version = versionNameOf(agentVersion);
    const agent =
      version === undefined ? undefined : (await readVersion(queries, call.workspaceId, agentId, version))?.agent;
    // With a model and items of its own, a request needs no version.
    const plan =
      agent !== undefined
        ? planOf(agent, body)
        : model !== undefined && postCallAnalysisData !== undefined
          ? { model, items: postCallAnalysisData, language, summaryPrompt: null, successPrompt: null }
          : null;
    const usedModel = model ?? plan?.model ?? null;
    const isUnknown = usedModel !== null && !needsProvider(usedModel) && !isTestModel(usedModel);
    if (plan === null || issue !== null || isUnknown) {
      const names = testAnalysisModels.join(', ');
      throw unprocessable(
        {
          ...(plan === null && { agentVersion: ['there is no such version of the agent'] }),
          ...(isUnknown && { model: [`must be one of ${names}, or the name of a real model`] }),
        },
        issue === null ? [] : [issue],
      );
    }
    if (needsProvider(plan.model) && !hasModel(call.workspaceId)) throw providerNotConfigured('llm');
    const request: AnalysisRequest = { plan, timeZone: await timeZoneFor(queries, found) };
    return { agentVersion: agent?.version ?? call.agentVersion, request };
  };

  /** Why there is nothing to analyze; null if there is. */
  const transcriptIssue = async ({ id, transcriptStatus }: Call): Promise<string | null> => {
    if (transcriptStatus === 'not_stored') return 'the transcript of this call is not stored';
    if (transcriptStatus === 'deleted') return 'the transcript of this call was deleted';
    return (await calls.hasCallerTurn(id)) ? null : 'the caller said nothing in this call';
  };

  /** The time zone of the version that the call had, if it still exists. */
  const timeZoneFor = async (queries: Reads, { call, language, agentDigest }: CallToAnalyze): Promise<string> => {
    const { workspaceId, agentId, agentVersion } = call;
    const isGone = agentId === null || agentVersion === null;
    const agent =
      (await calls.agent(workspaceId, agentDigest)) ??
      (isGone ? undefined : (await readVersion(queries, workspaceId, agentId, agentVersion))?.agent);
    return timeZoneOf(agent ?? { language });
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
      const { agentVersion, request } = await prepare(queries, found, body);
      const analysis = await requests.request(queries, workspaceId, id, agentVersion, request);
      return { body: analysis, resourceId: id, callContent: { callId: id, isSealed: false } };
    },

    'calls.analysis.preview': async ({ caller: { workspaceId }, params: { id }, body, startWaiting }) => {
      const found = isId('call', id) ? await calls.find(workspaceId, id) : undefined;
      const { request } = await prepare(database, found, body);
      const { plan, timeZone } = request;
      const { dataStorageSetting } = (found as CallToAnalyze).call;
      const startedAt = now();
      const call = await analyses.toAnalyze(found as CallToAnalyze, timeZone);
      const signal = startWaiting();
      const outcome = await analyzerOf(workspaceId)(plan, call, previewLimits, signal).catch((error: unknown) => {
        throw signal.aborted ? notAccepting('The service is shutting down.') : error;
      });
      const { promptTokens, completionTokens } = outcome;
      if (outcome.status === 'failed') {
        if (outcome.reason === 'transcript_too_long') throw unprocessable({}, ['the transcript is too long']);
        const code = /^HTTP (\d{3})/.exec(outcome.detail)?.[1] ?? null;
        throw upstreamError(needsProvider(plan.model) ? 'llm' : 'test', code, true);
      }
      const { summary, successful, sentiment, data, evidence, issues } = outcome.findings;
      const analysis: Call['analysis'] = {
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
      };
      return { body: calls.stored(analysis, dataStorageSetting) };
    },

    'calls.analysis.list': async ({ caller: { workspaceId }, params: { id }, query, position, nextPage }) => {
      const found = isId('call', id) ? await calls.find(workspaceId, id) : undefined;
      if (found === undefined) throw notFound('call');
      return nextPage(await store.page(id, position?.after ?? null, query.limit));
    },
  };
}

function isTestModel(model: string): boolean {
  return (testAnalysisModels as readonly string[]).includes(model);
}

function requireTerminal({ status }: Call): void {
  if ((terminalStatuses as readonly string[]).includes(status)) return;
  throw stateConflict('call', { status, allowed: terminalStatuses });
}
