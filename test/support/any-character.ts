import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/** Every character of Unicode, as `unit: 'binary'` of `fc.string`, which takes a second to prepare. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((place) => String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count), placeOf);

function placeOf(value: unknown): number {
  if (typeof value !== 'string' || [...value].length !== 1 || !value.isWellFormed()) throw new Error('no character');
  const code = value.codePointAt(0) as number;
  return code < surrogates.first ? code : code - surrogates.count;
}
