/** A part of a result that was truncated or left out. */
export interface Cut {
  /** The location, as a JSON Pointer (RFC 6901). */
  readonly path: string;
  /** The full length in characters; for other values than text, that of the JSON. */
  readonly length: number;
  /** How many characters are included; 0 if the value was left out. */
  readonly shown: number;
}

export interface Excerpt<T> {
  readonly value: T;
  readonly cuts: readonly Cut[];
}

/**
 * Clients reject tool results of more than about 25,000 tokens. Bytes approximate tokens better than characters: a token
 * is about three bytes of Japanese or four bytes of English.
 */
export const maxResultBytes = 60_000;
/** In characters, of up to three bytes each. */
export const maxPart = 20_000;
/** The limit per field in characters; tried in this order until the whole result fits. */
const budgets = [12_000, 4000, 1000, 300];
/** Objects nested deeper are left out. */
const deepest = 2;

const mark = '[truncated by voice-agents mcp:';

/** The whole value if it is short enough. Otherwise long texts are truncated with a marker, and long lists are left out. */
export function excerptOf<T extends object>(value: T): Excerpt<T> {
  if (bytesOf(value) <= maxResultBytes) return { value, cuts: [] };
  let smallest: Excerpt<T> = { value, cuts: [] };
  for (const budget of budgets) {
    const cuts: Cut[] = [];
    smallest = { value: shortened(value, budget, '', 0, cuts) as T, cuts };
    if (bytesOf(smallest.value) <= maxResultBytes) break;
  }
  return smallest;
}

/** Whether a value contains the marker: writing it back would replace the full text with the truncated one. */
export function hasMark(value: unknown): boolean {
  return (JSON.stringify(value) ?? '').includes(mark);
}

/** A slice that does not split surrogate pairs. */
export function sliceOf(text: string, offset: number, length: number): string {
  const start = isInsidePair(text, offset) ? offset - 1 : offset;
  const end = Math.min(start + length, text.length);
  return text.slice(start, isInsidePair(text, end) ? end - 1 : end);
}

/** The value at a JSON Pointer; undefined if there is none. */
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

/** Undefined if the value is left out. */
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

/** As many items as fit, from the first. */
export function firstThatFit<Item>(items: readonly Item[], maxBytes: number): Item[] {
  let left = maxBytes;
  return items.filter((item) => {
    left -= bytesOf(item);
    return left >= 0;
  });
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

function isInsidePair(text: string, place: number): boolean {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff;
}
