import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { agentWith } from '../campaigns/voice/random-agent.ts';
import { runRandomCall } from '../campaigns/voice/random-call.ts';
import { readAgentFile } from '../src/cli/as-code/agent-file.ts';
import type { Agent } from '../src/contract/agents/agent.ts';
import { flowSchema } from '../src/contract/agents/settings/flow.ts';
import type { SimulationScript } from '../src/contract/simulations/script.ts';
import { parseSteps } from '../src/contract/simulations/steps.ts';
import { compileFlow } from '../src/voice/engines/flow/compile.ts';
import { exploreFlow } from '../src/voice/engines/flow/explore.ts';
import { flowIssues } from '../src/voice/engines/flow/validate.ts';
import { prepareSimulation } from '../src/voice/simulation/prepare.ts';
import { runSimulation, type Simulation } from '../src/voice/simulation/simulation.ts';
import type { TurnEvent, TurnPolicy } from '../src/voice/turn/events.ts';
import { TurnMachine } from '../src/voice/turn/machine.ts';
import { compilePhrases } from '../src/voice/understanding/phrases.ts';
import { spokenTargets } from './spoken.ts';
import { atLeast, atMost, type Target } from './targets.ts';

const examples = join(import.meta.dirname, '..', 'examples');
const rounds = 5;
const roundMs = 1000;

/** Everything here runs on one core without I/O, so it is measured in processor time, which others do not use up. */
export function measureVoice(): readonly Target[] {
  const scripted = scriptedSimulation();
  const flows = exampleSimulations();
  return [
    atMost('turn machine, per event', machineMicroseconds(), 1, 'µs'),
    atLeast('simulated calls with scripted replies', perSecond([scripted]), 10_000, note([scripted]), '/s'),
    atLeast('simulated calls with a flow', perSecond(flows), 3000, note(flows), '/s'),
    ...largeFlowTargets(),
    ...spokenTargets((run) => best(run, 1)),
  ];
}

/** 200 skills with 50 phrases each. */
function largeFlowTargets(): Target[] {
  const skills = Array.from({ length: 200 }, (_, index) => ({
    id: `skill_${index}`,
    type: 'choose' as const,
    text: 'ご予約ですか、変更ですか。',
    routes: Array.from({ length: 5 }, (_, route) => ({
      when: Array.from({ length: 10 }, (_, phrase) => `予約を${route}の${phrase}でオネガイ ${index}`),
      next: `skill_${(index + 1) % 200}`,
    })),
    otherwise: `skill_${index}`,
  }));
  const context = { toolNames: [], variableNames: [], language: 'ja' };
  const prepare = () => {
    if (flowIssues({ skills }, context).errors.length > 0) throw new Error('the flow is not valid');
    return compileFlow(flowSchema.parse({ skills }), { language: 'ja' });
  };
  const all = compilePhrases(
    skills.flatMap(({ routes }) => routes.map(({ when }) => when)),
    'ja',
  );
  const sentence = 'はい、すみません、明日の午後三時の予約の変更をお願いしたいのですが';
  const exploring = { language: 'ja', now: Date.parse('2026-01-05T01:00:00Z') };
  const explored = flowSchema.parse({
    skills: [...skills.slice(0, 199), { id: 'skill_199', type: 'end', text: '以上です。' }],
  });
  return [
    atMost('flow of 200 skills and 10,000 phrases, validated and compiled', 1000 / best(prepare, 1), 100, 'ms'),
    atMost('a sentence matched against 10,000 phrases', 1000 / best(() => all.match(sentence)), 2, 'ms'),
    atMost('flow of 200 skills explored', 1000 / best(() => exploreFlow(explored, exploring), 1), 1000, 'ms'),
  ];
}

interface Recorded {
  readonly policy: TurnPolicy;
  readonly steps: readonly { readonly event: TurnEvent; readonly now: number }[];
}

/** The events of random calls, fed to the machine again, alone. */
function machineMicroseconds(): number {
  const calls: Recorded[] = [];
  for (let seed = 0; seed < 1000; seed += 1) {
    const steps: { event: TurnEvent; now: number }[] = [];
    const { policy } = runRandomCall(seed, {}, (event, now) => steps.push({ event, now }));
    calls.push({ policy, steps });
  }
  const events = calls.reduce((sum, { steps }) => sum + steps.length, 0);
  const replay = () => {
    for (const { policy, steps } of calls) {
      const machine = new TurnMachine(policy);
      for (const { event, now } of steps) machine.step(event, now);
    }
  };
  return 1e6 / (best(replay) * events);
}

/** An agent that says the lines of its prompt, and a caller who answers, coughs and interrupts. */
function scriptedSimulation(): Simulation {
  const lines = ['Which day would you like?', 'And at what time?', 'Thank you, your table is booked.', '[end]'];
  const agent = agentWith({
    beginMessage: 'Welcome to the restaurant.',
    responseEngine: { type: 'single_prompt', model: 'test-script', prompt: lines.join('\n') },
  });
  return simulationOf(agent, {
    steps: [
      'say "I would like to book a table."',
      'say "Tomorrow."',
      'cough 150ms',
      'say "At seven."',
      'say "Thanks."',
      'expect end agent_hangup',
    ],
  });
}

/** Every script of every example: short calls and long ones, in Japanese and in English. */
function exampleSimulations(): Simulation[] {
  return readdirSync(examples).flatMap((name) => {
    const folder = join(examples, name);
    if (!existsSync(join(folder, 'simulations'))) return [];
    const { content } = readAgentFile('agent.yaml', readFileSync(join(folder, 'agent.yaml')), 'yaml');
    const agent = agentWith(content as Partial<Agent>);
    return readdirSync(join(folder, 'simulations')).map((file) =>
      simulationOf(agent, parse(readFileSync(join(folder, 'simulations', file), 'utf8')) as SimulationScript),
    );
  });
}

function simulationOf(agent: Agent, script: SimulationScript): Simulation {
  return prepareSimulation(agent, script, parseSteps(script.steps).steps);
}

function perSecond(simulations: readonly Simulation[]): number {
  let seed = 0;
  const rate = best(() => {
    seed += 1;
    for (const simulation of simulations) {
      const { failure } = runSimulation(simulation, seed);
      if (failure !== null) throw new Error(`a simulation failed: ${failure.expected}, saw ${failure.saw}`);
    }
  });
  return rate * simulations.length;
}

/** Times a second of processor time, in the best of some rounds: the first ones run before the code is compiled. */
function best(run: () => void, batchSize = 20): number {
  let best = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    let times = 0;
    let usedMs = 0;
    while (usedMs < roundMs) {
      for (let batch = 0; batch < batchSize; batch += 1) run();
      times += batchSize;
      const { user, system } = process.cpuUsage(before);
      usedMs = (user + system) / 1000;
    }
    best = Math.max(best, (times / usedMs) * 1000);
  }
  return best;
}

function note(simulations: readonly Simulation[]): string {
  const turns = simulations.map((simulation) => runSimulation(simulation, 1).turns.length);
  const sum = turns.reduce((total, each) => total + each, 0);
  return `${(sum / turns.length).toFixed(1)} turns per call`;
}
