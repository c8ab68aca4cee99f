import { normalizeText } from '../text/normalized.ts';
import { type DigitRun, digitsOf, findDigitRuns, groupsOf, isAmbiguous } from '../text/spoken-digits.ts';

const politeEnd =
  /(?:番|号)?(?:です|でした|になります|でございます|でお願いします|でお願いいたします|でお願い致します|お願いします|ですね|ですけど|と申します|だよ|以上です|\s*(?:please|thanks|thank you))?[\s。、.,!]*$/;
/** What may stand before digits that are spoken or in kanji: nothing, a pause, or words that announce them. */
const announcement = /(?:^|[\s、。,.:はがので]|番号|コード|[〒:]|\b(?:is|it's|its|number|code|are))$/;
const unit = /^\s*(?:[時円人名年月日分秒歳才%個つ十百千万]|:\d|\/\d)/;

/** The only number in the words that is given digit by digit; nothing if there are two, or if it may be part of a word. */
export function onlyDigits(words: string) {
  const whole = normalizeText(words.replaceAll('’', "'"));
  const end = whole.kana.length - (politeEnd.exec(whole.kana)?.[0].length ?? 0);
  const text = normalizeText(whole.plain.slice(0, end));
  const runs = findDigitRuns(text);
  const certain = runs.filter(({ tokens }) => !tokens.every(isAmbiguous));
  const run = certain.length === 0 && runs.length === 1 ? runs[0] : certain.length === 1 ? certain[0] : undefined;
  if (run === undefined || !isSeparate(text.kana, run, certain.length > 0)) return undefined;
  const said = text.kana.slice(run.start, run.end);
  // "Oh" alone is no zero.
  if (/^[oh\s,.]+$/.test(said)) return undefined;
  /** Lengths of the groups, such as 3-4-4. */
  const shape = groupsOf(run)
    .map(({ digits }) => digits.length)
    .join('-');
  return { digits: digitsOf(run), hasPlus: run.hasPlus, shape, hasPoint: /\d[.,]\d/.test(said) };
}

/** Whether the digits stand on their own, so that no part of another word was read as a digit. */
function isSeparate(text: string, run: DigitRun, isCertain: boolean): boolean {
  const before = text.slice(0, run.start).trimEnd();
  const after = text.slice(run.end);
  const [first, last] = [run.tokens[0], run.tokens.at(-1)];
  if (unit.test(after) || /^,?\d/.test(after) || /[.,]$|[a-z0-9]$/.test(text.slice(0, run.start))) return false;
  const isWritten = first?.kind === 'written' && last?.kind === 'written';
  if (isWritten) return true;
  const isAtEnd = /^[\s、。,.!]*$/.test(after);
  if (!isCertain) return before === '' && isAtEnd;
  return announcement.test(before) && isAtEnd;
}

/** Digits read one by one, in either language. */
export function understandDigits(words: string): string | undefined {
  const number = onlyDigits(words);
  return number === undefined || number.hasPlus || number.hasPoint ? undefined : number.digits;
}
