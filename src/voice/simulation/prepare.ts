import type { Agent } from '../../contract/agent.ts';
import type { Flow } from '../../contract/agent-settings/flow.ts';
import type { SimulationScript } from '../../contract/simulation-script.ts';
import type { Step } from '../../contract/simulation-steps.ts';
import { testModels } from '../../contract/test-models.ts';
import { epochOf } from '../calendar.ts';
import type { Clock } from '../clock.ts';
import { engineFor } from '../engines/choose.ts';
import type { Engine, Variables } from '../engines/engine.ts';
import { compileFlow } from '../engines/flow/compile.ts';
import { createFlowEngine } from '../engines/flow/engine.ts';
import { createRehearsalEngine } from '../engines/rehearsal.ts';
import { createTestEngine, type TestModel } from '../engines/test-models.ts';
import { agentVariables, policyOf } from '../policy.ts';
import { isJapanese } from '../text/language.ts';
import { compilePronunciation } from '../text/pronunciation.ts';
import { createSpeakableStage } from '../text/speakable.ts';
import { builtInVariables, fill } from '../text/variables.ts';
import type { Simulation } from './simulation.ts';

/** A Monday morning in Tokyo: without a time of its own, every run of a script is the same. */
const defaultNow = '2026-01-05T01:00:00Z';
/** The same in milliseconds since 1970. */
export const defaultStart = epochOf(defaultNow);
/** A recognizer at the usual distance. */
const recognizer = { hasPartials: true, waitMs: 1000, hasEcho: false };

/** Whether the agent needs a model, which a simulation does not call. */
export function needsModel(agent: Agent): boolean {
  const engine = engineFor(agent, true);
  if (engine !== 'flow') return engine !== 'test';
  const { skills } = flowOf(agent);
  return skills.some((skill) => skill.type === 'prompt' || (skill.type === 'choose' && skill.by === 'model'));
}

export function prepareSimulation(agent: Agent, script: SimulationScript, steps: readonly Step[]): Simulation {
  const { language } = agent;
  const now = epochOf(script.now ?? defaultNow);
  const isFlow = engineFor(agent, false) === 'flow';
  const timeZone = timeZoneOf(agent);
  const defaults = {
    ...builtInVariables({ now, timeZone, language, callId: 'call_simulated', agentName: agent.name }),
    ...agentVariables(agent),
  };
  const variables = script.variables ?? {};
  const named = { ...defaults, ...variables };
  const filled = {
    ...agent,
    beginMessage:
      agent.beginMessage &&
      fill(
        agent.beginMessage,
        (name) => named[name],
        () => {},
      ),
  };
  const { turn, speechRate } = policyOf(filled, { isChat: false, isFlow, recognizer });
  const pronounce = compilePronunciation(agent.pronunciationDictionary ?? []);
  return {
    steps,
    tools: script.tools ?? {},
    noise: script.noise ?? 0,
    policy: turn,
    language,
    speed: speechRate.speed,
    newStages: () => [createSpeakableStage(language), pronounce],
    newEngine: newEngineOf(agent, isFlow, { now, timeZone, variables, defaults }),
  };
}

interface CallFacts {
  readonly now: number;
  readonly timeZone: string;
  readonly variables: Variables;
  readonly defaults: Variables;
}

function newEngineOf(agent: Agent, isFlow: boolean, facts: CallFacts): (clock: Clock) => Engine {
  const { language, responseEngine, beginMessage, startSkillId } = agent;
  if (isFlow) {
    const flow = compileFlow(flowOf(agent), { language, startSkillId, timeZone: facts.timeZone });
    return (clock) =>
      createFlowEngine({
        flow,
        beginMessage,
        now: () => facts.now + clock.now(),
        variables: facts.variables,
        agentVariables: facts.defaults,
      });
  }
  const { model = '', prompt = '' } = responseEngine;
  const testModel = testModels.find((name) => name === model) as TestModel | undefined;
  if (testModel === undefined) return () => createRehearsalEngine({ language });
  return (clock) => createTestEngine({ model: testModel, prompt, language, clock });
}

function flowOf(agent: Agent): Flow {
  return (agent.agentSettings as { readonly flow: Flow }).flow;
}

function timeZoneOf({ agentSettings, language }: Agent): string {
  const { timeZone } = (agentSettings ?? {}) as { readonly timeZone?: string };
  return timeZone ?? (isJapanese(language) ? 'Asia/Tokyo' : 'UTC');
}
