import { isHighSurrogate, kindOf } from './character-kinds.ts';
import { graphemeSegmenter, wordSegmenter } from './segmenter.ts';
import type { Sentence } from './sentence.ts';

/** The longest text that is held back, in UTF-16 code units. */
export const maxHeldCharacters = 120;
/** The last place for a cut: the whole character after it must be known. */
const maxCut = maxHeldCharacters - 1;

/** `{{name}}` and `[EMAIL]`, or the beginning of one that is not closed yet. */
const tags = /\{\{[^{}]*(?:\}\}|\}?$)|\[[A-Z0-9_]*(?:\]|$)/g;

/**
 * Where to cut a sentence that is too long: after a mark, a comma, or a space, else between words, else between characters.
 * `text` has one character more than may be held.
 */
export function forcedCut(text: string, sentence: Sentence, language: string): number {
  const natural = sentence.lastMark || sentence.lastComma || sentence.lastSpace;
  if (natural > 0) return natural;
  const isAllowed = outsideTags(text);
  const words = wordSegmenter(language).segment(text);
  const graphemes = graphemeSegmenter(language).segment(text);
  return (
    lastCut(words, (cut) => isAllowed(cut) && startsWord(text, cut)) ||
    lastCut(graphemes, isAllowed) ||
    // A single character of more than 120 code units: combining marks without end.
    (isHighSurrogate(text.charCodeAt(maxCut - 1)) ? maxCut - 1 : maxCut)
  );
}

function lastCut(segments: Intl.Segments, isAllowed: (cut: number) => boolean): number {
  let last = 0;
  for (const { index } of segments) {
    if (index > maxCut) break;
    if (index > 0 && isAllowed(index)) last = index;
  }
  return last;
}

/** A mark, a bracket or a space stays with the word before it. */
function startsWord(text: string, cut: number): boolean {
  const kind = kindOf(text.charCodeAt(cut));
  return kind === 'plain' || kind === 'openQuote' || kind === 'openBrace';
}

function outsideTags(text: string): (cut: number) => boolean {
  const spans: { start: number; end: number }[] = [];
  for (const { 0: tag, index } of text.matchAll(tags)) {
    const end = index + tag.length;
    // What starts the text and does not end with it is too long to be a tag.
    if (index > 0 || end <= maxCut) spans.push({ start: index, end });
  }
  return (cut) => !spans.some(({ start, end }) => start < cut && cut < end);
}
