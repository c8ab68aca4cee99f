/** What was left out of an answer, and how much of it there is. */
export interface Cut {
  /** Where, as a JSON Pointer (RFC 6901). */
  readonly path: string;
  /** In characters; of what is no text, in those of its JSON. */
  readonly length: number;
  /** How many of them are there: 0 where it was left out as a whole. */
  readonly shown: number;
}

export interface Excerpt<T> {
  readonly value: T;
  readonly cuts: readonly Cut[];
}

/**
 * A model reads all of an answer, and clients refuse what takes more than some 25,000 tokens. Bytes tell how many those
 * are better than characters do: a token is about three of them in Japanese, and four in English.
 */
export const maxAnswerBytes = 60_000;
/** In characters, which may be of three bytes each. */
export const maxPart = 20_000;
/** In characters, for one field; tried in this order until the whole fits. */
const budgets = [12_000, 4000, 1000, 300];
/** Objects further down are left out as a whole. */
const deepest = 2;

const mark = '[cut by voice-agents mcp:';

/** The whole where that is short enough. Otherwise long texts are cut, with a mark, and long lists are left out. */
export function excerptOf<T extends object>(value: T): Excerpt<T> {
  if (bytesOf(value) <= maxAnswerBytes) return { value, cuts: [] };
  let smallest: Excerpt<T> = { value, cuts: [] };
  for (const budget of budgets) {
    const cuts: Cut[] = [];
    smallest = { value: shortened(value, budget, '', 0, cuts) as T, cuts };
    if (bytesOf(smallest.value) <= maxAnswerBytes) break;
  }
  return smallest;
}

/** Whether something carries the mark: written back, it would take the place of the text that was cut. */
export function hasMark(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').includes(mark);
}

/** A slice that begins and ends with whole characters. */
export function sliceOf(text: string, offset: number, length: number): string {
  const start = isInsidePair(text, offset) ? offset - 1 : offset;
  const end = Math.min(start + length, text.length);
  return text.slice(start, isInsidePair(text, end) ? end - 1 : end);
}

/** What a JSON Pointer leads to; undefined where that is nothing. */
export function partAt(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  if (!pointer.startsWith('/')) return undefined;
  let part = value;
  for (const name of pointer.slice(1).split('/')) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}

/** Undefined where it is left out. */
function shortened(value: unknown, budget: number, path: string, depth: number, cuts: Cut[]): unknown {
  if (depth > 0 && bytesOf(value) <= 3 * budget) return value;
  if (typeof value === 'string') {
    const shown = sliceOf(value, 0, budget);
    cuts.push({ path, length: value.length, shown: shown.length });
    return `${shown}… ${mark} ${shown.length} of ${value.length} characters]`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value) || depth >= deepest) {
    cuts.push({ path, length: JSON.stringify(value).length, shown: 0 });
    return undefined;
  }
  const parts = Object.entries(value).map(([name, part]) => {
    const place = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [name, shortened(part, budget, place, depth + 1, cuts)] as const;
  });
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

function isInsidePair(text: string, place: number): boolean {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff;
}
