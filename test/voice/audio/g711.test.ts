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

  it('decides between two segments of mu-law where the recommendation does', () => {
    for (const threshold of [124, 380, 892, 1916, 3964, 8060, 16_252]) {
      const [below, above] = encodeMulaw(Int16Array.of(threshold - 4, threshold));
      // The upper three bits after the sign are the segment, inverted.
      assert.equal(((~(above as number) >> 4) & 7) - ((~(below as number) >> 4) & 7), 1, `${threshold}`);
    }
  });
});
