import { isJapanese } from '../text/language.ts';
import { normalizeText } from '../text/normalized.ts';
import {
  englishNumber,
  isEnglishNumberWord,
  japaneseNumber,
  japaneseNumberRun,
  kanjiOfKanaNumber,
} from '../text/numerals.ts';

/** The only number in the words. Estimates, halves and ranges are none. */
export function understandNumber(words: string, language: string): number | undefined {
  const { plain, kana } = normalizeText(words.replaceAll('’', "'"));
  if (!isJapanese(language))
    return englishNumberIn(plain) ?? (/[a-z]/.test(plain) ? undefined : japaneseNumberIn(plain, kana));
  return japaneseNumberIn(plain, kana) ?? (/[^\x00-\x7f]/.test(plain) ? undefined : englishNumberIn(plain));
}

const nativeNumbers = new Map(
  'ひとつ ふたつ みっつ よっつ いつつ むっつ ななつ やっつ ここのつ とお'
    .split(' ')
    .map((text, index) => [text, index + 1]),
);
const people = new Map([
  ['ひとり', 1],
  ['ふたり', 2],
]);
const counter =
  '(?:人|名様|名|個|円|歳|才|回|枚|台|本|冊|泊|室|席|匹|箱|番|号|階|点|杯|件|組|秒|度|つ|日間|日|年間|週間|時間|分間|分|か月|ヶ月|カ月|ヵ月|キロ|メートル|パーセント|%|ドル|様)';
const politeEnd =
  /(?:(?:です|でお願いします|お願いします|ですね|になります|だけ|で|くらい|ぐらい|ほど|ですかね)+)?[\s。、.,!]*$/;
const counterReading =
  /(?:にん|めい|こ|えん|さい|かい|まい|だい|ほん|さつ|はく|しつ|せき|ばん|けん|くみ|ど|てん|にち|ふん|ぷん)$/;
const estimate = /以上|以下|未満|以内|前後|数[十百千人名]|[十百千]数|半/;
/** Before a number in kanji, other kanji make it part of a word: 千葉, 統一. These do not. */
const mayComeBefore = /(?:^|[^\p{Script=Han}a-z]|大人|子供|男性|女性|合計|全部|約|計|税込|人数は|マイナス)$/u;
/** 一番 and 一度 are words; 十分 is also "enough". */
const words = /^(?:一[番度部人前]|十分)(?!間)/;

function japaneseNumberIn(plain: string, kana: string): number | undefined {
  const whole = kana.replace(politeEnd, '').trim();
  const native = nativeNumbers.get(whole) ?? people.get(whole);
  if (native !== undefined) return native;
  const kanji = kanjiOfKanaNumber(whole) ?? kanjiOfKanaNumber(whole.replace(counterReading, ''));
  if (kanji !== undefined) return japaneseNumber(kanji);
  if (estimate.test(plain)) return undefined;
  const found: (number | undefined)[] = [];
  for (const match of plain.matchAll(japaneseNumberRun)) {
    const before = plain.slice(0, match.index);
    const after = plain.slice(match.index + match[0].length);
    const isKanji = /^[^\d]/.test(match[0]);
    if (isKanji && isPartOfWord(match[0], before, after)) continue;
    found.push(isNumberHere(before, after) ? signed(japaneseNumber(match[0]), before) : undefined);
  }
  return found.length === 1 ? found[0] : undefined;
}

function isPartOfWord(text: string, before: string, after: string): boolean {
  if (text + after.slice(0, 1) === '一人') return false;
  if (!mayComeBefore.test(before.slice(-4)) || words.test(text + after)) return true;
  return /^\p{Script=Han}/u.test(after) && !new RegExp(`^${counter}`).test(after);
}

/** A time, a date or part of a code is no number. */
function isNumberHere(before: string, after: string): boolean {
  if (/[a-z\d.:/]$|\d-$/.test(before)) return false;
  return !/^(?:時(?!間)|月|曜|年(?!間)|[a-z\d]|[.:/-]\d|日[^間でにをはがです、。\s])/.test(after);
}

function signed(value: number | undefined, before: string): number | undefined {
  if (value === undefined) return undefined;
  return /(?:マイナス|まいなす|(?:^|\s)[-−]|\bminus\s|\bnegative\s)\s*$/.test(before) ? -value : value;
}

const inexact =
  /\b(?:half|quarter|dozens?|couple|few|several|or|between|at least|at most|more than|less than|fewer than|over|under)\b/;
/** Before `one` that is a number, not a pronoun as in "the blue one". */
const beforeOne =
  /^(?:just|only|for|of|exactly|is|it's|its|be|need|want|like|have|number|say|it|with|minus|negative|and|are|make|about)$/;

function englishNumberIn(text: string): number | undefined {
  if (inexact.test(text)) return undefined;
  const tokens =
    text.replaceAll(/(?<=[a-z])-(?=[a-z])/g, ' ').match(/[a-z']+|\d[\d,]*(?:\.\d+)?[a-z:/]*|[^\sa-z\d]/g) ?? [];
  const found: (number | undefined)[] = [];
  for (let place = 0; place < tokens.length; ) {
    const end = endOfNumber(tokens, place);
    if (end === place) {
      place += 1;
      continue;
    }
    if (!isPronoun(tokens, place, end)) found.push(numberAt(tokens, place, end));
    place = end;
  }
  return found.length === 1 ? found[0] : undefined;
}

function endOfNumber(tokens: readonly string[], start: number): number {
  const isNumber = (place: number): boolean =>
    /^\d/.test(tokens[place] ?? '') || isEnglishNumberWord(tokens[place] ?? '');
  if (!isNumber(start) && !(tokens[start] === 'a' && /^(?:hundred|thousand|million)$/.test(tokens[start + 1] ?? '')))
    return start;
  let end = start + 1;
  while (isNumber(end) || (/^(?:and|point)$/.test(tokens[end] ?? '') && isNumber(end + 1) && isJoint(tokens, end)))
    end += 1;
  return end;
}

/** `and` joins only after hundred and thousand: "two and three" are two numbers. */
function isJoint(tokens: readonly string[], place: number): boolean {
  return tokens[place] === 'point' || /^(?:hundred|thousand|million)$/.test(tokens[place - 1] ?? '');
}

function isPronoun(tokens: readonly string[], start: number, end: number): boolean {
  if (end - start !== 1 || tokens[start] !== 'one') return false;
  if (/^(?:of|moment|second|more|thing)$/.test(tokens[end] ?? '')) return true;
  return start > 0 && !beforeOne.test(tokens[start - 1] ?? '') && !/^[^a-z\d]$/.test(tokens[start - 1] ?? '');
}

function numberAt(tokens: readonly string[], start: number, end: number): number | undefined {
  const number = tokens.slice(start, end);
  const [first = ''] = number;
  // A number that continues with letters or a colon is an ordinal, a time or a code.
  if (number.some((token) => /^\d.*[a-z:/]/.test(token))) return undefined;
  const value = number.length === 1 && /^\d/.test(first) ? japaneseNumber(first) : englishNumber(number);
  const isNegative = /^(?:minus|negative|-|−)$/.test(tokens[start - 1] ?? '');
  return value === undefined || !isNegative ? value : -value;
}
