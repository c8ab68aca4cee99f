import { agentWith } from '../../campaigns/voice/random-agent.ts';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { parseSteps } from '../../src/contract/simulations/steps.ts';
import { policyOf } from '../../src/voice/policy.ts';
import { prepareSimulation } from '../../src/voice/simulation/prepare.ts';
import { type RunResult, runSimulation, type Simulation } from '../../src/voice/simulation/simulation.ts';
import type { TurnPolicy } from '../../src/voice/turn/events.ts';

export const recognizer = { hasPartials: true, waitMs: 1000, hasEcho: false };

export function turnPolicy(fields: Partial<Agent>): TurnPolicy {
  return policyOf(agentWith(fields), { isChat: false, isFlow: false, recognizer }).turn;
}

export function simulationOf(fields: Partial<Agent>, lines: readonly string[]): Simulation {
  const { steps, issues } = parseSteps(lines);
  if (issues.length > 0) throw new Error(JSON.stringify(issues));
  return prepareSimulation(agentWith(fields), { steps: [...lines] }, steps);
}

/** Runs a script with an agent of these fields. A failed expectation is an error. */
export function simulate(fields: Partial<Agent>, lines: readonly string[], seed = 1): RunResult {
  const result = runSimulation(simulationOf(fields, lines), seed);
  if (result.failure !== null) {
    const { step, expected, saw } = result.failure;
    throw new Error(`step ${step}: expected ${expected}, saw ${saw}`);
  }
  return result;
}

/** A model that repeats the caller's words: what an agent needs to answer. */
export const echo = { responseEngine: { type: 'single_prompt', model: 'test-echo' } } as const;
