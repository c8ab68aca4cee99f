import { memo } from '../text/memo.ts';

/** ITU-T G.711: a byte per sample, at 8,000 samples per second. What phones and carriers send. */

interface Tables {
  /** The sample of each code. */
  readonly decoded: Int16Array;
  /** The code of each sample, by its upper 14 bits: neither law tells the samples in between apart. */
  readonly encoded: Uint8Array;
}

/** Looking codes up takes a tenth of the time of computing them. */
const tables = memo((law): Tables => {
  const { encode, decode } =
    law === 'mulaw' ? { encode: mulawOf, decode: fromMulaw } : { encode: alawOf, decode: fromAlaw };
  return {
    decoded: Int16Array.from({ length: 256 }, (_, code) => decode(code)),
    encoded: Uint8Array.from({ length: 16_384 }, (_, index) => encode((index - 8192) * 4)),
  };
});

export function decodeMulaw(codes: Uint8Array): Int16Array {
  return decoded(codes, tables('mulaw').decoded);
}

export function encodeMulaw(samples: Int16Array): Buffer {
  return encoded(samples, tables('mulaw').encoded);
}

export function decodeAlaw(codes: Uint8Array): Int16Array {
  return decoded(codes, tables('alaw').decoded);
}

export function encodeAlaw(samples: Int16Array): Buffer {
  return encoded(samples, tables('alaw').encoded);
}

function decoded(codes: Uint8Array, table: Int16Array): Int16Array {
  const samples = new Int16Array(codes.length);
  for (let index = 0; index < codes.length; index += 1) samples[index] = table[codes[index] as number] as number;
  return samples;
}

function encoded(samples: Int16Array, table: Uint8Array): Buffer {
  const codes = Buffer.allocUnsafe(samples.length);
  for (let index = 0; index < samples.length; index += 1) {
    codes[index] = table[((samples[index] as number) >> 2) + 8192] as number;
  }
  return codes;
}

const mulawBias = 0x84;
const mulawMax = 32_635;

function mulawOf(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), mulawMax) + mulawBias;
  const exponent = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

function fromMulaw(code: number): number {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + mulawBias) << ((bits >> 4) & 7)) - mulawBias;
  return bits & 0x80 ? -magnitude : magnitude;
}

/** Every second bit is inverted on the line. */
const alawInversion = 0x55;

function alawOf(sample: number): number {
  const magnitude = sample < 0 ? -sample - 1 : sample;
  const exponent = Math.max(0, 24 - Math.clz32(magnitude));
  const mantissa = (magnitude >> Math.max(4, exponent + 3)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ alawInversion;
}

function fromAlaw(code: number): number {
  const bits = code ^ alawInversion;
  const exponent = (bits >> 4) & 7;
  const mantissa = ((bits & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}
