import type { NormalizedText } from './normalized.ts';
import type { PersonalSpan } from './personal-data-tags.ts';
import { phoneLibrary } from './phone-library.ts';
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

interface Window {
  readonly digits: string;
  readonly groups: readonly DigitGroup[];
  /** The group after the last one. */
  readonly next: number;
  /** Whether other digits of the run stand right before or after it. */
  readonly isPart: boolean;
}

/** A number that begins with a group: a phone number before all others, the longest of its kind. */
function longestAt(text: NormalizedText, run: DigitRun, groups: readonly DigitGroup[], from: number) {
  const hasPlus = run.hasPlus && from === 0;
  const windows = windowsAt(groups, from);
  for (const [tag, matches] of hasPlus ? detectorsAfterPlus : detectors) {
    const window = windows.find(matches);
    if (window === undefined) continue;
    const end = (window.groups.at(-1) as DigitGroup).end;
    if (/^\s*(?:円|どる|yen\b|dollars?\b)/.test(text.kana.slice(end, end + 10))) continue;
    const start = withParenthesis(text.plain, hasPlus ? run.start : (groups[from] as DigitGroup).start, end);
    return { next: window.next, span: { start, end, tag } satisfies PersonalSpan };
  }
  return undefined;
}

/** All that begin with a group and have a possible length, the longest first. */
function windowsAt(groups: readonly DigitGroup[], from: number): Window[] {
  const windows: Window[] = [];
  let digits = '';
  for (let place = from; place < groups.length; place += 1) {
    digits += (groups[place] as DigitGroup).digits;
    if (digits.length > maxDigits) break;
    if (digits.length < minDigits) continue;
    const next = place + 1;
    const isPart = (from > 0 && groups[from]?.hasComma === false) || groups[next]?.hasComma === false;
    windows.push({ digits, groups: groups.slice(from, next), next, isPart });
  }
  return windows.reverse();
}

const detectors: readonly (readonly [PersonalSpan['tag'], (window: Window) => boolean])[] = [
  ['PHONE_NUMBER', isPhoneNumber],
  [
    'CARD_NUMBER',
    (window) =>
      window.digits.length >= 13 && /[1-9]/.test(window.digits) && passesLuhn(window.digits) && !isList(window),
  ],
  [
    'MY_NUMBER',
    (window) =>
      window.digits.length === 12 && !window.isPart && hasIndividualCheckDigit(window.digits) && !isList(window),
  ],
];
const detectorsAfterPlus: typeof detectors = [
  [
    'PHONE_NUMBER',
    ({ digits }) =>
      isInternational(digits) && phoneLibrary().parsePhoneNumberFromString(`+${digits}`)?.isValid() === true,
  ],
  // A number of an unknown plan.
  ['PHONE_NUMBER', ({ digits }) => isInternational(digits)],
];

function isInternational(digits: string): boolean {
  return /^[1-9]\d{7,14}$/.test(digits);
}

/** The first parenthesis of (03) 1234-5678 goes with the second. */
function withParenthesis(text: string, start: number, end: number): number {
  return text[start - 1] === '(' && text.slice(start, end).includes(')') ? start - 1 : start;
}

function isPhoneNumber({ digits, groups }: Window): boolean {
  // 0.9012345678 is a fraction.
  if (groups.length > 1 && groups[0]?.digits === '0') return false;
  if (isJapanesePhoneNumber(digits) || /^(?:010|00)81[1-9]\d{8,9}$/.test(digits)) return true;
  // North American numbers are recognized by their groups only.
  if (!/^1?[2-9]\d{2}[2-9]\d{6}$/.test(digits)) return false;
  return /^(?:1-)?3-3-4$/.test(groups.map((group) => group.digits.length).join('-'));
}

/** Eleven digits for mobile, IP and some toll-free numbers, ten for all others. */
export function isJapanesePhoneNumber(digits: string): boolean {
  return /^0[5-9]0\d{8}$/.test(digits) || /^0(?![5-9]0)[1-9]\d{8}$/.test(digits);
}

/** 1, 2, 3, … 10, 11: commas between numbers of different lengths, some of a single digit. */
function isList({ groups }: Window): boolean {
  const hasComma = groups.some((group, index) => index > 0 && group.hasComma);
  return hasComma && groups.some(({ digits }) => digits.length === 1);
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
