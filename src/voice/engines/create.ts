import type { Agent } from '../../contract/agents/agent.ts';
import type { LlmSettings } from '../../contract/agents/settings/index.ts';
import { knowledgeTestModel, testModels } from '../../contract/agents/test-models.ts';
import type { Clock } from '../clock.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Llm, LlmParameters } from '../llm.ts';
import { agentVariables } from '../policy.ts';
import { fill, type LineEnds, roomBesides, type Warn } from '../text/variables.ts';
import type { Variables } from '../variables.ts';
import { knowledgeSettingsOf, phoneToolsOf, timeZoneOf, toolsOf } from './agent-parts.ts';
import { engineFor, flowOf } from './choose.ts';
import { CustomLlmEngine, type LlmConnections } from './custom-llm/engine.ts';
import type { CallDetails } from './custom-llm/frames.ts';
import type { Engine } from './engine.ts';
import { compileFlow } from './flow/compile.ts';
import { createFlowEngine } from './flow/engine.ts';
import { createFlowModel } from './flow/llm-model.ts';
import { Answers } from './knowledge/answers.ts';
import type { LookupOptions } from './knowledge/lookup.ts';
import { ModelKnowledge } from './knowledge/model-knowledge.ts';
import { createKnowledgeTestEngine } from './knowledge/test-model.ts';
import type { ModelTurn } from './model/messages.ts';
import { createPromptEngine } from './prompt.ts';
import { createRehearsalEngine } from './rehearsal.ts';
import { createTestEngine, type TestModel } from './test-models.ts';

/** What an engine learns about the call that it is for. */
export interface EngineFacts {
  readonly clock: Clock;
  /** When the call began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The present time, in milliseconds since 1970. */
  readonly time: () => number;
  /** The variables of the call. */
  readonly variables: Variables;
  /** The agent's defaults and the built-in ones. */
  readonly defaults: Variables;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly isSpoken: boolean;
  /** Whether the call has a phone line. */
  readonly isPhone?: boolean | undefined;
  /** Absent: the call has no phone line, or it is simulated. */
  readonly line?: LineEnds | undefined;
  /** Null: no language model is connected. */
  readonly llm: Llm | null;
  /** For an agent whose replies come from the server of a partner; null: there are none. */
  readonly customLlm?: CallOnCustomLlm | null;
  /** Null, or absent: nothing is found, as in simulations. */
  readonly knowledge?: Knowledge | null;
  /** The transcript so far. */
  readonly history: () => readonly ModelTurn[];
  /** What the agent was told during the call, in order. */
  readonly contexts?: () => readonly string[];
  /** A route of a flow that the conversation takes. */
  readonly onRoute?: ((skill: string, route: string) => void) | undefined;
  /** What `state` of the engine returned earlier in the same call. */
  readonly state?: unknown;
}

/** How a call reaches the server that replies in it, and what the server is told about it. */
export interface CallOnCustomLlm {
  readonly connections: LlmConnections;
  readonly call: Pick<CallDetails, 'call_id' | 'call_type'>;
}

export type NewEngine = (facts: EngineFacts) => Engine;

/** The engine of an agent, for each of its calls. What all calls share, such as the compiled flow, is made once. */
export function prepareEngine(agent: Agent, hasModel: boolean): NewEngine {
  const { language, responseEngine } = agent;
  const { model = '', prompt = '' } = responseEngine;
  const engine = engineFor(agent, hasModel);
  if (engine === 'flow') return prepareFlow(agent);
  if (engine === 'prompt') return preparePrompt(agent, prompt);
  if (engine === 'custom_llm') return prepareCustomLlm(agent);
  if (model === knowledgeTestModel) {
    return (facts) => createKnowledgeTestEngine({ language, lookup: lookupOf(agent, facts), state: facts.state });
  }
  const testModel = testModels.find((name) => name === model) as TestModel | undefined;
  if (testModel === undefined) return ({ state }) => createRehearsalEngine({ language, state });
  return ({ clock, state }) => createTestEngine({ model: testModel, prompt, language, clock, state });
}

function prepareFlow(agent: Agent): NewEngine {
  const { language, beginMessage, startSkillId } = agent;
  const flow = compileFlow(flowOf(agent), { language, startSkillId, timeZone: timeZoneOf(agent) });
  const shared = modelParts(agent);
  return (facts) => {
    const { llm, variables, defaults, time, isPhone } = facts;
    const named = { ...defaults, ...variables };
    const globalPrompt = (warn: Warn) =>
      fill(agent.agentGlobalPrompt ?? '', (name) => named[name], warn, roomBesides());
    const callStart = { ...shared.callStart, now: facts.startedAt };
    const tools = isPhone === true ? [...shared.tools, ...shared.phoneTools] : shared.tools;
    const lookup = lookupOf(agent, facts);
    const knowledge = lookup && new ModelKnowledge(lookup);
    const model = llm && createFlowModel({ ...facts, ...shared, tools, llm, globalPrompt, callStart, knowledge });
    return createFlowEngine({
      ...facts,
      flow,
      beginMessage,
      now: time,
      agentVariables: defaults,
      answers: lookup && new Answers(lookup),
      ...(model && { model }),
    });
  };
}

function preparePrompt(agent: Agent, prompt: string): NewEngine {
  const globalPrompt = agent.agentGlobalPrompt ?? '';
  const { callStart, phoneTools, ...shared } = modelParts(agent);
  return (facts) => {
    const { llm, startedAt, defaults, isPhone } = facts;
    if (llm === null) throw new TypeError('A prompt needs a language model.');
    const ownStart = { ...callStart, now: startedAt };
    const lookup = lookupOf(agent, facts);
    return createPromptEngine({
      ...facts,
      ...shared,
      tools: isPhone === true ? [...shared.tools, ...phoneTools] : shared.tools,
      llm,
      globalPrompt,
      prompt,
      callStart: ownStart,
      knowledge: lookup && new ModelKnowledge(lookup),
      agentVariables: defaults,
    });
  };
}

/** Without a way to the server, which is so in simulations without a recording, it only rehearses. */
function prepareCustomLlm(agent: Agent): NewEngine {
  const { language, id, version, agentGlobalPrompt } = agent;
  const ownVariables = agentVariables(agent);
  return ({ customLlm, clock, variables, defaults, metadata = {}, isSpoken, line, history, state }) => {
    if (customLlm == null) return createRehearsalEngine({ language, state });
    const named = { ...defaults, ...variables };
    const warnings: { readonly code: string; readonly message: string }[] = [];
    const warn: Warn = (code, message) => warnings.push({ code, message });
    const prompt = agentGlobalPrompt && fill(agentGlobalPrompt, (name) => named[name], warn, roomBesides());
    return new CustomLlmEngine({
      clock,
      connections: customLlm.connections,
      language,
      isSpoken,
      call: {
        ...customLlm.call,
        agent_id: id,
        agent_version: version,
        metadata,
        agent_global_prompt: prompt ?? null,
        ...(line && { from_number: line.from, to_number: line.to, direction: line.direction }),
      },
      variables: { ...ownVariables, ...variables },
      warnings,
      history,
      state,
    });
  };
}

/** Null if the agent has no knowledge bases. */
function lookupOf(agent: Agent, { knowledge = null, clock, history }: EngineFacts): LookupOptions | null {
  const settings = knowledgeSettingsOf(agent);
  return settings && { knowledge, settings, clock, history };
}

function modelParts(agent: Agent) {
  const { responseEngine, agentSettings, language } = agent;
  const { llm = {} } = (agentSettings ?? {}) as { readonly llm?: LlmSettings };
  const { temperature, maxTokens, reasoningEffort, fallbackModels } = llm;
  const parameters: LlmParameters = { model: responseEngine.model ?? '', temperature, maxTokens, reasoningEffort };
  const callStart = { timeZone: timeZoneOf(agent), language };
  return { parameters, fallbackModels, tools: toolsOf(agent), phoneTools: phoneToolsOf(agent), callStart };
}
