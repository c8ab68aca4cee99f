import { englishMonths, englishOrdinal } from '../../../text/numerals.ts';
import { applyRules, type Rule } from './text-rules.ts';

/** What Flite reads wrongly, and what it should be given instead. Applied in order. */
const monthNames = englishMonths.join('|');
const currencies: Readonly<Record<string, readonly [string, string]>> = {
  '€': ['euro', 'euros'],
  '£': ['pound', 'pounds'],
  '¥': ['yen', 'yen'],
};
const units: Readonly<Record<string, string>> = {
  km: 'kilometers',
  kg: 'kilograms',
  cm: 'centimeters',
  mm: 'millimeters',
  ml: 'milliliters',
  '°C': 'degrees Celsius',
  '°F': 'degrees Fahrenheit',
  '°': 'degrees',
};

const rules: readonly Rule[] = [
  [/[‘’]/g, "'"],
  [/[“”«»]/g, '"'],
  [/\s*[—–―]\s*/g, ', '],
  [/…/g, '. '],
  [/([€£¥])\s?(\d+(?:,\d{3})*)(?:\.(\d\d))?/g, (_, sign = '', whole = '', cents) => money(sign, whole, cents)],
  [/(\d)\s?(km|kg|cm|mm|ml|°C|°F|°)(?![A-Za-z])/g, (_, digit = '', unit = '') => `${digit} ${units[unit]}`],
  // Dates in numbers: 2026-12-24, and 12/24/2026 as in the United States.
  [/\b(\d{4})-(\d\d)-(\d\d)\b/g, (all, year = '', month = '', day = '') => dateOf(year, month, day) ?? all ?? ''],
  [
    /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g,
    (all, month = '', day = '', year = '') => dateOf(year, month, day) ?? all ?? '',
  ],
  [/\b(\d{1,2})(?::00)?\s?([ap])\.?m\b\.?/gi, (_, hour = '', half = '') => `${hour} ${half.toUpperCase()} M`],
  [/(:\d\d)\s?([ap])\.?m\b\.?/gi, (_, minutes = '', half = '') => `${minutes} ${half.toUpperCase()} M`],
  [/\b(\d{1,2}):00\b/g, "$1 o'clock"],
  // A year of the last millennium is read as two numbers.
  [
    new RegExp(
      `\\b((?:in|since|until|by|from|year|of|${monthNames})(?: \\d{1,2}(?:st|nd|rd|th)?,)?) (1[1-9])(\\d\\d)\\b`,
      'gi',
    ),
    (_, before = '', century = '', year = '') =>
      `${before} ${century} ${year === '00' ? 'hundred' : year.replace(/^0/, 'oh ')}`,
  ],
  // The digits of a code are read one by one.
  [/\b([A-Z]{1,3})-?(\d{2,})\b/g, (_, letters = '', digits = '') => [...letters, ...digits].join(' ')],
  [/(^|\s)\+(?=\d)/g, '$1plus '],
  [/\s*&\s*/g, ' and '],
  [/(\w)@(\w)/g, '$1 at $2'],
  [/\bvs\b\.?/gi, 'versus'],
  [/\be\.g\.,?/gi, 'for example'],
  [/\bi\.e\.,?/gi, 'that is'],
  [/\betc\.?/gi, 'et cetera'],
  [/\bNo\. ?(?=\d)/g, 'number '],
  [/#(?=\d)/g, 'number '],
];

/** Text that Flite reads as a person would. Empty if nothing of it can be spoken. */
export function readableEnglish(text: string): string {
  // The voice knows ASCII: accents are dropped, and so is what has no letter in it.
  const ascii = applyRules(text.normalize('NFC'), rules)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return /[A-Za-z0-9]/.test(ascii) ? ascii : '';
}

function money(sign: string, whole: string, cents: string | undefined): string {
  const [one = '', many = ''] = currencies[sign] ?? [];
  const amount = `${whole} ${whole === '1' ? one : many}`;
  return cents === undefined || cents === '00' ? amount : `${amount} ${cents.replace(/^0/, 'oh ')}`;
}

function dateOf(year: string, month: string, day: string): string | undefined {
  const name = englishMonths[Number(month) - 1];
  const number = Number(day);
  if (name === undefined || number < 1 || number > 31) return undefined;
  return `${name} ${englishOrdinal(number)}, ${year}`;
}
