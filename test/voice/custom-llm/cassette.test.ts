import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import { cassette as cassetteSchema } from '../../../src/contract/simulations/cassette.ts';
import { parseSteps } from '../../../src/contract/simulations/steps.ts';
import { prepareSimulation, socketOn } from '../../../src/voice/simulation/prepare.ts';
import { runSimulation } from '../../../src/voice/simulation/simulation.ts';
import { recordExchanges } from '../../../src/voice/simulation/socket-cassette.ts';
import { echoServer, ServerDouble } from './server-double.ts';

const agent = agentWith({
  responseEngine: { type: 'custom_llm', llmWebsocketUrl: 'wss://llm.example.com/agent' },
  language: 'en',
  beginMessage: null,
});
const script = (words: string) => ({
  steps: ['expect agent says /Hello/', `say "${words}"`, 'expect agent says /You said/'],
});

function record() {
  let exchanges = () => [] as ReturnType<ReturnType<typeof recordExchanges>['exchanges']>;
  const { steps } = parseSteps(script('A table please.').steps);
  const simulation = prepareSimulation(agent, script('A table please.'), steps, null, (clock) => {
    const server = new ServerDouble(clock, {
      ...echoServer(),
      received: (frame, double) => {
        // A server with a secret in what it says, and some time to think.
        clock.after(700, () => echoServer(null).received(frame, double));
        if (frame.interaction_type === 'response_required') {
          double.send({ response_type: 'metadata', metadata: 'Bearer abcdefghijklmnop' });
        }
      },
    });
    const recorder = recordExchanges(server.open, clock);
    exchanges = recorder.exchanges;
    return recorder.open;
  });
  const result = runSimulation(simulation, 1);
  return { result, cassette: { version: 1 as const, replies: [], exchanges: exchanges() } };
}

test('what a server sent is recorded and replayed with its timing, in the same conversation', () => {
  const { result, cassette } = record();
  assert.equal(result.failure, null);
  const stored = cassetteSchema.parse(JSON.parse(JSON.stringify(cassette)));
  assert.deepEqual(
    stored.exchanges?.map(({ request }) => request),
    ['connect', 'response_required'],
  );
  assert.ok(!JSON.stringify(stored).includes('abcdefghijklmnop'), 'no secret is recorded');
  const { steps } = parseSteps(script('A table please.').steps);
  const replayed = runSimulation(prepareSimulation(agent, script(''), steps, null, socketOn(stored)), 1);
  assert.equal(replayed.failure, null);
  assert.deepEqual(
    replayed.turns.map(({ text }) => text),
    result.turns.map(({ text }) => text),
  );
  const [recordedAt, replayedAt] = [result, replayed].map(({ turns }) => turns.at(-1)?.latency?.llmFirstTokenMs);
  assert.ok(Math.abs((recordedAt ?? 0) - (replayedAt ?? 0)) <= 10, `${recordedAt} and ${replayedAt}`);
});

test('another conversation is a named miss', () => {
  const { cassette } = record();
  const { steps } = parseSteps(script('Two tables please.').steps);
  const { failure } = runSimulation(prepareSimulation(agent, script(''), steps, null, socketOn(cassette)), 1);
  assert.match(failure?.saw ?? '', /no recorded response to "Two tables please\.": the conversation differs/);
});

test('a server that hangs up by closing the connection does so in the replay', () => {
  const steps = ['say "That is all."', 'expect agent says /Goodbye/', 'expect end agent_hangup'];
  const parsed = parseSteps(steps).steps;
  let exchanges = () => [] as ReturnType<ReturnType<typeof recordExchanges>['exchanges']>;
  const live = prepareSimulation(agent, { steps }, parsed, null, (clock) => {
    const server = new ServerDouble(clock, {
      received: ({ interaction_type: type, response_id }, double) => {
        if (type !== 'response_required') return;
        double.respond(response_id, 'Goodbye.');
        clock.after(50, () => double.leave(1000));
      },
    });
    const recorder = recordExchanges(server.open, clock);
    exchanges = recorder.exchanges;
    return recorder.open;
  });
  assert.equal(runSimulation(live, 1).failure, null);
  const stored = cassetteSchema.parse({ version: 1, replies: [], exchanges: exchanges() });
  assert.deepEqual(stored.exchanges?.at(-1)?.closed?.code, 1000);
  const replayed = runSimulation(prepareSimulation(agent, { steps }, parsed, null, socketOn(stored)), 1);
  assert.deepEqual([replayed.failure, replayed.endReason], [null, 'agent_hangup']);
});
