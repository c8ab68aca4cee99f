import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { callLatency, distribution, latencyOf, noTimes, type ReplyTimes } from '../../src/voice/latency.ts';
import { runSimulation } from '../../src/voice/simulation/simulation.ts';
import { seed } from '../support/seed.ts';
import { echo, simulate, simulationOf } from './simulated-call.ts';

describe('The latency of a turn', () => {
  it('is divided into stages that add up', () => {
    const usual = { speechEnd: 1000, vadEnd: 1100, sttFinal: 1190, request: 1300, firstToken: 1650 };
    const spoken = { ...noTimes(), ...usual, ttsRequest: 1655, firstFrameSent: 1780 };
    const cases: readonly [name: string, isChat: boolean, times: ReplyTimes, stages: readonly (number | null)[]][] = [
      ['a usual turn', false, spoken, [780, 210, 90, 350, 125, 5]],
      ['a slow recognizer delays the request', false, { ...spoken, sttFinal: 1300 }, [780, 100, 200, 350, 125, 5]],
      ['a wait that ended late', false, { ...spoken, waitEnd: 1250 }, [780, 160, 90, 350, 125, 55]],
      ['a wait that ended before the transcript', false, { ...spoken, waitEnd: 1150 }, [780, 100, 90, 350, 125, 115]],
      ['a transcript after the request', false, { ...spoken, sttFinal: 1500 }, [780, 100, 200, 350, 125, 5]],
      ['a transcript before the end of the sound', false, { ...spoken, sttFinal: null }, [780, 300, null, 350, 125, 5]],
      ['a detector that reports after the request', false, { ...spoken, vadEnd: 1400 }, [780, 300, 0, 350, 125, 5]],
      [
        'a model that is slow with its first sentence',
        false,
        { ...spoken, firstToken: 1400, firstSentence: 1652 },
        [780, 210, 90, 100, 125, 3],
      ],
      [
        'typed words in a spoken call',
        false,
        { ...spoken, vadEnd: null, sttFinal: null, request: 1000 },
        [780, 0, null, 650, 125, 5],
      ],
      ['the caller was told to wait first', false, { ...spoken, firstToken: 6000 }, [780, 210, 90, 355, 125, 0]],
      [
        'fractions',
        false,
        { ...spoken, vadEnd: 1100.4, sttFinal: 1190.6, request: 1300.5, firstToken: 1650.5, ttsRequest: 1655.4 },
        [780, 210, 91, 350, 125, 4],
      ],
      [
        'a chat',
        true,
        { ...noTimes(), speechEnd: 10.4, request: 12.6, firstToken: 90.2 },
        [80, null, null, 78, null, 2],
      ],
    ];
    for (const [name, isChat, times, [e2eMs, endpointingMs, sttMs, llmFirstTokenMs, ttsFirstAudioMs, ownMs]] of cases) {
      const latency = latencyOf(times, isChat);
      const expected = { e2eMs, endpointingMs, sttMs, knowledgeMs: null, llmFirstTokenMs, ttsFirstAudioMs, ownMs };
      assert.deepEqual(latency, expected, name);
    }
  });

  it('adds up whenever the times are', () => {
    const time = fc.option(fc.double({ min: 0, max: 10_000, noNaN: true }), { nil: null });
    const names = Object.keys(noTimes()) as (keyof ReplyTimes)[];
    const anyTimes = fc.record(
      Object.fromEntries(names.map((name) => [name, time])) as Record<keyof ReplyTimes, typeof time>,
    );
    fc.assert(
      fc.property(anyTimes, fc.boolean(), (times, isChat) => {
        const latency = latencyOf(times, isChat);
        fc.pre(latency !== null && latency.e2eMs !== null);
        const { e2eMs, ...stages } = latency;
        const { request, firstToken, firstSentence, ttsRequest } = times;
        // The rest of the first sentence of the model is in no stage.
        const isLate = !isChat && (firstSentence ?? 0) > Math.min(firstToken ?? 0, ttsRequest ?? 1e6, request ?? 1e6);
        const parts = Object.values(stages).map((ms) => ms ?? 0);
        assert.ok(
          parts.every((ms) => ms >= 0),
          JSON.stringify(latency),
        );
        const sum = parts.reduce((total, ms) => total + ms, 0);
        assert.ok(isLate ? sum <= e2eMs : sum === e2eMs, JSON.stringify({ times, latency }));
      }),
      { seed },
    );
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
    assert.deepEqual(distribution([10, 20, 30, 40].map((ms) => [ms, 1] as const)), {
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
