import { flowIn } from '../../flow/flow.ts';
import type { FieldName } from './fields.ts';
import { isObject, type Values } from './values.ts';

export type EngineType = 'single_prompt' | 'conversation_flow' | 'custom_llm';

export function engineOf(values: Values): EngineType {
  return values['responseEngine.type'] as EngineType;
}

/** Whether the field has an effect with the engine of the agent. */
export function isRelevant(name: FieldName, values: Values): boolean {
  const engine = engineOf(values);
  switch (name) {
    case 'responseEngine.prompt':
      // Without skills, a flow is a single prompt.
      return engine === 'single_prompt' || (engine === 'conversation_flow' && !hasSkills(values));
    case 'responseEngine.model':
      return engine !== 'custom_llm';
    case 'responseEngine.llmWebsocketUrl':
      return engine === 'custom_llm';
    case 'startSkillId':
      return engine === 'conversation_flow';
    case 'agentGlobalPrompt':
      // It applies to a single prompt, too, but there it is the same as the prompt.
      return engine !== 'single_prompt' || Boolean(values.agentGlobalPrompt);
    case 'backchannelFrequency':
    case 'backchannelWords':
      return values.enableBackchannel === true;
    default:
      return true;
  }
}

function hasSkills({ agentSettings }: Values): boolean {
  return isObject(agentSettings) && (flowIn(agentSettings)?.skills.length ?? 0) > 0;
}
