import type { Agent } from '../../contract/agents/agent.ts';
import type { LlmSettings } from '../../contract/agents/settings/index.ts';
import { testModelPrefix } from '../../contract/agents/test-models.ts';
import type { NotApplied } from '../policy.ts';
import { type EngineName, needsModel, usesKnowledge } from './choose.ts';

interface Settings {
  readonly flow?: unknown;
  readonly tools?: readonly unknown[];
  readonly llm?: LlmSettings;
  readonly knowledge?: unknown;
}

/** What the engine of a call does not use although the agent has it, so that nothing is silently ignored. */
export function unusedSettings(agent: Agent, engine: EngineName, hasModel: boolean): NotApplied[] {
  // Without a connected model, nothing that needs one is used: one entry covers all of it.
  if (engine === 'rehearsal') return [{ field: 'responseEngine', reason: 'provider_not_configured' }];
  const { flow, tools = [], llm = {}, knowledge } = (agent.agentSettings ?? {}) as Settings;
  const isFlow = engine === 'flow';
  const hasTools = isFlow || engine === 'prompt';
  const isTestModel = (name: string) => name.startsWith(testModelPrefix);
  const unused: [field: string, isUnused: boolean][] = [
    ['startSkillId', !isFlow && agent.startSkillId !== undefined],
    ['agentSettings.flow', !isFlow && flow !== undefined],
    ['agentSettings.tools', !hasTools && tools.length > 0],
    ['agentSettings.llm', !hasTools && Object.keys(llm).length > 0],
    ['agentSettings.knowledge', knowledge !== undefined && !usesKnowledge(agent, engine)],
    ['agentSettings.llm.fallbackModels', hasTools && (llm.fallbackModels ?? []).some(isTestModel)],
  ];
  const list: NotApplied[] = unused.flatMap(([field, isUnused]) =>
    isUnused ? [{ field, reason: 'not_supported' as const }] : [],
  );
  const isRehearsed = isFlow && !hasModel && needsModel(agent);
  return isRehearsed ? [...list, { field: 'agentSettings.flow', reason: 'provider_not_configured' }] : list;
}
