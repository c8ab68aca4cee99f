import type { Agent } from '../../contract/agents/agent.ts';
import { type Issue, shortened } from '../../core/issues.ts';
import { variableNames } from '../text/variables.ts';
import { engineFor } from './choose.ts';

/** The texts of an agent outside its flow that are filled with the variables of a call, and what decides which are. */
export type FilledTexts = Pick<Agent, 'agentSettings' | 'responseEngine'> &
  Partial<Pick<Agent, 'agentGlobalPrompt' | 'beginMessage' | 'boostedKeywords'>>;

/** Variables in the texts of an agent that neither its defaults nor the service set. Its flow has checks of its own. */
export function textVariableWarnings(agent: FilledTexts, known: readonly string[]): Issue[] {
  const { responseEngine, agentGlobalPrompt, beginMessage, boostedKeywords = [] } = agent;
  const engine = engineFor(agent, true);
  const names = new Set(known);
  const check = (path: readonly PropertyKey[], text: string | null | undefined, source: string): Issue[] =>
    variableNames(text ?? '').flatMap((name) =>
      names.has(name)
        ? []
        : [{ path, message: `${shortened(name)} is not in agentVariables: it must come from ${source}` }],
    );
  const fromCall = 'the variables of the call';
  const isPrompted = engine === 'prompt' || engine === 'flow' || engine === 'custom_llm';
  return [
    ...check(['beginMessage'], beginMessage, fromCall),
    ...(engine === 'prompt'
      ? check(['responseEngine', 'prompt'], responseEngine.prompt, `${fromCall} or the result of a tool`)
      : []),
    ...(isPrompted ? check(['agentGlobalPrompt'], agentGlobalPrompt, fromCall) : []),
    ...boostedKeywords.flatMap((keyword, index) => check(['boostedKeywords', index], keyword, fromCall)),
  ];
}
