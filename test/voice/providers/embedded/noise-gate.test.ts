import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { levelDetector } from '../../../../src/voice/providers/embedded/detection/level-detector.ts';
import { NoiseGate } from '../../../../src/voice/providers/embedded/noise-gate.ts';

const rate = 16_000;

suite('the energy gate', () => {
  test('withholds silence, and passes sound on with what surrounds it, without a gap', () => {
    const { positions, closed } = pass([...quiet(2), ...loud(1), ...quiet(2)]);
    const [first = 0] = positions;
    const last = positions.at(-1) ?? 0;
    assert.equal(first, 1.7 * rate);
    assert.equal(last + 320, 3.5 * rate);
    assert.equal(positions.length, (last - first) / 320 + 1);
    assert.deepEqual(closed, [3.5 * rate]);
  });

  test('passes the same frames whatever the size of the writes', () => {
    const samples = [...quiet(1), ...loud(0.5), ...quiet(1), ...loud(0.1), ...quiet(1)];
    const { positions } = pass(samples);
    for (const size of [1, 100, 320, 4000]) assert.deepEqual(pass(samples, size).positions, positions);
  });

  test('withholds steady noise once it is known, and passes on sound as loud as the noise', () => {
    const noise = tone(300, 6, 97);
    const both = tone(300, 1, 97).map((sample, index) => sample + 300 * Math.sin(index / 7));
    const { positions, closed } = pass([...noise, ...both, ...noise]);
    assert.equal(positions[0], 0);
    const [end = 0] = closed;
    assert.ok(end < 4 * rate, 'the noise is withheld after some seconds');
    const second = positions.find((position) => position > 5 * rate) ?? 0;
    assert.ok(second > 5.6 * rate && second < 6 * rate, 'the sound is passed on with its beginning');
  });

  test('without a model any sound counts as speech, at the places of the sound', () => {
    const events: [string, number][] = [];
    let written = 0;
    const detector = levelDetector.open(rate, {
      start: (ago) => events.push(['start', written - ago]),
      end: (ago) => events.push(['end', written - ago]),
    });
    const samples = Int16Array.from([...quiet(1), ...loud(0.5), ...quiet(1)]);
    for (let start = 0; start < samples.length; start += 320) {
      written += 320;
      detector.write(samples.subarray(start, start + 320));
    }
    detector.close();
    assert.deepEqual(events, [
      ['start', rate],
      ['end', 1.5 * rate],
    ]);
  });
});

function pass(samples: readonly number[], size = 320) {
  const positions: number[] = [];
  const closed: number[] = [];
  const gate = new NoiseGate(rate, {
    pass: (_, position) => positions.push(position),
    closed: () => closed.push((positions.at(-1) ?? 0) + 320),
  });
  const all = Int16Array.from(samples);
  for (let start = 0; start < all.length; start += size) gate.write(all.subarray(start, start + size));
  return { positions, closed };
}

function quiet(seconds: number): number[] {
  return Array.from({ length: seconds * rate }, () => 0);
}

function loud(seconds: number): number[] {
  return tone(5000, seconds, 11);
}

function tone(amplitude: number, seconds: number, period: number): number[] {
  return Array.from({ length: seconds * rate }, (_, index) => amplitude * Math.sin(index / period));
}
