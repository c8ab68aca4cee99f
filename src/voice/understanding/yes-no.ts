import { foldWords } from '../text/folding.ts';
import { isJapanese } from '../text/language.ts';

type Meaning = 'yes' | 'no' | 'unsure' | 'nothing';

/**
 * Each list in hiragana, longest match first. `unsure` holds what sounds like an answer and is none: いいです can be
 * both. `nothing` holds words that contain an answer by accident, and fillers.
 */
const japanese: Readonly<Record<Meaning, string>> = {
  yes: 'はい はいはい ええ うん うんうん そう そうです そうそう そうしてください おねがい お願い おねがいします お願いします お願いいたします お願い致します おっしゃる通り その通り そのとおり もちろん 勿論 ぜひ 是非 了解 承知 承知しました かしこまりました わかりました 分かりました 合っています あっています 合ってます あってます 正しいです 間違いありません まちがいありません 間違いないです 問題ありません 問題ないです もんだいないです よろしいです それでいいです それで結構です それでお願いします おーけー おっけー いえす いいとも 構いません かまいません 構わない かまわない',
  no: 'いいえ いえ いえいえ いや いやいや いやです ううん 違う ちがう 違います ちがいます 違いました ちがった 結構です けっこうです 大丈夫 大丈夫です だいじょうぶ だいじょうぶです だめ 駄目 だめです のー いらない いりません 要らない 要りません 不要 不要です 必要ない 必要ないです 必要ありません やめて やめます やめておきます やめときます 遠慮します しません 望みません そうではない そうではありません そうじゃない そうじゃありません 正しくない 正しくありません 正しくないです 合っていません 合ってません 合ってない あってません あってない よくない 良くない よくないです よろしくない お願いしません ありません ないです',
  unsure:
    'わからない 分からない わかりません 分かりません わかんない 知らない 知りません どうかな どうだろう たぶん 多分 もしかしたら かもしれない かもしれません いいです いいですか けっこう 結構 どちらでも どっちでも 迷って はいではない',
  nothing:
    'ええと ええっと えーと えっと そうですね そうだな そうですか そういう そうすると うんと はいって はいる はいり そうか そうかな いやあ です ですね ので じゃあ それ それで で',
};
const english: Readonly<Record<Meaning, string>> = {
  yes: 'yes|yeah|yep|yup|yea|ya|aye|sure|sure thing|of course|correct|right|that is right|absolutely|definitely|certainly|ok|okay|alright|all right|sounds good|sounds great|sounds right|go ahead|exactly|indeed|affirmative|i do|i would|i am|it is|please do|uh-huh|mhm|mm-hmm|no problem|no worries|not a problem|why not|by all means|you bet|perfect|do it|works for me|that works|no doubt|thats right|thats correct|i guess so|cannot complain|please',
  no: 'no|nope|nah|no way|no thanks|no thank you|not really|not correct|not right|is not right|is not correct|not okay|not ok|not exactly|not quite|not that|not this|not now|wrong|incorrect|negative|never|never mind|nevermind|do not|i do not|i would not|please do not|please no|it is not|i am not|that is not|of course not|certainly not|absolutely not|definitely not|not at all|uh-uh|nuh-uh|not today|cancel that|not|none|neither|i would rather not|does not|should not',
  unsure:
    'not sure|i am not sure|unsure|maybe|perhaps|i do not know|do not know|no idea|possibly|i guess|i think so|i suppose|depends|it depends|either|i am fine|not certain|yes and no|might be|i do not think so i do',
  nothing:
    'right now|right away|right here|on the right|to the right|all right now|no one|number|know|now|note|not only|no matter|ok google|please hold|please wait',
};

export function understandYesNo(words: string, language: string): boolean | undefined {
  // はい？ asks to repeat the question.
  if (/[?？]\s*$/.test(words)) return undefined;
  const text = foldWords(words);
  // A Japanese caller may answer in English, and the other way round.
  const [own, other] = isJapanese(language) ? [japaneseMeanings, englishMeanings] : [englishMeanings, japaneseMeanings];
  const meanings = own(text);
  const all = meanings.size > 0 ? meanings : other(text);
  if (all.has('unsure') || (all.has('yes') && all.has('no'))) return undefined;
  return all.has('yes') ? true : all.has('no') ? false : undefined;
}

type Entry = readonly [text: string, meaning: Meaning];

/** The entries by their first character, the longest first. `end` follows each of them. */
function tableOf(lists: Readonly<Record<Meaning, string>>, separator: string, end: string) {
  const entries = (Object.entries(lists) as [Meaning, string][])
    .flatMap(([meaning, list]) => list.split(separator).map((text): Entry => [foldWords(text) + end, meaning]))
    .sort(([one], [other]) => other.length - one.length);
  return Map.groupBy(entries, ([text]) => text[0] as string);
}
const japaneseTable = tableOf(japanese, ' ', '');
/** With the space that ends the last word. */
const englishTable = tableOf(english, '|', ' ');

function entryAt(table: ReadonlyMap<string, readonly Entry[]>, text: string, place: number): Entry | undefined {
  return table.get(text[place] ?? '')?.find(([entryText]) => text.startsWith(entryText, place));
}

const isShortKana = (text: string): boolean => /^[ぁ-んー]{1,4}$/.test(text);

/**
 * Reads each piece between pauses from left to right, the longest entry first. A short one in hiragana counts only if
 * a word ends there: at the end, before another entry, or where the script changes.
 */
function japaneseMeanings(text: string): Set<Meaning> {
  const found = new Set<Meaning>();
  for (const piece of text.split(/[\s、。,.!…・]+/)) {
    let isAtWord = true;
    for (let place = 0; place < piece.length; ) {
      const entry = entryAt(japaneseTable, piece, place);
      const end = place + (entry?.[0].length ?? 1);
      const counts: boolean = entry !== undefined && (!isShortKana(entry[0]) || (isAtWord && isWordEnd(piece, end)));
      if (counts && entry !== undefined && entry[1] !== 'nothing') found.add(entry[1]);
      isAtWord = counts;
      place = counts ? end : place + 1;
    }
  }
  return found;
}

function isWordEnd(piece: string, end: number): boolean {
  if (end === piece.length || !/[ぁ-んー]/.test(piece[end] as string)) return true;
  return entryAt(japaneseTable, piece, end) !== undefined || /^[よねなわさか]/.test(piece.slice(end));
}

const contractions: readonly (readonly [RegExp, string])[] = [
  [/\bcan(?:no|'?)t\b/g, 'can not'],
  [/\bwo'?nt\b|\bwon't\b/g, 'will not'],
  [/n't\b/g, ' not'],
  [/\bdont\b/g, 'do not'],
  [/\bisnt\b/g, 'is not'],
  [/\bi'm\b/g, 'i am'],
  [/\bi'd\b/g, 'i would'],
  [/\b(that|it)'s\b/g, '$1 is'],
];

function englishMeanings(text: string): Set<Meaning> {
  const found = new Set<Meaning>();
  if (!/[a-z]/.test(text)) return found;
  let plain = text.replaceAll('’', "'");
  for (const [pattern, replacement] of contractions) plain = plain.replaceAll(pattern, replacement);
  const words = plain.match(/[a-z]+(?:-[a-z]+)*/g) ?? [];
  for (let place = 0; place < words.length; ) {
    const rest = `${words.slice(place, place + 8).join(' ')} `;
    const entry = entryAt(englishTable, rest, 0);
    if (entry !== undefined && entry[1] !== 'nothing') found.add(entry[1]);
    place += entry === undefined ? 1 : wordCount(entry[0]);
    // What follows is denied: "that is not right".
    if (entry?.[1] === 'no' && entry[0].endsWith('not ')) place += wordsOfYes(words.slice(place, place + 8));
  }
  return found;
}

function wordsOfYes(words: readonly string[]): number {
  const rest = `${words.join(' ')} `;
  const entry = englishTable.get(rest[0] ?? '')?.find(([text, meaning]) => meaning === 'yes' && rest.startsWith(text));
  return entry === undefined ? 0 : wordCount(entry[0]);
}

function wordCount(entry: string): number {
  return entry.split(' ').length - 1;
}
