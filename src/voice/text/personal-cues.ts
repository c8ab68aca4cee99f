import type { NormalizedText } from './normalized.ts';
import { kanaNumberSource } from './numerals.ts';
import type { PersonalSpan } from './personal-data-tags.ts';
import { type DigitRun, digitsOf, groupsOf, isAmbiguous, trimmedRuns } from './spoken-digits.ts';

/** How far a cue word may be away, in characters. After the value, people add only a few words. */
const maxBefore = 30;
const maxAfter = 15;

type Cue = 'branch' | 'account' | 'postal' | 'birth' | 'other';
const cueSource = [
  '(?<branch>支店|店番|\\bbranch(?: code| number)\\b|\\bsort code\\b)',
  '(?<account>口座|普通預金|当座預金|\\baccount\\b|\\brouting number\\b)',
  '(?<postal>〒|郵便番号|郵便|\\bpost(?:al)? ?code\\b|\\bzip(?: ?code)?\\b)',
  '(?<birth>生年月日|せいねんがっぴ|誕生日|たんじょうび|生まれ|生れ|うまれ|\\bborn\\b|\\bdate of birth\\b|\\bbirth ?da(?:te|y)\\b|\\bdob\\b)',
  // A number that says what it is.
  '(?<other>注文|予約|受付|会員|伝票|整理|お問い?合わせ|\\b(?:order|reservation|booking|confirmation|ticket|reference|invoice|tracking)\\b)',
].join('|');
const cue = new RegExp(cueSource);
const everyCue = new RegExp(cueSource, 'g');
const sentenceEnd = /[。.!?\n]/;

interface FoundCue {
  readonly cue: Cue;
  readonly gap: string;
}

/** The nearest cue before a place in the same sentence, with no other number in between. */
function cueBefore(text: string, start: number): FoundCue | undefined {
  const before = text.slice(Math.max(0, start - maxBefore - 12), start);
  const last = [...before.matchAll(everyCue)].at(-1);
  if (last === undefined) return undefined;
  const gap = before.slice(last.index + last[0].length);
  return gap.length > maxBefore || sentenceEnd.test(gap) || /\d/.test(gap) ? undefined : { cue: cueOf(last), gap };
}

function cueAfter(text: string, end: number): FoundCue | undefined {
  const after = text.slice(end, end + maxAfter + 12);
  const first = cue.exec(after);
  if (first === null) return undefined;
  const gap = after.slice(0, first.index);
  // A comma begins another thought: 予約番号12345、口座は…
  return gap.length > maxAfter || sentenceEnd.test(gap) || /[\d,、]/.test(gap) ? undefined : { cue: cueOf(first), gap };
}

function cueOf(match: RegExpMatchArray): Cue {
  const groups = match.groups as Record<Cue, string | undefined>;
  return (Object.keys(groups) as Cue[]).find((cue) => groups[cue] !== undefined) ?? 'other';
}

/** What makes a number an amount, a time or a date instead of an identifier. */
const unit =
  /^\s*(?:[:/]\d|,\d|[円万億千百十%人名時分秒年月日歳才つ個件回階度点本枚店週泊]|ドル|ユーロ|パーセント|ヶ月|か月|(?:yen|dollars?|usd|jpy|euros?|percent|people|am|pm|a\.m|p\.m|st|nd|rd|th|days?|minutes?|hours?|years?|times|branches)\b)/;
const amount = /[¥$€£]\s?$|\d,$|:$/;

/** Digits and dates that are personal because of the words next to them. */
export function findNextToCues(text: NormalizedText, runs: readonly DigitRun[]): PersonalSpan[] {
  return cue.test(text.plain) ? [...findDatesOfBirth(text), ...findNumbersNextToCues(text, runs)] : [];
}

function findNumbersNextToCues(text: NormalizedText, runs: readonly DigitRun[]): PersonalSpan[] {
  return runs.flatMap((run) => {
    const span = trimmedRuns(run)
      .map((trimmed) => numberNextToCue(text.plain, trimmed))
      .find((each) => each !== undefined);
    return span === undefined ? [] : [span];
  });
}

function numberNextToCue(text: string, run: DigitRun): PersonalSpan | undefined {
  const digits = digitsOf(run);
  if (digits.length < 3 || run.tokens.every(isAmbiguous)) return undefined;
  const isAmount =
    unit.test(text.slice(run.end, run.end + 12)) || amount.test(text.slice(Math.max(0, run.start - 3), run.start));
  const before = cueBefore(text, run.start);
  if (before?.cue === 'other') return undefined;
  for (const found of [before, cueAfter(text, run.end)]) {
    const end = found === undefined ? undefined : endOfNumber(found, run, digits, isAmount);
    if (found === undefined || end === undefined) continue;
    const tag = found.cue === 'postal' ? 'POSTAL_CODE' : found.cue === 'birth' ? 'DATE_OF_BIRTH' : 'BANK_ACCOUNT';
    return { start: run.start, end, tag };
  }
  return undefined;
}

/** Where the number that the cue announces ends, if the run can be one. */
function endOfNumber({ cue, gap }: FoundCue, run: DigitRun, digits: string, isAmount: boolean): number | undefined {
  const groups = groupsOf(run);
  const shape = groups.map((group) => group.digits.length).join('-');
  if (cue === 'postal') {
    if (/^3-4(?:-|$)/.test(shape)) return groups[1]?.end;
    if (/^[75](?:-|$)/.test(shape)) return shape.startsWith('5-4') ? groups[1]?.end : groups[0]?.end;
    return undefined;
  }
  if (isAmount) return undefined;
  if (cue === 'birth') return /^[468]$|^4-[12]-[12]$|^[12]-[12]-[24]$/.test(shape) ? run.end : undefined;
  if (cue !== 'branch' && cue !== 'account') return undefined;
  const saysNumber = /番号|コード|number|code|ending/.test(gap);
  // A year is no account number, unless the words say so.
  if (/^(?:19|20)\d\d$/.test(digits) && !saysNumber) return undefined;
  const isClose = saysNumber || /^[\s:は、,]*$/.test(gap);
  const least = cue === 'branch' && isClose ? 3 : 4;
  return digits.length >= least && digits.length <= 20 ? run.end : undefined;
}

const number = '(?:\\d{1,4}|[〇零一二三四五六七八九十百千元]{1,8})';
const kanaNumber = kanaNumberSource.replace(/\+$/, '{1,8}');
const kanaDay = 'ついたち|ふつか|みっか|よっか|いつか|むいか|なのか|ようか|ここのか|とおか|はつか';
const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b';
const cardinal =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|oh';
const ordinal =
  'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth';
const numberWord = `(?:\\d{1,4}(?:st|nd|rd|th)?|${cardinal}|${ordinal})\\b`;
const dates = new RegExp(
  [
    `(?:明治|大正|昭和|平成|令和|西暦)?${number}年(?:の?\\s?${number}月(?:の?\\s?${number}日)?)?`,
    `${number}月の?\\s?${number}日`,
    `(?:${kanaNumber}ねん)?${kanaNumber}がつ(?:${kanaDay}|${kanaNumber}にち)`,
    '(?<![\\w./-])(?:\\d{4}([-/.])\\d{1,2}\\1\\d{1,2}|\\d{1,2}([-/.])\\d{1,2}\\2\\d{2,4}|\\d{1,2}/\\d{1,2}|[mtshr]\\d{1,2}[.年/]\\d{1,2}[./月]\\d{1,2}日?)(?![\\w/])',
    `\\b(?:${numberWord}[\\s,-]{1,2}){0,2}(?:of\\s)?${month}(?:[\\s,.-]{1,2}(?:the\\s|of\\s)?${numberWord}){0,7}`,
    '(?<=\\b(?:born|birth) in )(?:19|20)\\d\\d\\b',
  ].join('|'),
  'g',
);

/** Dates next to a word that says that they are somebody's birthday. */
function findDatesOfBirth(text: NormalizedText): PersonalSpan[] {
  return [...text.kana.matchAll(dates)].flatMap((match) => {
    // The name of a month alone is no date.
    if (/^[a-z]+$/.test(match[0])) return [];
    const end = match.index + match[0].length;
    const isBirth = [cueBefore(text.plain, match.index), cueAfter(text.plain, end)].some(
      (found) => found?.cue === 'birth',
    );
    return isBirth ? [{ start: match.index, end, tag: 'DATE_OF_BIRTH' } satisfies PersonalSpan] : [];
  });
}
