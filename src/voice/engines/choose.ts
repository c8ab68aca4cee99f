import type { Agent } from '../../contract/agents/agent.ts';
import type { Flow } from '../../contract/agents/settings/flow.ts';
import { knowledgeTestModel, testModelPrefix } from '../../contract/agents/test-models.ts';

export type EngineName = 'flow' | 'prompt' | 'custom_llm' | 'rehearsal' | 'test';

/** The engine that replies in a call of this agent. The first match applies. */
export function engineFor(
  { responseEngine, agentSettings }: Pick<Agent, 'agentSettings' | 'responseEngine'>,
  hasModel: boolean,
): EngineName {
  const { type, model = '' } = responseEngine;
  if (type === 'custom_llm') return 'custom_llm';
  const { flow } = (agentSettings ?? {}) as { readonly flow?: Flow };
  if (type === 'conversation_flow' && flow !== undefined) return 'flow';
  if (model.startsWith(testModelPrefix)) return 'test';
  return hasModel ? 'prompt' : 'rehearsal';
}

export function flowOf(agent: Agent): Flow {
  return (agent.agentSettings as { readonly flow: Flow }).flow;
}

/** Whether the agent needs a model, which a simulation does not call. */
export function needsModel(agent: Agent): boolean {
  const engine = engineFor(agent, true);
  if (engine !== 'flow') return engine !== 'test';
  const { skills } = flowOf(agent);
  return skills.some((skill) => skill.type === 'prompt' || (skill.type === 'choose' && skill.by === 'model'));
}

/** Whether a call with this engine looks anything up in the knowledge bases of the agent. */
export function usesKnowledge(agent: Agent, engine: EngineName): boolean {
  if (engine === 'flow') return flowOf(agent).skills.some(({ type }) => type === 'prompt' || type === 'answer');
  return engine === 'prompt' || (engine === 'test' && agent.responseEngine.model === knowledgeTestModel);
}
