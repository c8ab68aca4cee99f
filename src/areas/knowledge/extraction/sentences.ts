import { localeOf } from '../../../voice/text/language.ts';

/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A sentence does not end after these, although a capital letter follows. */
const abbreviation =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|vs|etc|e\.g|i\.e|cf|Inc|Ltd|Co|Corp|Fig|Vol|pp?|approx|[A-Z])\.\s+$/;
const clauseEnd = /[、，,;；:：)）」』\]]/;
const mark = /\p{M}/u;
/** A decomposed character has a few marks. Text of nothing but marks is no reason to search further. */
const maxMarks = 16;

export function sentenceSegmenter(language: string): Intl.Segmenter {
  const [locale = 'en'] = Intl.Segmenter.supportedLocalesOf([localeOf(language)]);
  return new Intl.Segmenter(locale, { granularity: 'sentence' });
}

/** The sentences of a part of the text. Those longer than `maxLength` are divided, after a clause or a word if possible. */
export function sentencesIn(text: string, { start, end }: Span, maxLength: number, segmenter: Intl.Segmenter): Span[] {
  // A line break in a paragraph does not end a sentence, as the segmenter would say.
  const paragraph = text.slice(start, end).replaceAll('\n', ' ');
  const sentences: Span[] = [];
  let sentenceStart = 0;
  for (const { segment, index } of segmenter.segment(paragraph)) {
    const segmentEnd = index + segment.length;
    const isOver = !abbreviation.test(segment) || segmentEnd === paragraph.length;
    if (!isOver) continue;
    sentences.push(...divided(text, { start: start + sentenceStart, end: start + segmentEnd }, maxLength));
    sentenceStart = segmentEnd;
  }
  return sentences;
}

/** Without white space at both ends. */
export function trimmed(text: string, { start, end }: Span): Span {
  let [first, last] = [start, end];
  while (first < last && isSpace(text, first)) first += 1;
  while (last > first && isSpace(text, last - 1)) last -= 1;
  return { start: first, end: last };
}

function divided(text: string, sentence: Span, maxLength: number): Span[] {
  const parts: Span[] = [];
  let rest = trimmed(text, sentence);
  while (rest.end - rest.start > maxLength) {
    const cut = cutBefore(text, rest.start, rest.start + maxLength);
    parts.push(trimmed(text, { start: rest.start, end: cut }));
    rest = trimmed(text, { start: cut, end: rest.end });
  }
  return rest.end > rest.start ? [...parts, rest] : parts;
}

/** The last place in the second half of the window where a reader would pause, or its end. */
function cutBefore(text: string, start: number, end: number): number {
  const half = start + Math.ceil((end - start) / 2);
  const tests = [
    (at: number) => text[at] === '\n',
    (at: number) => clauseEnd.test(text[at - 1] ?? ''),
    (at: number) => isSpace(text, at),
  ];
  for (const isPause of tests) {
    for (let at = end; at > half; at -= 1) if (isPause(at)) return at;
  }
  let cut = end;
  while (cut > end - maxMarks && mark.test(text[cut] ?? '')) cut -= 1;
  const isInsidePair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(cut - 1, cut + 1));
  return isInsidePair ? cut - 1 : cut;
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text[at] ?? '');
}
