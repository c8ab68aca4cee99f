import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { level } from '../../../src/voice/audio/level.ts';
import { keyTone, waitingTone } from '../../../src/voice/audio/tones.ts';

const rate = 8000;

/** How much of the sound is of a frequency, from 0 to 1. */
function share(samples: Int16Array, frequency: number): number {
  let [real, imaginary, energy] = [0, 0, 0];
  for (const [index, sample] of samples.entries()) {
    real += sample * Math.cos((2 * Math.PI * frequency * index) / rate);
    imaginary += sample * Math.sin((2 * Math.PI * frequency * index) / rate);
    energy += sample * sample;
  }
  return (2 * (real ** 2 + imaginary ** 2)) / (samples.length * energy);
}

const rows = [697, 770, 852, 941];
const columns = [1209, 1336, 1477, 1633];
const keypad = ['123A', '456B', '789C', '*0#D'];

describe('Key tones', () => {
  it('have the two frequencies of the key for 100 ms, in equal parts, then silence for 100 ms', () => {
    for (const [row, keys] of keypad.entries()) {
      for (const [column, key] of [...keys].entries()) {
        const samples = keyTone(key, rate) as Int16Array;
        assert.equal(samples.length, 1600);
        const tone = samples.subarray(0, 800);
        assert.equal(level(samples.subarray(800)), 0);
        for (const frequency of [...rows, ...columns]) {
          const isOfKey = frequency === rows[row] || frequency === columns[column];
          const part = share(tone, frequency);
          assert.ok(isOfKey ? part > 0.45 && part < 0.55 : part < 0.02, `${key} ${frequency}: ${part}`);
        }
      }
    }
  });

  it('are loud, and never cut off', () => {
    for (const key of '0123456789ABCD*#') {
      const samples = keyTone(key, rate) as Int16Array;
      assert.ok(level(samples.subarray(0, 800)) > 0.25);
      assert.ok(samples.every((sample) => Math.abs(sample) < 32_000));
    }
  });

  it('are silence of 500 ms for w, and do not exist for anything else', () => {
    const pause = keyTone('w', rate) as Int16Array;
    assert.equal(pause.length, 4000);
    assert.equal(level(pause), 0);
    for (const key of ['', 'a', 'W', '12', '+', '１', 'constructor']) assert.equal(keyTone(key, rate), undefined);
  });
});

describe('The tone of a waiting caller', () => {
  it('is one quiet frequency for 200 ms', () => {
    const samples = waitingTone(rate);
    assert.equal(samples.length, 1600);
    assert.ok(share(samples, 440) > 0.97);
    assert.ok(level(samples) < 0.1);
  });
});
