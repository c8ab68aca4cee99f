import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { NormalizedText } from './normalized.ts';
import type { PersonalSpan } from './personal-data-tags.ts';
import { type DigitGroup, type DigitRun, digitsOf, groupsOf, trimmedRuns } from './spoken-digits.ts';

const minDigits = 8;
const maxDigits = 19;

/** Phone numbers, card numbers and individual numbers. Each begins and ends with a group of digits. */
export function findPersonalNumbers(text: NormalizedText, runs: readonly DigitRun[]): PersonalSpan[] {
  return runs.flatMap((run) => {
    if (digitsOf(run).length < minDigits || isPartOfCode(text, run)) return [];
    const attempts = trimmedRuns(run).map((trimmed) => ({ trimmed, spans: spansIn(text, trimmed) }));
    const isComplete = ({ trimmed, spans }: (typeof attempts)[number]): boolean =>
      spans[0] !== undefined && spans[0].start <= trimmed.start && spans.at(-1)?.end === trimmed.end;
    return (attempts.find(isComplete) ?? attempts.find(({ spans }) => spans.length > 0))?.spans ?? [];
  });
}

/** Digits right after a letter belong to an identifier, unless the letters say that a phone number follows. */
function isPartOfCode(text: NormalizedText, run: DigitRun): boolean {
  if (run.tokens[0]?.kind !== 'written' || run.hasPlus) return false;
  const before = text.plain.slice(Math.max(0, run.start - 6), run.start);
  return /[a-z_]$/.test(before) && !/(?:tel|fax|phone)$/.test(before);
}

function spansIn(text: NormalizedText, run: DigitRun): PersonalSpan[] {
  const groups = groupsOf(run);
  const spans: PersonalSpan[] = [];
  for (let from = 0; from < groups.length; ) {
    const found = longestAt(text, run, groups, from);
    if (found !== undefined) spans.push(found.span);
    from = found?.next ?? from + 1;
  }
  return spans;
}

function longestAt(text: NormalizedText, run: DigitRun, groups: readonly DigitGroup[], from: number) {
  let until = from;
  for (let total = 0; until < groups.length; until += 1) {
    total += (groups[until] as DigitGroup).digits.length;
    if (total > maxDigits) break;
  }
  const hasPlus = run.hasPlus && from === 0;
  for (let next = until; next > from; next -= 1) {
    const window = groups.slice(from, next);
    const tag = hasPlus ? tagAfterPlus(window) : tagOf(window);
    const end = (window.at(-1) as DigitGroup).end;
    const start = withParenthesis(text.plain, hasPlus ? run.start : (window[0] as DigitGroup).start, end);
    if (tag !== undefined && !/^\s*(?:円|どる|yen\b|dollars?\b)/.test(text.kana.slice(end, end + 10))) {
      return { next, span: { start, end, tag } satisfies PersonalSpan };
    }
  }
  return undefined;
}

/** The first parenthesis of (03) 1234-5678 goes with the second. */
function withParenthesis(text: string, start: number, end: number): number {
  return text[start - 1] === '(' && text.slice(start, end).includes(')') ? start - 1 : start;
}

function tagAfterPlus(window: readonly DigitGroup[]): PersonalSpan['tag'] | undefined {
  const digits = digitsIn(window);
  if (!/^[1-9]\d{7,14}$/.test(digits)) return undefined;
  // Groups after a valid number are not part of it. A number of an unknown plan counts as it is.
  const isValid = parsePhoneNumberFromString(`+${digits}`)?.isValid() === true;
  return isValid || window.length === 1 || !hasValidStart(window) ? 'PHONE_NUMBER' : undefined;
}

function hasValidStart(window: readonly DigitGroup[]): boolean {
  return window.some((_, index) => {
    const start = `+${digitsIn(window.slice(0, index + 1))}`;
    return parsePhoneNumberFromString(start)?.isValid() === true;
  });
}

function tagOf(window: readonly DigitGroup[]): PersonalSpan['tag'] | undefined {
  const digits = digitsIn(window);
  if (isPhoneNumber(digits, window)) return 'PHONE_NUMBER';
  if (isList(window)) return undefined;
  if (digits.length === 12 && hasIndividualCheckDigit(digits)) return 'MY_NUMBER';
  return digits.length >= 13 && /[1-9]/.test(digits) && passesLuhn(digits) ? 'CARD_NUMBER' : undefined;
}

function digitsIn(window: readonly DigitGroup[]): string {
  return window.map(({ digits }) => digits).join('');
}

function isPhoneNumber(digits: string, window: readonly DigitGroup[]): boolean {
  const [first = '', ...others] = window.map((group) => group.digits);
  // 0.9012345678 is a fraction.
  if (others.length > 0 && first.length === 1 && first === '0') return false;
  if (isJapanesePhoneNumber(digits)) return true;
  if (/^(?:010|00)81[1-9]\d{8,9}$/.test(digits)) return true;
  // North American numbers are recognized by their groups only.
  const shape = window.map((group) => group.digits.length).join('-');
  return /^(?:1-)?3-3-4$/.test(shape) && /^1?[2-9]\d{2}[2-9]\d{6}$/.test(digits);
}

/** Eleven digits for mobile, IP and some toll-free numbers, ten for all others. */
export function isJapanesePhoneNumber(digits: string): boolean {
  return /^0[5-9]0\d{8}$/.test(digits) || /^0(?![5-9]0)[1-9]\d{8}$/.test(digits);
}

/** 1, 2, 3, … 10, 11: commas between numbers of different lengths, some of a single digit. */
function isList(window: readonly DigitGroup[]): boolean {
  const hasComma = window.some((group, index) => index > 0 && group.hasComma);
  return hasComma && window.some(({ digits }) => digits.length === 1) && window.length > 1;
}

export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let fromEnd = 0; fromEnd < digits.length; fromEnd += 1) {
    const digit = Number(digits[digits.length - 1 - fromEnd]);
    const weighted = fromEnd % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

/** The check digit of the Japanese individual number, the last of twelve digits. */
export function hasIndividualCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let place = 1; place <= 11; place += 1) {
    sum += Number(digits[11 - place]) * (place <= 6 ? place + 1 : place - 5);
  }
  const remainder = sum % 11;
  return Number(digits[11]) === (remainder <= 1 ? 0 : 11 - remainder);
}
