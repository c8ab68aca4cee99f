import { normalizeText } from './normalized.ts';
import { findNextToCues } from './personal-cues.ts';
import { type PersonalSpan, personalDataTags } from './personal-data-tags.ts';
import { findPersonalFormats } from './personal-formats.ts';
import { findPersonalNumbers } from './personal-numbers.ts';
import { findDigitRuns } from './spoken-digits.ts';

export interface RedactableWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly confidence: number | null;
}

/** The text with a tag in place of everything that is recognized as personal data, in Japanese and English. */
export function redact(text: string): string {
  return redactAfter('', text);
}

/** `context` is read for cue words and never changed. */
function redactAfter(context: string, text: string): string {
  let redacted = text;
  // A tag separates what stood together, so what remains may read differently. Repeated until nothing is found, the
  // result of redacting again is the same.
  for (;;) {
    const spans = findPersonalData(context + redacted).filter(({ end }) => end > context.length);
    if (spans.length === 0) return redacted;
    let result = '';
    let last = 0;
    for (const { start, end, tag } of spans) {
      result += `${redacted.slice(last, Math.max(last, start - context.length))}[${tag}]`;
      last = end - context.length;
    }
    redacted = result + redacted.slice(last);
  }
}

/** Words that are covered by the same piece of personal data become one, which lasts as long as all of them. */
export function redactWords(words: readonly RedactableWord[]): RedactableWord[] {
  let redacted = [...words];
  for (;;) {
    const { text, places } = joined(redacted);
    const spans = findPersonalData(text);
    if (spans.length === 0) return redacted;
    redacted = mergeCovered(redacted, places, text, spans);
  }
}

/** Japanese words follow each other without a space: a cue word may be split over two of them. */
function joined(words: readonly RedactableWord[]): { readonly text: string; readonly places: readonly number[] } {
  const places: number[] = [];
  let text = '';
  for (const { text: word } of words) {
    if (/[\x21-\x7e]$/.test(text) && /^[\x21-\x7e]/.test(word)) text += ' ';
    places.push(text.length);
    text += word;
  }
  return { text, places };
}

function mergeCovered(
  words: readonly RedactableWord[],
  places: readonly number[],
  text: string,
  spans: readonly PersonalSpan[],
): RedactableWord[] {
  const result: RedactableWord[] = [];
  let spanIndex = 0;
  for (let first = 0; first < words.length; ) {
    const endOf = (index: number): number => (places[index] as number) + (words[index] as RedactableWord).text.length;
    while (spanIndex < spans.length && (spans[spanIndex] as PersonalSpan).end <= (places[first] as number))
      spanIndex += 1;
    let last = first;
    let [content, copied] = ['', places[first] as number];
    for (; spanIndex < spans.length && (spans[spanIndex] as PersonalSpan).start < endOf(last); spanIndex += 1) {
      const { start, end, tag } = spans[spanIndex] as PersonalSpan;
      content += `${text.slice(copied, start)}[${tag}]`;
      copied = end;
      while (last + 1 < words.length && (places[last + 1] as number) < end) last += 1;
    }
    const covered = words.slice(first, last + 1);
    result.push(
      content === ''
        ? (words[first] as RedactableWord)
        : mergedWord(covered, content + text.slice(copied, endOf(last))),
    );
    first = last + 1;
  }
  return result;
}

function mergedWord(words: readonly RedactableWord[], text: string): RedactableWord {
  const confidences = words.flatMap(({ confidence }) => (confidence === null ? [] : [confidence]));
  return {
    ...(words[0] as RedactableWord),
    text,
    endMs: (words.at(-1) as RedactableWord).endMs,
    confidence: confidences.length === 0 ? null : Math.min(...confidences),
  };
}

/** All strings of a JSON value, and the names of its fields. A name such as `postalCode` is a cue for its value. */
export function redactJson<T>(value: T): T {
  return redactValue('', value, (_name, number) => number) as T;
}

/** The same, and its numbers: a model writes `{"card": 4242424242424242}` if the tool asks for an integer. */
export function redactToolJson<T>(value: T): T {
  return redactValue('', value, (name, number) => {
    const text = String(number);
    const redacted = redactAfter(name, text);
    return redacted === text ? number : redacted;
  }) as T;
}

/** Fewer keys are a choice from a menu; as many may be a PIN, a card or a customer number. */
const personalKeys = /^[0-9*#A-D]{4,}$/;

/** Keys that were pressed. Those of the agent may have pauses in between. */
export function redactKeys(keys: string): string {
  return personalKeys.test(keys.replaceAll('w', '')) ? '[DIGITS]' : keys;
}

/** What a tool is called with, as a JSON value. */
export function redactToolArguments(name: string, given: unknown): unknown {
  const redacted = redactToolJson(given);
  if (name !== 'press_keys' || typeof given !== 'object' || given === null || !('digits' in given)) return redacted;
  const { digits } = given;
  if (typeof digits !== 'string' && typeof digits !== 'number') return redacted;
  return { ...(redacted as object), digits: redactKeys(String(digits)) };
}

type RedactNumber = (name: string, value: number) => unknown;

function redactValue(name: string, value: unknown, redactNumber: RedactNumber): unknown {
  if (typeof value === 'string') return redactAfter(name, value);
  if (typeof value === 'number') return redactNumber(name, value);
  if (Array.isArray(value)) return value.map((item) => redactValue(name, item, redactNumber));
  if (typeof value !== 'object' || value === null) return value;
  const result: [string, unknown][] = [];
  const names = new Set<string>();
  for (const [key, item] of Object.entries(value)) {
    const redacted = redact(key);
    let unique = redacted;
    for (let count = 2; names.has(unique); count += 1) unique = `${redacted}_${count}`;
    names.add(unique);
    result.push([unique, redactValue(`${wordsOf(key)}: `, item, redactNumber)]);
  }
  return Object.fromEntries(result);
}

/** `dateOfBirth` and `date_of_birth` as words. */
function wordsOf(name: string): string {
  return name
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replace(/[_-]+/g, ' ')
    .slice(-64);
}

const existingTag = new RegExp(`\\[(?:${personalDataTags.join('|')})\\]`, 'g');

/** Where personal data is, in order and without overlaps. Text inside a tag is never searched. */
function findPersonalData(text: string): PersonalSpan[] {
  const spans: PersonalSpan[] = [];
  let start = 0;
  const search = (end: number): void => {
    for (const span of findBetweenTags(text.slice(start, end))) {
      spans.push({ ...span, start: span.start + start, end: span.end + start });
    }
  };
  for (const tag of text.matchAll(existingTag)) {
    search(tag.index);
    start = tag.index + tag[0].length;
  }
  search(text.length);
  return spans;
}

function findBetweenTags(text: string): PersonalSpan[] {
  if (text === '') return [];
  const normalized = normalizeText(text);
  const runs = findDigitRuns(normalized);
  // What is found by its own form comes before what is found by the words around it.
  const found = [
    ...findPersonalFormats(normalized),
    ...findPersonalNumbers(normalized, runs),
    ...findNextToCues(normalized, runs),
  ].map(({ start, end, tag }, rank) => ({
    start: normalized.starts[start] as number,
    end: normalized.ends[end - 1] as number,
    tag,
    rank,
  }));
  return withoutOverlaps(found);
}

/** Spans that overlap become one, with the tag of the one that was found first, so that nothing of either remains. */
function withoutOverlaps(found: (PersonalSpan & { readonly rank: number })[]): PersonalSpan[] {
  const merged: (PersonalSpan & { readonly rank: number })[] = [];
  for (const span of found.sort((one, other) => one.start - other.start || one.rank - other.rank)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
    } else {
      const { tag, rank } = span.rank < last.rank ? span : last;
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end), tag, rank };
    }
  }
  return merged;
}
