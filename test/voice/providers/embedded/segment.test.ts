import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Segment } from '../../../../src/voice/providers/embedded/recognition/segment.ts';

const rate = 16_000;
const of = (seconds: number, level: number) => new Float32Array(seconds * rate).fill(level);
const quiet = (seconds: number) => of(seconds, 0.002);
const word = (seconds: number) => of(seconds, 0.5);

function segmentOf(...parts: readonly Float32Array[]): Segment {
  const segment = new Segment();
  for (const part of parts) segment.append(part, part[0] === 0.5);
  return segment;
}

/** What is heard, as [start of the sound, start of the words, end of the words, end] in seconds. */
function places(samples: Float32Array): number[] {
  const begin = samples.findIndex((sample) => sample !== 0);
  const words = samples.findIndex((sample) => sample > 0.1);
  const end = samples.findLastIndex((sample) => sample > 0.1) + 1;
  return [begin, words, end, samples.length].map((place) => place / rate);
}

suite('a segment of speech', () => {
  test('is given to the model without the noise before and after the words, and with silence instead', () => {
    const segment = segmentOf(quiet(0.6), word(1), quiet(0.8));
    assert.deepEqual(places(segment.take()), [0.3, 0.42, 1.42, 1.62]);
    assert.deepEqual(places(segment.takeAgain()), [0.1, 0.22, 1.22, 1.42]);
  });

  test('keeps everything between two words', () => {
    assert.deepEqual(places(segmentOf(word(0.5), quiet(2), word(0.5)).take()), [0.3, 0.3, 3.3, 3.5]);
  });

  test('ends at the pause before a word that has begun already', () => {
    const segment = segmentOf(word(0.5), quiet(0.2), word(0.1));
    assert.equal(segment.takeRest().length, 0.1 * rate);
    assert.deepEqual(places(segment.take()), [0.3, 0.3, 0.8, 1]);
  });

  test('ends where it is if the caller is silent, does not pause, or there is only noise', () => {
    for (const parts of [[word(0.5), quiet(0.3)], [word(0.5)], [quiet(0.5)], []]) {
      assert.equal(segmentOf(...parts).takeRest().length, 0);
    }
  });

  test('has no words if all of them belong to the next one', () => {
    const segment = segmentOf(quiet(0.3), word(0.1));
    assert.ok(segment.hasWords);
    segment.takeRest();
    assert.ok(!segment.hasWords);
  });
});
