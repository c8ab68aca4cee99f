import { endOfString, maxNesting } from '../contract/foreign-json.ts';

/** A conversation flow that fills a body of 1 MiB has at most 26,000 members, if its steps are short. */
export const maxMembers = 30_000;
/** Members and items. The same flow has about 45,000. */
export const maxValues = 100_000;
/** `"a":1,` is the shortest member, so a text below this length per member cannot exceed either limit. */
const minMemberLength = 6;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The limit that a JSON text exceeds, if any. Validating, merging and comparing a body of 1 MiB takes up to half a
 * second if it consists of tiny members. They are counted in the text, because listing the keys of such a large object
 * takes V8 four times as long as parsing it. The result is meaningless if the text is not valid JSON.
 */
export function exceededLimit(text: string): string | undefined {
  if (text.length < maxMembers * minMemberLength) return undefined;
  let members = 0;
  let values = 0;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === quote) place = endOfString(text, place);
    else if (code === comma) values += 1;
    else if (code === colon) members += 1;
    else if (code === openBrace) values += text.charCodeAt(place + 1) === closeBrace ? 0 : 1;
    else if (code === openBracket) values += text.charCodeAt(place + 1) === closeBracket ? 0 : 1;
    if (members > maxMembers) return `more than ${maxMembers} members`;
    if (values > maxValues) return `more than ${maxValues} values`;
  }
  return undefined;
}

/**
 * The value as JSON. If it is nested too deep to be serialized, everything beyond the limit is null: what an earlier
 * release has stored must not keep a call from being written.
 */
export function boundedJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify(withinNesting(value, maxNesting));
  }
}

function withinNesting(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => withinNesting(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withinNesting(item, levels - 1)]));
}
