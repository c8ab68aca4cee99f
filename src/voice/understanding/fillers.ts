import { englishFillers } from '../text/fillers.ts';
import { isJapanese } from '../text/language.ts';
import { normalizeText } from '../text/normalized.ts';

interface Filler {
  /** In hiragana and lower case. */
  readonly text: string;
  /**
   * What may follow it at the beginning and stand before it at the end. `anything`: it is never part of another word.
   * `script`: also kanji, katakana, letters or digits, as in はい予約です. `pause`: あの店 is no filler and あの、店 is one.
   */
  readonly next: 'anything' | 'script' | 'pause';
}

const japanese: readonly Filler[] = [
  ...'えっと えーと ええと えーっと ええっと えとー えっとー えーとー うーんと んーと あのー そのー'
    .split(' ')
    .map((text) => ({ text, next: 'anything' as const })),
  ...'えー うーん んー はい はいはい ええ うん うんうん ああ あー あっ おお おー じゃあ じゃ では それでは そうですね そうだな なるほど まあ もしもし わかりました'
    .split(' ')
    .map((text) => ({ text, next: 'script' as const })),
  ...'あの その あのう そのう んと うんと なんか ま あ え ん ね 了解 了解です なんていうか 分かりました'
    .split(' ')
    .map((text) => ({ text, next: 'pause' as const })),
];
const english: readonly Filler[] = [
  ...englishFillers,
  ...'uh-huh|mhm|mm-hmm|okay|ok|yeah|yes|yep|yup|right|sure|alright|actually|basically|hello|hi|let me check'.split(
    '|',
  ),
  ...'all right|one moment|just a moment|one second|just a second|hold on|got it|i see|of course'.split('|'),
].map((text) => ({ text, next: 'pause' }));

/** By their first and by their last character, the longest first: looking through all of them for each answer was slow. */
export type Fillers = ReturnType<typeof indexed>;

function indexed(fillers: readonly Filler[]) {
  const all = [...fillers].sort((one, other) => other.text.length - one.text.length);
  return {
    all,
    byFirst: Map.groupBy(all, ({ text }) => text[0] as string),
    byLast: Map.groupBy(all, ({ text }) => text.at(-1) as string),
  };
}
const englishIndex = indexed(english);
const japaneseIndex = indexed([...japanese, ...english]);

/** The fillers of a language, without those that a phrase contains. Callers mix in English ones, in any language. */
export function fillersOf(language: string, contains?: (filler: string) => boolean): Fillers {
  const fillers = isJapanese(language) ? japaneseIndex : englishIndex;
  return contains === undefined ? fillers : indexed(fillers.all.filter(({ text }) => !contains(text)));
}

const pause = /[\s、。，,.!?…・-]/;
/** A script other than hiragana: there, a word in hiragana has ended. */
const otherScript = /[\p{Script=Han}\p{Script=Katakana}a-z0-9]/u;

/** How much is searched at both ends of a long text: nobody begins with more fillers, and normalizing takes time. */
const maxSearched = 500;

/**
 * The words without acknowledgments and fillers at both ends, and the pauses next to them. Empty if nothing else was
 * said. What remains is as it was.
 */
export function stripFillers(words: string, fillers: Fillers): string {
  if (words.length <= 2 * maxSearched) return stripped(words, fillers, true, true);
  const start = stripped(words.slice(0, maxSearched), fillers, true, false);
  const end = stripped(words.slice(-maxSearched), fillers, false, true);
  return (start + words.slice(maxSearched, -maxSearched) + end).trim();
}

function stripped(words: string, fillers: Fillers, isStart: boolean, isEnd: boolean): string {
  const { plain, kana, starts, ends } = normalizeText(words);
  let start = 0;
  let end = kana.length;
  let until = skip(kana, end - 1, -1, -1) + 1;
  let isCut = false;
  for (let isChanged = true; isChanged && start < end; ) {
    const from = isStart ? skip(kana, start, 1, end) : start;
    if (from >= until) return '';
    const opening = isStart ? fillers.byFirst.get(kana[from] as string) : undefined;
    const first = opening?.find((filler) => beginsWith(plain, kana, filler, from, until));
    const closing = isEnd && first === undefined ? fillers.byLast.get(kana[until - 1] as string) : undefined;
    const last = closing?.find((filler) => endsWith(plain, kana, filler, from, until));
    isChanged = first !== undefined || last !== undefined;
    if (first !== undefined) start = skip(kana, from + first.text.length, 1, end);
    if (last !== undefined) {
      end = until - last.text.length;
      until = skip(kana, end - 1, -1, from - 1) + 1;
    }
    isCut ||= last !== undefined;
  }
  if (start >= end) return '';
  const rest = words.slice(starts[start], ends[end - 1]);
  const whole = isStart && isEnd ? rest.trim() : rest;
  return isCut ? withoutPause(whole) : whole;
}

/** Without the pause before a filler that was cut. */
function withoutPause(words: string): string {
  let end = words.length;
  while (end > 0 && /[\s、，,…・-]/.test(words[end - 1] as string)) end -= 1;
  return words.slice(0, end);
}

function skip(text: string, place: number, step: 1 | -1, limit: number): number {
  let next = place;
  while (next !== limit && pause.test(text[next] as string)) next += step;
  return next;
}

function beginsWith(plain: string, kana: string, filler: Filler, from: number, until: number): boolean {
  const end = from + filler.text.length;
  if (end > until || !kana.startsWith(filler.text, from)) return false;
  return end === until || mayEndAt(filler, plain[end - 1] as string, plain[end] as string);
}

function endsWith(plain: string, kana: string, filler: Filler, from: number, until: number): boolean {
  const start = until - filler.text.length;
  if (start < from || !kana.startsWith(filler.text, start)) return false;
  // At the end, only a pause separates a filler: 店では ends with では.
  return start === from || pause.test(plain[start - 1] as string);
}

function mayEndAt({ next }: Filler, last: string, following: string): boolean {
  if (next === 'anything' || pause.test(following)) return true;
  // ハイボール does not begin with はい.
  const isOneScript = /[ァ-ヶー]/.test(last) && /[ァ-ヶー]/.test(following);
  return next === 'script' && otherScript.test(following) && !isOneScript;
}
