import { isJapanese } from './language.ts';
import { wordSegmenter } from './segmenter.ts';

export interface Word {
  readonly text: string;
  /** Offsets in UTF-16 code units, as in `String.slice`. */
  readonly start: number;
  readonly end: number;
}

/** Words without punctuation. Japanese has no spaces, so words are what the segmenter's dictionary says. */
export function wordsOf(text: string, language: string): Word[] {
  const words: Word[] = [];
  for (const { segment, index, isWordLike } of wordSegmenter(language).segment(text)) {
    if (isWordLike === true) words.push({ text: segment, start: index, end: index + segment.length });
  }
  return words;
}

export function countWords(text: string, language: string): number {
  let count = 0;
  for (const { isWordLike } of wordSegmenter(language).segment(text)) if (isWordLike === true) count += 1;
  return count;
}

interface SpeechRate {
  /** Each start of a word that is written in letters. */
  readonly wordMs: number;
  readonly letterMs: number;
  readonly digitMs: number;
}

/** A mora takes 133 ms: 7.5 per second, usual for a clear voice on the phone. */
const moraMs = 133;
/** 162 words per minute at four letters per word, as in conversation. */
const englishRate: SpeechRate = { wordMs: 150, letterMs: 55, digitMs: 350 };
/** Latin letters in Japanese are read as loanwords or spelled; a digit has two morae. */
const japaneseRate: SpeechRate = { wordMs: 0, letterMs: moraMs, digitMs: 2 * moraMs };
const sentencePauseMs = 300;
const commaPauseMs = 150;

/** Estimates how long a voice takes to say a text at speed 1. Never decreases when the text grows. */
export function speechMs(text: string, language: string): number {
  const rate = isJapanese(language) ? japaneseRate : englishRate;
  let ms = 0;
  let wasLetter = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isLetter = isAlphabetic(code);
    if (isLetter) ms += wasLetter ? rate.letterMs : rate.wordMs + rate.letterMs;
    else ms += characterMs(code, rate);
    // An apostrophe does not start a new word: don't.
    wasLetter = isLetter || (wasLetter && (code === 0x27 || code === 0x2019));
  }
  return Math.round(ms);
}

/** Scripts with spaces between words: Latin, Greek, Cyrillic, Hebrew, Arabic and their neighbors. */
function isAlphabetic(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  return (code >= 0xc0 && code <= 0x1fff) || (code >= 0xff21 && code <= 0xff5a);
}

function characterMs(code: number, rate: SpeechRate): number {
  if ((code >= 0x30 && code <= 0x39) || (code >= 0xff10 && code <= 0xff19)) return rate.digitMs;
  if (code >= 0x3041 && code <= 0x30ff) return isSmallKana(code) ? 0 : moraMs;
  // A kanji has two morae on average, a Hangul syllable is a little longer than a mora.
  if ((code >= 0x3400 && code <= 0x9fff) || code === 0x3005) return 2 * moraMs;
  if (code >= 0xac00 && code <= 0xd7a3) return 180;
  if (isOneOf('。！？.!?\n', code)) return sentencePauseMs;
  if (isOneOf('、，,;:', code)) return commaPauseMs;
  return 0;
}

/** ゃ and its like share the mora of the kana before them; っ and ー are morae of their own. */
function isSmallKana(code: number): boolean {
  return isOneOf('ぁぃぅぇぉゃゅょゎァィゥェォャュョヮ・', code);
}

function isOneOf(characters: string, code: number): boolean {
  return characters.includes(String.fromCharCode(code));
}
