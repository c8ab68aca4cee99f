import type { Random } from '../random.ts';
import type { Schema } from './document.ts';

/** Strings from all over Unicode, each valid to store. */
const pieces = [
  'Reception', 'a', 'Z', '0', ' ', '.', '%', '_', "'", '"', '\\', '/', '<b>', '{{x}}', '\n', '\t', '\u0001', '\u007f',
  'é', 'e\u0301', 'ß', 'İ', 'ǆ', 'ﬃ', '\u00a0', '\u200b', '\u200f', '\u202e', '\ufeff', '\u2028',
  '予約', 'ｶﾌﾞｼｷ', '株式会社', '서울', 'العربية', 'עברית', 'ไทย', '\u0ddd', 'नमस्ते',
  '😀', '👩‍👩‍👧‍👦', '🇯🇵', '𝔘', '𠮷', '\u{e0001}', '\u{10ffff}', '\ufffd', '\ufffe', '\uffff', '\u{1fffe}', '\ufdd0',
]; // biome-ignore format: a table

const texts = [
  '',
  'null',
  'true',
  '0',
  '-1',
  'latest',
  '../../etc/passwd',
  "' OR 1=1 --",
  '$1',
  '{}',
  '[]',
  '__proto__',
];

/** A valid value for the schema, mostly small. */
export function validValue(schema: Schema, random: Random): unknown {
  if (schema.anyOf !== undefined) return validValue(random.pick(schema.anyOf), random);
  if (schema.enum !== undefined) return random.pick(schema.enum);
  if (Array.isArray(schema.type)) return validValue({ ...schema, type: random.pick(schema.type) }, random);
  if (schema.type === 'string') return validText(schema, random);
  if (schema.type === 'integer' || schema.type === 'number') return validNumber(schema, random);
  if (schema.type === 'boolean') return random.chance(0.5);
  if (schema.type === 'null') return null;
  if (schema.type === 'array') return validList(schema, random);
  if (schema.type === 'object') return validObject(schema, random);
  return anything(random, 3);
}

function validObject(schema: Schema, random: Random): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  if (others) return validRecord(others, schema.propertyNames ?? { type: 'string' }, random);
  const names = Object.keys(properties);
  const share = random.chance(0.02) ? 0.9 : Math.min(0.5, 5 / names.length);
  const value: Record<string, unknown> = {};
  for (const name of names) {
    const property = properties[name] as Schema;
    if (property.not === undefined && (required.includes(name) || random.chance(share)))
      value[name] = validValue(property, random);
  }
  return value;
}

/** An object of any names, such as variables. */
function validRecord(values: Schema, names: Schema, random: Random): Record<string, unknown> {
  const entries = Array.from({ length: random.int(0, 3) }, () => [
    String(validValue(names, random)),
    validValue(values, random),
  ]);
  return Object.fromEntries(entries);
}

function validList({ items = {}, minItems = 0, maxItems = 10 }: Schema, random: Random): unknown[] {
  const length = random.chance(0.01) ? Math.min(maxItems, 100) : random.int(minItems, Math.min(maxItems, minItems + 3));
  return Array.from({ length }, () => validValue(items, random));
}

function validNumber({ type, minimum = -1000, maximum = 1000 }: Schema, random: Random): number {
  if (random.chance(0.2)) return random.pick([minimum, maximum]);
  if (type === 'integer') return random.int(minimum, random.chance(0.7) ? Math.min(maximum, minimum + 5) : maximum);
  return minimum + random.next() * (maximum - minimum);
}

function validText({ examples, pattern, minLength = 0, maxLength = 100 }: Schema, random: Random): string {
  if (examples !== undefined && (pattern !== undefined || random.chance(0.6))) return String(random.pick(examples));
  const isLongest = random.chance(maxLength <= 300 ? 0.02 : 0.0005);
  return textOf(random, isLongest ? maxLength : random.int(minLength, Math.min(maxLength, minLength + 12)));
}

/** A string of this many code points. */
export function textOf(random: Random, length: number): string {
  const characters: string[] = [];
  const few = length > 50 ? [random.pick(pieces), random.pick(pieces)] : pieces;
  while (characters.length < length) characters.push(...random.pick(few));
  return characters.slice(0, length).join('');
}

/** Arbitrary JSON. */
function anything(random: Random, depth: number): unknown {
  const kind = random.int(0, depth > 0 ? 6 : 4);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.int(-1_000_000, 1_000_000) / 8;
  if (kind < 5) return textOf(random, random.int(0, 8));
  const length = random.int(0, 3);
  if (kind === 5) return Array.from({ length }, () => anything(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length }, () => [textOf(random, random.int(0, 5)), anything(random, depth - 1)]),
  );
}

const oddValues: readonly unknown[] = [
  null, true, false, 0, -0, -1, 1.5, 1e-320, 1e308, 2 ** 53, -(2 ** 63), '', '0', 'x', [], {}, [[]], [null],
  { length: 1 }, { toString: 1 }, { toJSON: 'x' }, { valueOf: null }, [{}],
]; // biome-ignore format: a table

const oddTexts = [
  '\0', 'a\0b', '\ud800', '\udfff', '\udc00\ud800', 'a\ud83d', '\ude00b', '\u202e\u202d\u2066', '\ufffe\uffff', '́́́',
]; // biome-ignore format: a table

const oddNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' name',
  'NAME',
  'name\0',
  'id',
];

/** A value that is usually invalid: just out of bounds, of another type, or impossible to store. */
function oddValue(schema: Schema, random: Random): unknown {
  const plain = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  const { minimum, maximum, minLength, maxLength, maxItems, items = {} } = plain;
  const isNear = random.chance(0.6);
  if (isNear && minimum !== undefined && maximum !== undefined)
    return random.pick([minimum - 1, minimum - 1e-9, minimum, maximum, maximum + 1e-9, maximum + 1, -minimum]);
  if (isNear && maxLength !== undefined && (maxLength <= 1000 || random.chance(0.02))) {
    const length = random.pick([(minLength ?? 0) - 1, minLength ?? 0, maxLength, maxLength + 1, maxLength + 1]);
    const character = random.pick(['x', '😀', '予', 'e\u0301']);
    return character.repeat(Math.max(0, Math.ceil(length / [...character].length)));
  }
  if (isNear && maxItems !== undefined && (maxItems <= 200 || random.chance(0.05))) {
    const item = validValue(items, random);
    return Array.from({ length: random.pick([maxItems, maxItems + 1]) }, () => item);
  }
  if (random.chance(0.3)) return random.pick(oddTexts) + textOf(random, random.int(0, 3));
  if (random.chance(0.1)) return random.pick(texts);
  return random.chance(0.7) ? random.pick(oddValues) : anything(random, 4);
}

interface Slot {
  readonly holder: Record<PropertyKey, unknown>;
  readonly key: PropertyKey;
  readonly schema: Schema;
}

/** Mutates some part of the value in place. */
export function spoil(body: Record<string, unknown>, schema: Schema, random: Random): void {
  const slots: Slot[] = [];
  collectSlots(body, schema, slots);
  const kind = random.int(0, 9);
  const slot = slots.length > 0 ? random.pick(slots) : null;
  if (kind === 0 && slot !== null) delete slot.holder[slot.key];
  else if (kind === 1 || slot === null) define(slot === null || random.chance(0.5) ? body : slot.holder, random);
  else if (kind < 4 && schema.properties !== undefined && Object.keys(schema.properties).length > 0) {
    const name = random.pick(Object.keys(schema.properties));
    body[name] = ownOddValue(schema.properties[name] as Schema, random);
  } else slot.holder[slot.key] = ownOddValue(slot.schema, random);
}

/** Copied, because values in a body may be mutated later. */
function ownOddValue(schema: Schema, random: Random): unknown {
  return structuredClone(oddValue(schema, random));
}

/** Defines an own property, which assigning to `__proto__` would not do. */
function define(holder: Record<PropertyKey, unknown>, random: Random): void {
  const value = anything(random, 2);
  Object.defineProperty(holder, random.pick(oddNames), { value, enumerable: true, writable: true, configurable: true });
}

function collectSlots(value: unknown, schema: Schema, slots: Slot[]): void {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<PropertyKey, unknown>;
  const isList = Array.isArray(value);
  for (const key of Object.keys(holder).slice(0, 50)) {
    const object = schema.anyOf?.find(({ type }) => type === 'object' || type === 'array') ?? schema;
    const inner = (isList ? object.items : object.properties?.[key]) ?? {};
    slots.push({ holder, key, schema: inner });
    collectSlots(holder[key], inner, slots);
  }
}

/** Makes the text of a JSON document invalid or unusual, as text or as bytes. */
export function spoilBytes(json: string, names: readonly string[], random: Random): Buffer {
  const bytes = Buffer.from(json);
  switch (random.int(0, 15)) {
    case 0:
      return bytes.subarray(0, random.int(0, bytes.length));
    case 1:
    case 2: {
      const place = random.int(0, bytes.length - 1);
      bytes[place] = random.int(0, 255);
      return bytes;
    }
    case 3:
      return Buffer.concat([Buffer.from('efbbbf', 'hex'), bytes]);
    case 4:
      return Buffer.from(random.chance(0.5) ? `\ufeff${json}` : json, 'utf16le');
    case 5:
      return intoText(
        bytes,
        Buffer.from(
          random.pick([
            'c080',
            'c0af',
            'e0809f',
            'f08080af',
            'eda080',
            'f4908080',
            'ff',
            'fe',
            '80',
            'f8888080',
            'e282',
          ]),
          'hex',
        ),
      );
    case 6:
      return nested(json, names, random, random.pick([60, 62, 63, 64, 65, 66, 200, 1000]));
    case 7:
      return nested(json, names, random, random.chance(0.02) ? 100_000 : 5000);
    case 8:
      return random.chance(0.02) ? padded(json, random) : Buffer.from(` \r\n\t${json}\r\n `);
    case 9:
      return Buffer.from(
        json.replace(
          /}$/,
          random.pick([
            ',}',
            '}}',
            '',
            ',"x":NaN}',
            ',"x":1e999}',
            ',"x":-1e999}',
            ',"x":0x10}',
            ',"x":01}',
            ',"x":.5}',
          ]),
        ),
      );
    case 10:
      return Buffer.from(`${json}${random.pick([json, ',', '//', '/**/', '\0', '\u00a0', '\u2028', 'x'])}`);
    case 11:
      return Buffer.from(
        random.pick([
          '',
          ' ',
          'null',
          'true',
          '0',
          '""',
          '[]',
          '[{}]',
          '{',
          '"',
          '[',
          '{"a"',
          '{"a":',
          "{'a':1}",
          '\0',
          'NaN',
        ]),
      );
    case 12:
      return Buffer.from(json.replace('{', `{${JSON.stringify(names[0] ?? 'a')}:1,`));
    case 13:
      return intoText(
        bytes,
        Buffer.from(
          random.pick([
            '\\ud800',
            '\\udc00',
            '\\u0000',
            '\\u',
            '\\x41',
            '\\uD83D\\uDE00',
            '\u0000',
            '\u001f',
            '\n',
            '\\ud83d\\u0041',
          ]),
        ),
      );
    case 14:
      return Buffer.from(
        json
          .replace(
            '{',
            random.pick([
              '{"__proto__":{"name":"x"},',
              '{"__proto__":null,',
              '{"constructor":{"prototype":{"x":1}},',
              '{"":0,',
              '{"a":{"__proto__":[]},',
            ]),
          )
          .replace(/,}$/, '}'),
      );
    default:
      return Buffer.from(encodeURIComponent(json));
  }
}

/** Inserts into the first string of the document, or at its end. */
function intoText(bytes: Buffer, piece: Buffer): Buffer {
  const colon = bytes.indexOf(':"');
  const place = colon === -1 ? bytes.length : colon + 2;
  return Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place)]);
}

function nested(json: string, names: readonly string[], random: Random, depth: number): Buffer {
  const name = JSON.stringify(names.length > 0 ? random.pick(names) : 'a');
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  const value = `${open.repeat(depth)}0${close.repeat(depth)}`;
  return Buffer.from(json === '{}' ? `{${name}:${value}}` : json.replace('{', `{${name}:${value},`));
}

const mebibyte = 1024 * 1024;

function padded(json: string, random: Random): Buffer {
  const length = mebibyte + random.pick([-1, 0, 1, 2, 1000, 100_000]);
  return Buffer.from(json.padEnd(length - (Buffer.byteLength(json) - json.length), ' '));
}
