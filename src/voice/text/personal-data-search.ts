import { normalizeText } from './normalized.ts';
import { findNextToCues } from './personal-cues.ts';
import { type PersonalSpan, personalDataTags } from './personal-data-tags.ts';
import { findPersonalFormats } from './personal-formats.ts';
import { findPersonalNumbers } from './personal-numbers.ts';
import { findDigitRuns } from './spoken-digits.ts';

const existingTag = new RegExp(`\\[(?:${personalDataTags.join('|')})\\]`, 'g');

/** Where personal data is, in order and without overlaps. Text inside a tag is never searched. */
export function findPersonalData(text: string): PersonalSpan[] {
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
