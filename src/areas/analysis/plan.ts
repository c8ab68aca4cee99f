import type { Agent } from '../../contract/agents/agent.ts';
import type { AnalysisSettings } from '../../contract/agents/settings/index.ts';
import { testModelPrefix } from '../../contract/agents/test-models.ts';
import type { AnalyzeCall } from '../../contract/analysis/index.ts';
import type { Call } from '../../contract/calls/call.ts';
import type { AnalysisPlan } from './extraction/task.ts';

/** What an agent version asks for, and what a request replaces of it. */
export function planOf(agent: Agent, { postCallAnalysisData, model }: AnalyzeCall = {}): AnalysisPlan {
  const { summaryPrompt, successPrompt, language } = settingsOf(agent);
  return {
    model: model ?? agent.postCallAnalysisModel,
    items: postCallAnalysisData ?? agent.postCallAnalysisData,
    language: language ?? agent.language,
    summaryPrompt: summaryPrompt ?? null,
    successPrompt: successPrompt ?? null,
  };
}

/** Why a call that has ended is not analyzed; null if it is. The first reason that applies. */
export function skipReason(
  { startedAt, dataStorageSetting }: Pick<Call, 'startedAt' | 'dataStorageSetting'>,
  agent: Agent,
  { hasCallerSpeech, hasModel }: { readonly hasCallerSpeech: boolean; readonly hasModel: boolean },
): Call['analysis']['reason'] {
  if (startedAt === null) return 'not_connected';
  if (dataStorageSetting === 'basic_attributes_only') return 'data_storage_setting';
  if (settingsOf(agent).enabled === false) return 'disabled';
  if (!hasCallerSpeech) return 'no_caller_speech';
  return needsProvider(agent.postCallAnalysisModel) && !hasModel ? 'provider_not_configured' : null;
}

export function needsProvider(model: string): boolean {
  return !model.startsWith(testModelPrefix);
}

function settingsOf({ agentSettings }: Agent): AnalysisSettings {
  return ((agentSettings ?? {}) as { readonly analysis?: AnalysisSettings }).analysis ?? {};
}
