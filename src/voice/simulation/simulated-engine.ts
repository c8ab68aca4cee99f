import type { Agent } from '../../contract/agent.ts';
import type { Flow } from '../../contract/agent-settings/flow.ts';
import type { LlmSettings } from '../../contract/agent-settings/index.ts';
import { testModels } from '../../contract/test-models.ts';
import type { Clock } from '../clock.ts';
import { engineFor } from '../engines/choose.ts';
import type { Engine, Variables } from '../engines/engine.ts';
import { compileFlow } from '../engines/flow/compile.ts';
import { createFlowEngine } from '../engines/flow/engine.ts';
import { createFlowModel } from '../engines/flow/llm-model.ts';
import type { ModelTurn } from '../engines/model/messages.ts';
import { createPromptEngine } from '../engines/prompt.ts';
import { createRehearsalEngine } from '../engines/rehearsal.ts';
import { createTestEngine, type TestModel } from '../engines/test-models.ts';
import type { Llm, LlmParameters } from '../llm.ts';
import { fill } from '../text/variables.ts';
import { readTools } from '../tools/definition.ts';

/** What an engine learns about the run that it is for. */
export interface CallView {
  /** The transcript so far. */
  history(): readonly ModelTurn[];
  /** A model was asked for something that was not recorded: the run fails. */
  missed(miss: string): void;
}

/** The model of a run; normally one that replays a cassette. */
export type NewLlm = (clock: Clock, call: CallView) => Llm;

export interface CallFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly timeZone: string;
  readonly variables: Variables;
  readonly defaults: Variables;
  /** Null: there is no model. */
  readonly newLlm: NewLlm | null;
}

export type NewEngine = (clock: Clock, call: CallView) => Engine;

/** The engine of the agent, for each run. */
export function newEngineOf(agent: Agent, facts: CallFacts): NewEngine {
  const { language, responseEngine } = agent;
  const { model = '', prompt = '' } = responseEngine;
  const { newLlm } = facts;
  const engine = engineFor(agent, newLlm !== null);
  if (engine === 'flow') return newFlowEngine(agent, facts);
  if (engine === 'prompt' && newLlm !== null) return newPromptEngine(agent, prompt, newLlm, facts);
  const testModel = testModels.find((name) => name === model) as TestModel | undefined;
  if (testModel === undefined) return () => createRehearsalEngine({ language });
  return (clock) => createTestEngine({ model: testModel, prompt, language, clock });
}

function newFlowEngine(agent: Agent, facts: CallFacts): NewEngine {
  const { language, beginMessage, startSkillId } = agent;
  const { now, timeZone, variables, defaults, newLlm } = facts;
  const flow = compileFlow(flowOf(agent), { language, startSkillId, timeZone });
  const named = { ...defaults, ...variables };
  const globalPrompt = fill(
    agent.agentGlobalPrompt ?? '',
    (name) => named[name],
    () => {},
  );
  const shared = { ...modelParts(agent, facts), globalPrompt };
  return (clock, call) => {
    const { history } = call;
    const model =
      newLlm === null ? {} : { model: createFlowModel({ ...shared, clock, history, llm: newLlm(clock, call) }) };
    const time = () => now + clock.now();
    return createFlowEngine({ flow, beginMessage, now: time, variables, agentVariables: defaults, ...model });
  };
}

function newPromptEngine(agent: Agent, prompt: string, newLlm: NewLlm, facts: CallFacts): NewEngine {
  const { variables, defaults: agentVariables } = facts;
  const globalPrompt = agent.agentGlobalPrompt ?? '';
  const shared = { ...modelParts(agent, facts), globalPrompt, prompt, isSpoken: true, variables, agentVariables };
  return (clock, call) => createPromptEngine({ ...shared, clock, history: call.history, llm: newLlm(clock, call) });
}

function modelParts({ responseEngine, agentSettings, language }: Agent, { now, timeZone }: CallFacts) {
  const { llm = {}, tools } = (agentSettings ?? {}) as { readonly llm?: LlmSettings; readonly tools?: unknown };
  const { temperature, maxTokens, reasoningEffort, fallbackModels } = llm;
  const parameters: LlmParameters = { model: responseEngine.model ?? '', temperature, maxTokens, reasoningEffort };
  return { parameters, fallbackModels, tools: readTools(tools), callStart: { now, timeZone, language } };
}

export function flowOf(agent: Agent): Flow {
  return (agent.agentSettings as { readonly flow: Flow }).flow;
}
