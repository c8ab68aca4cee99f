import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Resampler, resampled } from '../../../src/voice/audio/resample.ts';

const rates = [8000, 16_000, 22_050, 24_000, 44_100, 48_000];

suite('resampling', () => {
  for (const from of rates) {
    for (const to of rates) {
      test(`keeps a sine of 1 kHz from ${from} to ${to} samples per second`, () => {
        const output = resampled(sine(1000, from, 0.5), from, to);
        assert.equal(output.length, Math.round(to / 2));
        const expected = sine(1000, to, 0.5);
        const edge = Math.round(to / 50);
        for (let index = edge; index < output.length - edge; index++) {
          const difference = Math.abs((output[index] as number) - (expected[index] as number));
          assert.ok(difference < 30, `sample ${index} differs by ${difference}`);
        }
      });
    }
  }

  test('removes what the lower rate cannot hold, instead of folding it back', () => {
    for (const [from, to, frequency] of [
      [48_000, 16_000, 9000],
      [48_000, 16_000, 15_000],
      [24_000, 16_000, 9000],
      [16_000, 8000, 5000],
      [44_100, 16_000, 10_000],
    ] as const) {
      const level = rms(middle(resampled(sine(frequency, from, 0.5), from, to)));
      assert.ok(level < 10, `${frequency} Hz from ${from} to ${to} leaves ${level}`);
    }
  });

  test('adds nothing above the old band when the rate rises', () => {
    const expected = 10_000 / Math.SQRT2;
    // Up to the end of the band of a phone.
    for (const frequency of [300, 1000, 2000, 3000, 3300]) {
      for (const to of [16_000, 48_000]) {
        const output = middle(resampled(sine(frequency, 8000, 0.5), 8000, to));
        assert.ok(Math.abs(rms(output) - expected) < 0.01 * expected, `${frequency} Hz`);
        const image = amplitudeAt(output, 8000 - frequency, to);
        assert.ok(image < 10, `${frequency} Hz has an image of ${image} at ${to} samples per second`);
      }
    }
  });

  test('keeps the samples that it has when the rate is doubled', () => {
    const input = sine(700, 8000, 0.2);
    const output = resampled(input, 8000, 16_000);
    assert.deepEqual(
      Int16Array.from(input, (_, index) => output[2 * index] as number),
      input,
    );
  });

  test('gives the same samples whatever the size of the chunks', () => {
    const input = sine(440, 48_000, 0.1);
    for (const [from, to] of [
      [48_000, 16_000],
      [16_000, 48_000],
      [44_100, 16_000],
      [16_000, 16_000],
    ] as const) {
      const whole = resampled(input, from, to);
      for (const size of [1, 7, 320, 4801]) {
        const resampler = new Resampler(from, to);
        const parts: number[] = [];
        for (let start = 0; start < input.length; start += size) {
          parts.push(...resampler.process(input.subarray(start, start + size)));
        }
        parts.push(...resampler.flush());
        assert.deepEqual(Int16Array.from(parts), whole, `${from} to ${to} in chunks of ${size}`);
      }
    }
  });

  test('limits samples to 16 bits instead of wrapping them', () => {
    const square = Int16Array.from({ length: 1600 }, (_, index) => (index % 40 < 20 ? 32_767 : -32_768));
    const output = resampled(square, 16_000, 48_000);
    // The filter overshoots at the edges; a wrapped sample would have the wrong sign in the middle of a plateau.
    for (let index = 600; index < 4000; index++) {
      const place = index % 120;
      if (place > 10 && place < 50) assert.ok((output[index] as number) > 20_000);
    }
  });

  test('an empty stream stays empty', () => {
    assert.equal(resampled(new Int16Array(0), 48_000, 16_000).length, 0);
  });
});

function sine(frequency: number, rate: number, seconds: number): Int16Array {
  return Int16Array.from({ length: Math.round(rate * seconds) }, (_, index) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * frequency * index) / rate)),
  );
}

function middle(samples: Int16Array): Int16Array {
  const edge = Math.round(samples.length / 10);
  return samples.subarray(edge, -edge);
}

function rms(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

function amplitudeAt(samples: Int16Array, frequency: number, rate: number): number {
  let real = 0;
  let imaginary = 0;
  samples.forEach((sample, index) => {
    const angle = (2 * Math.PI * frequency * index) / rate;
    real += sample * Math.cos(angle);
    imaginary += sample * Math.sin(angle);
  });
  return (2 * Math.hypot(real, imaginary)) / samples.length;
}
