import type { NormalizedText } from './normalized.ts';

/** How Japanese digits are read one by one, in hiragana. にい is not 2 in にいち, which is 21. */
const japaneseReadings: readonly (readonly [string, string])[] = [
  ['ぜろ|れい|まる', '0'],
  ['いち', '1'],
  ['にい(?!ち)|にー|に', '2'],
  ['さん', '3'],
  ['よん|よー|よ|しい(?!ち)|しー|し(?!ち)', '4'],
  ['ごお|ごー|ご', '5'],
  ['ろく', '6'],
  ['なな|しち', '7'],
  ['はち', '8'],
  ['きゅう|きゅー|くー|く', '9'],
];
const englishReadings = ['zero|oh|o', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const kanjiDigits = '〇零一二三四五六七八九';

const englishWord = englishReadings.join('|');
const token = new RegExp(
  [
    '([0-9]+)',
    `([${kanjiDigits}])`,
    `(\\b(?:double|triple)\\s{1,3}(?:${englishWord}|[0-9])\\b)`,
    `(\\b(?:${englishWord})\\b)`,
    `(${japaneseReadings.map(([readings]) => readings).join('|')})`,
    '(\\+|ぷらす|\\bplus\\b)',
    '(\\s+)',
    // A comma right before a digit separates thousands or the numbers of a list.
    '[-‐‑‒–—―−─ー.。、()]|,(?![0-9])|の|はいふん|だっしゅ|\\b(?:dash|hyphen)\\b',
    'え[ーえ]{0,4}っ?と[ーお]?|えー+|あのー*|うーん?と?|\\b(?:um+|uh+|er+m?)\\b',
  ].join('|'),
  'gu',
);
const wholeJapaneseReadings = japaneseReadings.map(
  ([readings, digit]) => [new RegExp(`^(?:${readings.replaceAll(/\(\?![^)]*\)/g, '')})$`), digit] as const,
);
const wholeEnglishReadings = englishReadings.map((readings) => new RegExp(`^(?:${readings})$`));

export interface SpokenDigit {
  /** One digit, or more if they are written together, and for `double five`. */
  readonly digits: string;
  readonly start: number;
  readonly end: number;
  readonly kind: 'written' | 'kanji' | 'kana' | 'english';
  /** What stands between this digit and the one before it: nothing, spaces, or a dash, a comma or a filler. */
  readonly separation: 'none' | 'weak' | 'strong';
  readonly hasComma: boolean;
}

/** Digits that follow each other, with nothing but separators between them. Places are those of the normalized text. */
export interface DigitRun {
  readonly start: number;
  readonly end: number;
  readonly hasPlus: boolean;
  readonly tokens: readonly SpokenDigit[];
}

export interface DigitGroup {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
  readonly hasComma: boolean;
}

/** All runs of digits, written as 0 to 9 or spoken one by one in Japanese or English. */
export function findDigitRuns(text: NormalizedText): DigitRun[] {
  const runs: DigitRun[] = [];
  let tokens: SpokenDigit[] = [];
  let plusAt: number | undefined;
  let between = '';
  let lastEnd = 0;
  const finish = (): void => {
    if (tokens.length > 0) runs.push(...withoutParticles(runOf(tokens, plusAt)));
    tokens = [];
    plusAt = undefined;
  };
  for (const match of text.kana.matchAll(token)) {
    if (match.index !== lastEnd) finish();
    lastEnd = match.index + match[0].length;
    const digit = digitOf(match);
    if (digit !== undefined) {
      const isFirst = tokens.length === 0;
      const separation = isFirst || between === '' ? 'none' : /^\s*$/.test(between) ? 'weak' : 'strong';
      const hasComma = !isFirst && /[,、]/.test(between);
      tokens.push({ ...digit, separation, hasComma, start: match.index, end: lastEnd });
      between = '';
    } else if (match[6] !== undefined) {
      // A plus begins a number: what came before is another one.
      finish();
      plusAt = match.index;
      between = '';
    } else {
      between = tokens.length === 0 ? '' : between + match[0];
    }
  }
  finish();
  return runs;
}

function runOf(tokens: readonly SpokenDigit[], plusAt?: number): DigitRun {
  const [first, last] = [tokens[0] as SpokenDigit, tokens.at(-1) as SpokenDigit];
  return { start: plusAt ?? first.start, end: last.end, hasPlus: plusAt !== undefined, tokens };
}

/** に, ご, さん and others are more often a word than a digit. */
export function isAmbiguous({ kind, digits }: SpokenDigit): boolean {
  return kind === 'kana' && '23459'.includes(digits);
}

/** Splits a run at words that only look like digits: 090-1234-5678に, 〇三に. Next to a numeral they are words. */
function withoutParticles(run: DigitRun): DigitRun[] {
  const isNumeral = (token: SpokenDigit | undefined): boolean => token?.kind === 'written' || token?.kind === 'kanji';
  const isWord = (token: SpokenDigit, index: number): boolean =>
    isAmbiguous(token) && (isNumeral(run.tokens[index - 1]) || isNumeral(run.tokens[index + 1]));
  if (!run.tokens.some(isWord)) return [run];
  const parts: SpokenDigit[][] = [[]];
  run.tokens.forEach((token, index) => {
    if (isWord(token, index)) parts.push([]);
    else (parts.at(-1) as SpokenDigit[]).push(token);
  });
  return parts.flatMap((tokens, index) => {
    if (tokens.length === 0) return [];
    return [runOf(tokens, index === 0 && run.hasPlus ? run.start : undefined)];
  });
}

/**
 * The run, and the run without ambiguous readings at its ends, the longest first: in さんゼロキュウゼロ…に, the first and
 * the last can belong to the words around it.
 */
export function trimmedRuns(run: DigitRun): DigitRun[] {
  const { tokens } = run;
  if (![tokens[0], tokens.at(-1)].some((token) => token !== undefined && isAmbiguous(token))) return [run];
  const ambiguousFrom = (places: readonly number[]): number => {
    const first = places.findIndex((place) => tokens[place] === undefined || !isAmbiguous(tokens[place]));
    return first === -1 ? 0 : first;
  };
  const leading = run.hasPlus ? 0 : ambiguousFrom([0, 1, 2]);
  const trailing = ambiguousFrom([1, 2, 3].map((fromEnd) => tokens.length - fromEnd));
  const trims = [0, 1, 2].flatMap((start) => [0, 1, 2].map((end) => ({ start, end })));
  return trims
    .filter(({ start, end }) => start <= leading && end <= trailing && start + end < tokens.length)
    .sort((one, other) => one.start + one.end - other.start - other.end)
    .map(({ start, end }) => {
      if (start + end === 0) return run;
      return runOf(tokens.slice(start, tokens.length - end), run.hasPlus ? run.start : undefined);
    });
}

function digitOf(match: RegExpMatchArray): Pick<SpokenDigit, 'kind' | 'digits'> | undefined {
  const [text, written, kanji, repeated, english, kana] = match;
  if (written !== undefined) return { kind: 'written', digits: text };
  if (kanji !== undefined) return { kind: 'kanji', digits: String(Math.max(0, kanjiDigits.indexOf(text) - 1)) };
  if (kana !== undefined) {
    return { kind: 'kana', digits: wholeJapaneseReadings.find(([pattern]) => pattern.test(text))?.[1] ?? '' };
  }
  if (english !== undefined) return { kind: 'english', digits: englishDigit(text) };
  if (repeated === undefined) return undefined;
  const [repetition, word = ''] = text.split(/\s+/);
  return { kind: 'english', digits: englishDigit(word).repeat(repetition === 'double' ? 2 : 3) };
}

function englishDigit(word: string): string {
  return /^[0-9]$/.test(word) ? word : String(wholeEnglishReadings.findIndex((pattern) => pattern.test(word)));
}

export function digitsOf(run: DigitRun): string {
  return run.tokens.map(({ digits }) => digits).join('');
}

/**
 * The groups in which a run was written or said: 090-1234-5678 has three. Spaces separate groups only if digits are
 * written together elsewhere in the run, because recognizers put a space after every spoken digit. If every digit is on
 * its own, they are one group.
 */
export function groupsOf(run: DigitRun): DigitGroup[] {
  const isWrittenTogether = run.tokens.some(({ kind, digits }) => kind === 'written' && digits.length > 1);
  const groups: DigitGroup[] = [];
  for (const { digits, start, end, separation, hasComma } of run.tokens) {
    const last = groups.at(-1);
    const isNew = isWrittenTogether ? separation !== 'none' : separation === 'strong';
    if (last === undefined || isNew) groups.push({ digits, start, end, hasComma });
    else groups[groups.length - 1] = { ...last, digits: last.digits + digits, end };
  }
  const [first, final] = [groups[0], groups.at(-1)];
  if (first === undefined || final === undefined || groups.some(({ digits }) => digits.length > 1)) return groups;
  return [{ digits: digitsOf(run), start: first.start, end: final.end, hasComma: false }];
}
