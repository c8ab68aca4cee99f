import { isHighSurrogate, kindOf } from './character-kinds.ts';
import { graphemeSegmenter, wordSegmenter } from './segmenter.ts';
import { Sentence } from './sentence.ts';

export type SentenceSplitter = ReturnType<typeof createSentenceSplitter>;

/** The longest text that is held back, in UTF-16 code units. */
const maxPendingCharacters = 120;
/** The last place for a cut: the whole character after it must be known. */
const maxCut = maxPendingCharacters - 1;

/** `{{name}}` and `[EMAIL]`, or the beginning of one that is not closed yet. */
const tags = /\{\{[^{}]*(?:\}\}|\}?$)|\[[A-Z0-9_]*(?:\]|$)/g;

const sentenceEnd = /[.!?。！？．…][\p{Pe}\p{Pf}"'*]*\s*$/u;

/**
 * Splits a reply into sentences while it is generated. The pieces joined are the text, with spaces after the sentence
 * they follow, and do not depend on how the text was divided when it was pushed. A sentence is complete when the first
 * character of the next one has arrived, because a bracket or another mark may still follow its end.
 */
export function createSentenceSplitter(language: string) {
  let pending = '';
  /** How much of the pending text was read. */
  let readTo = 0;
  let sentence = new Sentence();

  /** Adds text and returns the sentences that are now complete. */
  function push(added: string): string[] {
    const text = pending + added;
    const pieces: string[] = [];
    let start = 0;
    let index = readTo;
    const endAt = (end: number) => {
      pieces.push(text.slice(start, end));
      sentence = new Sentence();
      start = end;
      index = end;
    };
    while (index < text.length) {
      if (index - start >= maxPendingCharacters)
        endAt(start + forcedCut(text.slice(start, index + 1), sentence, language));
      else if (index === text.length - 1 && needsNext(text.charCodeAt(index))) break;
      else if (sentence.endsBefore(text, index, start)) endAt(index);
      else index += 1;
    }
    pending = text.slice(start);
    readTo = index - start;
    return pieces;
  }

  /** Returns the rest and starts again: at the end of a reply, and where it pauses, such as for a tool. */
  function end(): string[] {
    const pieces = pending === '' ? [] : [pending];
    pending = '';
    readTo = 0;
    sentence = new Sentence();
    return pieces;
  }

  /** What is pending: a sentence that seems to be over, or words that go on. */
  const kindOfPending = () => {
    if (pending.trim() === '' || isHighSurrogate(pending.charCodeAt(pending.length - 1))) return 'nothing';
    return sentenceEnd.test(pending) ? 'sentence' : 'words';
  };

  return { push, end, pending: kindOfPending };
}

/** What a character means can depend on its second half, and on the brace after it. */
function needsNext(code: number): boolean {
  return isHighSurrogate(code) || kindOf(code) === 'openBrace';
}

/**
 * Where to cut a sentence that is too long: after a mark, a comma, or a space, else between words, else between characters.
 * `text` has one character more than may stay pending.
 */
function forcedCut(text: string, sentence: Sentence, language: string): number {
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
