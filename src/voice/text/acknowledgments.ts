import { foldWords } from './folding.ts';
import { isJapanese } from './language.ts';
import { memo } from './memo.ts';

/** Whole phrases that say "I am listening" and nothing else. Folded, without punctuation. */
const japaneseAcknowledgments = (
  'はい、はーい、はいよ、ええ、うん、うむ、うんうん、ん、んん、んー、はあ、はぁ、ほう、ほー、ほうほう、へえ、へー、' +
  'へぇ、ふーん、ふうん、ふむ、ふむふむ、ふんふん、ああ、あー、あっ、あ、おお、おー、そう、そうそう、そうか、そっか、' +
  'そうです、そうですか、そうですね、そうですよね、そうなんですか、そうなんですね、そうだね、そうね、そうなんだ、' +
  'なるほど、なるほどね、なるほどですね、確かに、たしかに、分かりました、わかりました、わかった、分かった、了解、' +
  '了解です、了解しました、承知しました、かしこまりました、ok、okです、okay、おーけー、おっけー、おっけーです、' +
  'いえす'
).split('、');

const englishAcknowledgments = (
  'mhm, mm, mmm, mm hmm, mm hm, mmhmm, mhmm, hm, hmm, uh huh, uhhuh, ah, aha, oh, ooh, huh, yeah, yea, ' +
  'yes, yep, yup, ya, okay, ok, okey, kay, k, alright, all right, right, sure, sure thing, i see, ' +
  'i understand, understood, got it, gotcha, i got it, makes sense, that makes sense, of course, i know, ' +
  'exactly, absolutely, definitely, totally, true, indeed, great, good, cool, nice, fine, perfect, wow'
).split(', ');

export interface Phrases {
  /** As `foldPhrase` returns them. */
  readonly phrases: ReadonlySet<string>;
  readonly maxLength: number;
}

/** Japanese has no spaces that mean something; English phrases are words with one space between them. */
export function foldPhrase(text: string, language: string): string {
  const folded = foldWords(text).replace(/[’']/g, '');
  if (!isJapanese(language)) {
    return folded
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .replace(/(\p{L})\1{2,}/gu, '$1$1')
      .trim();
  }
  return folded
    .replace(/[~〜]/g, 'ー')
    .replace(/ー{2,}/g, 'ー')
    .replace(/[^\p{L}\p{N}ー]+/gu, '');
}

function phraseTable(list: readonly string[], language: string): Phrases {
  const phrases = new Set(list.map((phrase) => foldPhrase(phrase, language)));
  return { phrases, maxLength: Math.max(...[...phrases].map((phrase) => phrase.length)) };
}

const acknowledgmentTable = memo((base) =>
  phraseTable(base === 'ja' ? japaneseAcknowledgments : englishAcknowledgments, base),
);

export function acknowledgmentPhrases(language: string): Phrases {
  return acknowledgmentTable(isJapanese(language) ? 'ja' : 'en');
}

/** Whether a text is acknowledgments alone, one or several: "はい、はい" and "yeah, okay", not "はい、でも" or "yeah, but". */
export function isAcknowledgment(text: string, language: string): boolean {
  return consistsOf(text, language, acknowledgmentTable(isJapanese(language) ? 'ja' : 'en'));
}

/** What the agent says while the caller speaks, if it has no words of its own. */
export function backchannelWords(language: string): readonly string[] {
  return isJapanese(language) ? ['はい', 'ええ', 'なるほど'] : ['Mm-hmm.', 'Right.', 'I see.'];
}

/** A longer text says something else, too. */
const maxCharacters = 80;

/** Whether the text is a sequence of phrases. All ways to divide it are tried, so that no phrase hides another. */
function consistsOf(text: string, language: string, { phrases, maxLength }: Phrases): boolean {
  if (text.length > maxCharacters) return false;
  const folded = foldPhrase(text, language);
  if (folded === '') return false;
  const hasSpaces = !isJapanese(language);
  const isReachable = new Array<boolean>(folded.length + 2).fill(false);
  isReachable[0] = true;
  for (let start = 0; start < folded.length; start += 1) {
    if (isReachable[start] !== true) continue;
    for (let end = start + 1; end <= Math.min(folded.length, start + maxLength); end += 1) {
      const isWordEnd = !hasSpaces || end === folded.length || folded[end] === ' ';
      if (!isWordEnd || !phrases.has(folded.slice(start, end))) continue;
      if (end === folded.length) return true;
      isReachable[hasSpaces ? end + 1 : end] = true;
    }
  }
  return false;
}
