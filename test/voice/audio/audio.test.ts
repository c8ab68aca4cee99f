import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGain } from '../../../src/voice/audio/gain.ts';
import { level } from '../../../src/voice/audio/level.ts';
import { bytesOf, samplesOf } from '../../../src/voice/audio/pcm.ts';
import { wavHeader } from '../../../src/voice/audio/wav.ts';
import { tone } from '../spoken/tones.ts';

describe('PCM', () => {
  it('is little-endian, and a view of the bytes where they are aligned', () => {
    const bytes = Uint8Array.of(0x01, 0x00, 0xff, 0xff, 0x00, 0x80);
    assert.deepEqual([...samplesOf(bytes)], [1, -1, -32_768]);
    assert.equal(samplesOf(bytes).buffer, bytes.buffer);
    assert.deepEqual([...bytesOf(Int16Array.of(1, -1, -32_768))], [...bytes]);
  });

  it('reads a frame at an odd offset, and drops half a sample at its end', () => {
    const bytes = Uint8Array.of(9, 0x01, 0x00, 0xff, 0xff, 7);
    assert.deepEqual([...samplesOf(bytes.subarray(1))], [1, -1]);
    // The slices of a Buffer are views of the whole memory around it.
    assert.deepEqual([...samplesOf(Buffer.from(bytes).subarray(1))], [1, -1]);
  });
});

describe('Gain', () => {
  it('passes the samples as they are at 1, and is silence at 0', () => {
    const samples = tone(320, 0.5);
    assert.equal(createGain(1)(samples), samples);
    assert.equal(level(createGain(0)(samples)), 0);
  });

  it('changes the level in proportion, and leaves its input alone', () => {
    const samples = tone(3200, 0.3);
    const before = level(samples);
    assert.ok(Math.abs(level(createGain(0.5)(samples)) / before - 0.5) < 0.001);
    assert.ok(Math.abs(level(createGain(2)(samples)) / before - 2) < 0.001);
    assert.equal(level(samples), before);
  });

  it('compresses what would be too loud instead of cutting it off', () => {
    const gain = createGain(2);
    const loud = gain(Int16Array.of(12_000, 16_000, 20_000, 30_000, -30_000));
    assert.equal(loud[0], 24_000);
    for (const sample of loud) assert.ok(Math.abs(sample) <= 32_767);
    assert.ok((loud[1] as number) < (loud[2] as number) && (loud[2] as number) < (loud[3] as number));
    assert.equal(loud[4], -(loud[3] as number));
  });
});

describe('The WAV header', () => {
  it('has the sizes, the rate and the channels', () => {
    const view = new DataView(wavHeader(16_000, 2, 640).buffer);
    const text = (at: number) => String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)));
    assert.deepEqual([text(0), text(8), text(12), text(36)], ['RIFF', 'WAVE', 'fmt ', 'data']);
    assert.deepEqual([view.getUint32(4, true), view.getUint32(40, true)], [676, 640]);
    assert.deepEqual(
      [view.getUint16(22, true), view.getUint32(24, true), view.getUint32(28, true)],
      [2, 16_000, 64_000],
    );
  });
});
