import { isJapanese } from '../text/language.ts';
import { normalizeText } from '../text/normalized.ts';
import { digitsOf, findDigitRuns } from '../text/spoken-digits.ts';
import { onlyDigits } from './digits.ts';

/** In Japan seven digits, as 150-0001. Elsewhere letters and digits as they are said, in capitals and without spaces. */
export function understandPostalCode(words: string, language: string): string | undefined {
  return isJapanese(language) ? japanesePostalCode(words) : otherPostalCode(words);
}

function japanesePostalCode(words: string): string | undefined {
  const number = onlyDigits(words);
  if (number === undefined || number.hasPlus || number.digits.length !== 7) return undefined;
  return `${number.digits.slice(0, 3)}-${number.digits.slice(3)}`;
}

const introduction = /^(?:.*\b(?:is|it's|its|code|postcode|zip)\b[\s:,]*)?/;

function otherPostalCode(words: string): string | undefined {
  const text = normalizeText(words.replaceAll('’', "'")).plain.replace(
    /[\s,.!]*(?:please|thanks|thank you)?[\s,.!]*$/,
    '',
  );
  const pieces = text
    .replace(introduction, '')
    .replaceAll(/\b(double|triple)\s+/g, '$1_')
    .split(/[\s,.]+|(-)/)
    .filter((piece) => piece !== undefined && piece !== '')
    .map(pieceOf);
  if (pieces.includes(undefined)) return undefined;
  const hasLetters = pieces.some((piece) => /[A-Z]/.test(piece ?? '') && piece !== 'O');
  // O is a zero among digits and a letter among letters; "oh" is a zero.
  const code = pieces.map((piece) => (piece === 'O' && !hasLetters ? '0' : piece)).join('');
  return /^[A-Z0-9](?:[A-Z0-9-]{1,8})[A-Z0-9]$/.test(code) && /\d/.test(code) ? code : undefined;
}

function pieceOf(piece: string): string | undefined {
  if (/^(?:-|dash|hyphen)$/.test(piece)) return '-';
  if (/^[a-z]$/.test(piece)) return piece.toUpperCase();
  const runs = findDigitRuns(normalizeText(piece.replace('_', ' ')));
  const [run] = runs;
  if (runs.length === 1 && run !== undefined && run.start === 0 && run.end === piece.length) return digitsOf(run);
  return /^(?=.*\d)[a-z0-9]{2,8}$/.test(piece) ? piece.toUpperCase() : undefined;
}
