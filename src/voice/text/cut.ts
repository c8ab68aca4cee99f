import { isHighSurrogate } from './character-kinds.ts';

const sentenceEnds = new Set('.!?。！？．…\n');
/** How far back the end of a sentence is looked for: longer ones are cut between words. */
const maxSearched = 500;

/**
 * The beginning of a text, with at most that many UTF-16 code units: to the end of a sentence, or else of a word. A text
 * without either is cut between two characters.
 */
export function cutAtSentence(text: string, maxLength: number): string {
  const whole = wholeSentences(text, maxLength);
  if (whole !== '' || text === '') return whole;
  for (let end = maxLength; end > Math.max(0, maxLength - maxSearched); end -= 1) {
    if (/\s/.test(text[end] as string)) return text.slice(0, end);
  }
  const isInsideCharacter = maxLength > 0 && isHighSurrogate(text.charCodeAt(maxLength - 1));
  return text.slice(0, isInsideCharacter ? maxLength - 1 : maxLength);
}

/** The same, but empty if no sentence ends there. */
export function wholeSentences(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  for (let end = maxLength; end > Math.max(0, maxLength - maxSearched); end -= 1) {
    if (isSentenceEnd(text, end)) return text.slice(0, end);
  }
  return '';
}

function isSentenceEnd(text: string, end: number): boolean {
  const last = text[end - 1] as string;
  // A point inside 3.5 or example.com ends no sentence.
  return sentenceEnds.has(last) && (last !== '.' || /[\s"'”’)\]]/.test(text[end] ?? ' '));
}
