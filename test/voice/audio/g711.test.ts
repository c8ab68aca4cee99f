import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../src/voice/audio/g711.ts';
import { bytesOf } from '../../../src/voice/audio/pcm.ts';
import { allCodes, allSamples, decodedByFfmpeg } from './g711-reference.ts';

const laws = {
  mulaw: { decode: decodeMulaw, encode: encodeMulaw, digest: decodedByFfmpeg.mulaw },
  alaw: { decode: decodeAlaw, encode: encodeAlaw, digest: decodedByFfmpeg.alaw },
};

describe('G.711', () => {
  for (const [law, { decode, encode, digest }] of Object.entries(laws)) {
    it(`decodes all 256 codes of ${law} like ffmpeg`, () => {
      assert.equal(
        createHash('sha256')
          .update(bytesOf(decode(allCodes)))
          .digest('hex'),
        digest,
      );
    });

    it(`leaves audio that was ${law} before as it is`, () => {
      // The negative zero of mu-law becomes the positive one.
      const expected = [...allCodes].map((code) => (law === 'mulaw' && code === 0x7f ? 0xff : code));
      assert.deepEqual([...encode(decode(allCodes))], expected);
    });

    it(`encodes every sample in ${law} with an error of at most 1/16, and the larger one never as the smaller`, () => {
      const result = decode(encode(allSamples));
      for (const [index, sample] of allSamples.entries()) {
        const error = Math.abs((result[index] as number) - sample);
        assert.ok(error <= 16 + Math.abs(sample) / 16, `${sample} became ${result[index]}`);
        if (index > 0) assert.ok((result[index] as number) >= (result[index - 1] as number), `${sample}`);
      }
    });
  }

  for (const [law, { decode, encode }] of Object.entries(laws)) {
    it(`has the quantized and the decision values of the recommendation in ${law}`, () => {
      for (const { code, sign, value, from, to } of ituIntervals(law as keyof typeof laws)) {
        // The negative zero is a zero.
        assert.equal(decode(Uint8Array.of(code))[0], sign * value + 0, `code ${code}`);
        // A value at a decision is in the next interval. For negative ones the recommendation leaves it open.
        for (let magnitude = sign === 1 ? from : from + 4; magnitude < to; magnitude += 4) {
          assert.equal(encode(Int16Array.of(sign * magnitude))[0], code, `sample ${sign * magnitude}`);
        }
      }
    });
  }

  it('decides between two segments of mu-law where the recommendation does', () => {
    for (const threshold of [124, 380, 892, 1916, 3964, 8060, 16_252]) {
      const [below, above] = encodeMulaw(Int16Array.of(threshold - 4, threshold));
      // The upper three bits after the sign are the segment, inverted.
      assert.equal(((~(above as number) >> 4) & 7) - ((~(below as number) >> 4) & 7), 1, `${threshold}`);
    }
  });
});

/**
 * Tables 1 and 2 of ITU-T G.711 by their formulas, at 16 bits: the samples from one decision value to the next have a
 * code, which is decoded to a quantized value. A code is a sign, a segment and a step.
 */
function* ituIntervals(law: 'mulaw' | 'alaw') {
  const isMulaw = law === 'mulaw';
  // Mu-law has 14 bits and is biased by 33; the first two segments of A-law, which has 13, are linear.
  const scale = isMulaw ? 4 : 8;
  const valueAt = (segment: number, halfSteps: number): number => {
    if (isMulaw) return (halfSteps + 32) * 2 ** segment - 33;
    return segment === 0 ? halfSteps : (halfSteps + 32) * 2 ** (segment - 1);
  };
  for (const sign of [1, -1]) {
    for (let segment = 0; segment < 8; segment += 1) {
      for (let step = 0; step < 16; step += 1) {
        const bits = (sign === 1 ? 0x80 : 0) | (segment << 4) | step;
        yield {
          // Mu-law inverts all bits but the sign, A-law every second bit.
          code: bits ^ (isMulaw ? 0x7f : 0x55),
          sign,
          value: scale * valueAt(segment, 2 * step + 1),
          from: Math.max(0, scale * valueAt(segment, 2 * step)),
          to: scale * valueAt(segment, 2 * step + 2),
        };
      }
    }
  }
}
