import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import { readAgentFile } from '../../../src/cli/as-code/agent-file.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import type { SimulationScript } from '../../../src/contract/simulations/script.ts';
import { parseSteps } from '../../../src/contract/simulations/steps.ts';
import { prepareSimulation } from '../../../src/voice/simulation/prepare.ts';
import { type RunResult, runSimulation } from '../../../src/voice/simulation/simulation.ts';
import { type Fault, FaultyPorts, faults } from './port-faults.ts';

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');

function prepared(example: string): (ports: FaultyPorts) => RunResult {
  const folder = join(examples, example);
  const { content } = readAgentFile('agent.yaml', readFileSync(join(folder, 'agent.yaml')), 'yaml');
  const script = parse(readFileSync(join(folder, 'simulations', 'happy-path.yaml'), 'utf8')) as SimulationScript;
  // What the caller does, and in the end they wait until the call is over.
  const lines = [...script.steps.filter((line) => !line.startsWith('expect')), 'pause 3600000ms'];
  const { steps } = parseSteps(lines);
  const simulation = prepareSimulation(agentWith(content as Partial<Agent>), script, steps);
  return (ports) => runSimulation({ ...simulation, intercept: ports }, 1);
}

/** How a call may end after a fault, besides the ends that it may have anyway. */
const fatal: Partial<Record<Fault, string>> = {
  // A tool call that never arrives stays open, and the replies after it wait for its result until they fail.
  'the engine stops halfway': 'llm_failed',
  'no voice can say it': 'tts_failed',
  'the voice sends no audio': 'tts_failed',
  'the recognizer fails': 'stt_failed',
  'the transport is lost': 'caller_disconnected',
};
const usual = ['agent_hangup', 'silence_timeout', 'max_duration'];

describe('A port that fails or stalls at any event', () => {
  for (const example of ['salon', 'opening-hours', 'survey']) {
    const run = prepared(example);
    for (const fault of faults) {
      it(`${example}: ${fault}`, () => {
        const counted = new FaultyPorts(fault, -1);
        assert.equal(run(counted).failure, null, 'without the fault');
        const total = counted.count;
        if (!fault.includes('tool') || example === 'salon') assert.ok(total > 0, 'the port is used');
        for (let at = 0; at < total; at += 1) {
          const { failure, endReason } = run(new FaultyPorts(fault, at));
          // A broken invariant fails a run: dead air, a state without an exit, a call that never ends …
          assert.equal(failure, null, `event ${at} of ${total}: ${failure?.saw}`);
          const expected = fatal[fault] === undefined ? usual : [fatal[fault], ...usual];
          assert.ok(
            endReason !== null && expected.includes(endReason),
            `event ${at} of ${total}: ended by ${endReason}`,
          );
        }
      });
    }
  }
});
