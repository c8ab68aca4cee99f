import {
  type Ending,
  englishEndings,
  englishHolding,
  englishStrongOpen,
  japaneseEndings,
  japaneseStrongOpen,
  type Suffixes,
} from './endings.ts';
import { isJapanese } from './language.ts';
import { readOutNumberHint } from './read-out-numbers.ts';

/** Whether the caller has probably finished, will probably go on, or nothing is known. */
export type EndOfTurnHint = 'finished' | 'open' | undefined;

/** Only the end of the words matters; this holds the longest phone number with pauses and particles in it. */
const tailLength = 64;
const closingMarks = ' \t\r\n\u3000"”’\')」』）';

/** A hint from the words so far. It is evaluated with each partial transcript, so it looks at the end only. */
export function endOfTurnHint(words: string, language: string): EndOfTurnHint {
  let end = words.length;
  while (end > 0 && closingMarks.includes(words[end - 1] as string)) end -= 1;
  const tail = words.slice(Math.max(0, end - tailLength), end);
  const last = tail.at(-1);
  if (last === undefined) return undefined;
  if ('？?！!'.includes(last)) return 'finished';
  if ('、，,､;；:：…‥—–'.includes(last) || tail.endsWith('..')) return 'open';
  const hasStop = '。｡.．'.includes(last);
  const text = hasStop ? tail.slice(0, -1) : tail;
  const hint = isJapanese(language) ? japaneseHint(text, hasStop) : englishHint(text, hasStop);
  return hint === 'unclear' ? undefined : hint;
}

/**
 * Recognizers end every segment with a full stop, also after えっと and in the middle of a phone number: a stop is weaker
 * than these, and stronger than all other endings.
 */
function japaneseHint(text: string, hasStop: boolean): Ending | undefined {
  const number = readOutNumberHint(text, 'ja');
  if (number !== undefined) return number;
  if (longestEnding(text, japaneseStrongOpen) !== undefined) return 'open';
  if (hasStop) return 'finished';
  return longestEnding(text, japaneseEndings) ?? (endsInAddress(text) ? 'open' : undefined);
}

/** The longest ending in the table decides: ですけど is open although です is finished. */
function longestEnding(text: string, endings: Suffixes): Ending | undefined {
  return endings.get(text.at(-1) ?? '')?.find(([ending]) => text.endsWith(ending))?.[1];
}

const lastInAddress = '都道府県市区郡町村目番地';
const japaneseAddress =
  /(?:東京都|北海道|(?:大阪|京都)府|\p{Script=Han}{2,3}県|[\p{Script=Han}ヶケ]{2,}[市区郡]|[市区郡県]\S{1,8}[町村]|丁目|丁目\S{1,3}番地?)$/u;

/** A house number or a building usually follows. 木村 and 大町 alone are names. */
function endsInAddress(text: string): boolean {
  return lastInAddress.includes(text.at(-1) ?? ' ') && japaneseAddress.test(text.slice(-12));
}

/** The longest phrase in the tables. */
const maxPhraseLength = 32;
const maxPhraseWords = 4;
const englishAddress =
  /\b\d+\s+(?:\S+\s+){1,4}(?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|suite|apartment|apt)$/;
const spelledLetters = /(?:^|[\s-])(?:[b-hj-z]|[a-z][\s-]+[a-z])[\s-]+[a-z]$/;

function englishHint(text: string, hasStop: boolean): Ending | undefined {
  const folded = text.toLowerCase().replaceAll('’', "'").trimEnd();
  const number = readOutNumberHint(folded, 'en');
  if (number !== undefined) return number;
  const sentence = folded.slice(lastStop(folded) + 1);
  const phrases = lastPhrases(sentence);
  if (englishHolding.has(sentence.trimStart())) return 'open';
  if (longestPhrase(phrases, englishStrongOpen) !== undefined) return 'open';
  if (hasStop) return 'finished';
  const ending = longestPhrase(phrases, englishEndings);
  if (ending !== undefined) return ending;
  const couldBeSpelled = phrases[0]?.length === 1 || folded.at(-2) === '-';
  return (couldBeSpelled && spelledLetters.test(folded)) || englishAddress.test(folded) ? 'open' : undefined;
}

function lastStop(text: string): number {
  return Math.max(text.lastIndexOf('. '), text.lastIndexOf('? '), text.lastIndexOf('! '), text.lastIndexOf(', '));
}

/** The last word, the last two, and so on. */
function lastPhrases(text: string): string[] {
  const end = text.length > maxPhraseLength ? text.slice(-maxPhraseLength).replace(/^\S*/, '') : text;
  const words = end.match(/[^\s,;:]+/g) ?? [];
  const phrases: string[] = [];
  let phrase = '';
  for (let place = words.length - 1; place >= 0 && phrases.length < maxPhraseWords; place -= 1) {
    phrase = phrase === '' ? (words[place] as string) : `${words[place]} ${phrase}`;
    phrases.push(phrase);
  }
  return phrases;
}

/** The phrase with the most words in the table decides. */
function longestPhrase(phrases: readonly string[], table: ReadonlyMap<string, Ending>): Ending | undefined {
  const longest = phrases.findLast((phrase) => table.has(phrase));
  return longest === undefined ? undefined : table.get(longest);
}
