import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callLatency, distribution, latencyOf, noTimes } from '../../src/voice/latency.ts';
import { runSimulation } from '../../src/voice/simulation/simulation.ts';
import { echo, simulate, simulationOf } from './simulated-call.ts';

describe('The latency of a turn', () => {
  it('is divided into the wait on purpose, the model, the voice, and our own', () => {
    const times = { ...noTimes(), speechEnd: 1000, vadEnd: 1100, sttFinal: 1190, request: 1300, firstToken: 1650 };
    assert.deepEqual(latencyOf({ ...times, ttsRequest: 1655, firstFrameSent: 1780 }, false), {
      e2eMs: 780,
      endpointingMs: 300,
      sttMs: 90,
      knowledgeMs: null,
      llmFirstTokenMs: 350,
      ttsFirstAudioMs: 125,
      ownMs: 5,
    });
  });

  it('is null without an observed start', () => {
    assert.equal(latencyOf({ ...noTimes(), request: 10, firstToken: 20, firstFrameSent: 30 }, false), null);
    const { turns } = simulate({ ...echo, beginMessage: 'Hello.', reminderTriggerMs: 1000 }, [
      'expect agent says /Hello/',
      'expect agent says /still there/',
    ]);
    assert.deepEqual(
      turns.map(({ latency }) => latency),
      [null, null],
    );
  });

  it('ends with the sentence that tells the caller to wait', () => {
    const flow = {
      skills: [
        { id: 'ask', type: 'ask', text: 'Yes?', variable: 'x', as: 'text', next: 'look', otherwise: 'bye' },
        { id: 'look', type: 'tool', tool: 'look', arguments: {}, say: 'Let me look.', next: 'bye', otherwise: 'bye' },
        { id: 'bye', type: 'end', text: 'Here it is.' },
      ],
    };
    const fields = {
      beginMessage: null,
      responseEngine: { type: 'conversation_flow' },
      agentSettings: { flow },
    } as const;
    const simulation = simulationOf(fields, ['say "My order, please."', 'expect agent says /Here/']);
    const { turns, failure } = runSimulation({ ...simulation, tools: { look: { result: {}, delayMs: 8000 } } }, 1);
    assert.equal(failure, null);
    const reply = turns.at(-1);
    const waiting = turns.find(({ source }) => source === 'waiting');
    const caller = turns.find(({ role }) => role === 'caller');
    assert.equal(reply?.latency?.e2eMs, (waiting?.startMs ?? 0) - (caller?.endMs ?? 0));
    assert.ok((reply?.startMs ?? 0) - (caller?.endMs ?? 0) > 8000);
  });
});

describe('The latency of a call', () => {
  it('has percentiles by nearest rank', () => {
    assert.equal(distribution([]), null);
    assert.deepEqual(distribution([40, 10, 30, 20]), {
      p50: 20,
      p90: 40,
      p95: 40,
      p99: 40,
      min: 10,
      max: 40,
      count: 4,
    });
  });

  it('counts every agent turn, and measures those that have a latency', () => {
    const { turns } = simulate({ ...echo, beginMessage: 'Hello.' }, [
      'say "One."',
      'say "Two."',
      'expect agent says /Two/',
    ]);
    const summary = callLatency(turns);
    assert.deepEqual([summary?.turns, summary?.e2eMs?.count, summary?.knowledgeMs], [3, 2, null]);
    assert.equal(callLatency([]), null);
  });
});
