import type { Agent } from '../../contract/agent.ts';
import { testModelPrefix } from '../../contract/test-models.ts';

export type EngineName = 'flow' | 'prompt' | 'custom_llm' | 'rehearsal' | 'test';

/** The engine that replies in a call of this agent. The first match applies. */
export function engineFor({ responseEngine, agentSettings }: Agent, hasModel: boolean): EngineName {
  const { type, model = '' } = responseEngine;
  if (type === 'custom_llm') return 'custom_llm';
  if (type === 'conversation_flow' && hasFlow(agentSettings)) return 'flow';
  if (model.startsWith(testModelPrefix)) return 'test';
  return hasModel ? 'prompt' : 'rehearsal';
}

function hasFlow(settings: unknown): boolean {
  return typeof settings === 'object' && settings !== null && 'flow' in settings && settings.flow !== undefined;
}
