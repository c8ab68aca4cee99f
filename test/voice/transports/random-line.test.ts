import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeMulaw, encodeMulaw } from '../../../src/voice/audio/g711.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { PhoneLine } from './phone-line.ts';

const utterances = [1, 2, 3];
/** Each utterance has a sample of its own, so that its audio is known from any other. */
const codeOf = (utterance: number) => 0x10 * utterance;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('say' as const),
      of: fc.constantFrom(...utterances),
      ms: fc.integer({ min: 1, max: 400 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('wait' as const),
      of: fc.constant(0),
      ms: fc.integer({ min: 1, max: 500 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('clear' as const),
      of: fc.constantFrom(...utterances),
      ms: fc.constant(0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('keys' as const), of: fc.constant(0), ms: fc.constant(0) }) },
);

describe('Whatever is said and cleared on a line', () => {
  it('no more is reported as played than was, and in the end everything that was not cleared', () => {
    const scripts = fc.array(step, { maxLength: 40 });
    fc.assert(
      fc.property(scripts, fc.constantFrom(0, 10, 80), (steps, networkMs) => {
        const clock = new VirtualClock();
        const line = new PhoneLine(clock, { networkMs });
        line.start();
        clock.advance(2 * networkMs + 1);
        const reported = new Map(utterances.map((utterance) => [utterance, 0]));
        const playedOf = (utterance: number) => {
          const sample = decodeMulaw(Uint8Array.of(codeOf(utterance)))[0];
          return line.played.filter((each) => each === sample).length;
        };
        line.listen({
          played: (utterance, samples) => {
            assert.ok(samples >= (reported.get(utterance) as number), 'reports go back');
            reported.set(utterance, samples);
          },
        });
        const sent = new Map<number, number>();
        const cleared = new Set<number>();
        for (const { act, of, ms } of steps) {
          if (act === 'wait') clock.advance(ms);
          if (act === 'keys') line.stream.pressKeys('1');
          if (act === 'clear') {
            line.stream.clear(of);
            cleared.add(of);
          }
          if (act === 'say' && !cleared.has(of)) {
            if (!sent.has(of)) line.stream.speech(of, 0);
            line.stream.audio(of, decodeMulaw(Buffer.alloc(ms * 8, codeOf(of))));
            sent.set(of, (sent.get(of) ?? 0) + ms * 8);
          }
          for (const [utterance, samples] of reported) assert.ok(samples <= playedOf(utterance));
        }
        clock.advance(60_000);
        for (const [utterance, samples] of sent) {
          if (!cleared.has(utterance)) assert.equal(reported.get(utterance), samples);
          assert.ok((reported.get(utterance) as number) <= playedOf(utterance));
        }
        assert.ok(!line.log.some((entry) => entry.startsWith('1008')));
      }),
      { numRuns: 300 },
    );
  });
});

describe('Whatever a socket receives', () => {
  it('never throws, and breaks a rule at most once', () => {
    const valid = {
      event: 'media',
      media: { track: 'inbound', chunk: '1', timestamp: '0', payload: '/////w==' },
      streamSid: 'MZ1',
    };
    const text = JSON.stringify(valid);
    const frame = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .tuple(fc.nat(text.length), fc.nat(8), fc.string({ maxLength: 4 }))
        .map(([at, length, other]) => text.slice(0, at) + other + text.slice(at + length)),
      fc
        .record({
          event: fc.constantFrom('media', 'mark', 'dtmf', 'start', 'stop', 'connected'),
          media: fc.anything(),
          mark: fc.anything(),
          start: fc.anything(),
          dtmf: fc.anything(),
        })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 20 }), fc.boolean(), (frames, isStarted) => {
        const clock = new VirtualClock();
        const line = new PhoneLine(clock);
        if (isStarted) line.start();
        line.listen({ audio: (samples) => assert.ok(encodeMulaw(samples).length <= 80_000) });
        for (const each of frames) line.stream.receive(each);
        clock.advance(100);
        assert.ok(line.log.filter((entry) => entry.startsWith('1008')).length <= 1);
      }),
      { numRuns: 1000 },
    );
  });
});
