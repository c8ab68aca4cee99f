import type { Agent } from '../../../src/contract/agents/agent.ts';
import type { Cassette } from '../../../src/contract/simulations/cassette.ts';
import type { SimulationScript } from '../../../src/contract/simulations/script.ts';
import { parseSteps } from '../../../src/contract/simulations/steps.ts';
import type { LlmRequest } from '../../../src/voice/llm.ts';
import { recordCassette } from '../../../src/voice/simulation/cassette.ts';
import { prepareSimulation } from '../../../src/voice/simulation/prepare.ts';
import { runSimulation } from '../../../src/voice/simulation/simulation.ts';
import { type ScriptedEvent, scriptedLlm } from './scripted-llm.ts';

/** Runs the agent on a model double, and returns what was asked and recorded. */
export function recorded(
  agent: Agent,
  script: SimulationScript,
  replyTo: (request: LlmRequest, count: number) => readonly ScriptedEvent[],
) {
  const requests: LlmRequest[] = [];
  let cassette: () => Cassette = () => ({ version: 1, replies: [] });
  const simulation = prepareSimulation(agent, script, parseSteps(script.steps).steps, (clock) => {
    const live = scriptedLlm(clock, (request) => {
      requests.push(request);
      return replyTo(request, requests.length);
    });
    const recorder = recordCassette(live, clock);
    cassette = recorder.cassette;
    return recorder.llm;
  });
  const result = runSimulation(simulation, 1);
  return { result, requests, cassette: cassette() };
}
