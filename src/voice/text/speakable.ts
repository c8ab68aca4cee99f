import { spokenName } from './character-names.ts';
import { isJapanese } from './language.ts';

/** A sentence as it goes on to the voice; '' is dropped. */
export type TextStage = (sentence: string) => string;

/** What could need a change. Most sentences have none of it and pass as they are. */
const suspicious =
  /[*_`#|~<>[\]\\@•‣◦・●○■□▪▫\u2600-\u27bf\u2b00-\u2bff]|\u20e3|\ufe0f|^\s*[-+–—]|\.[A-Za-z]|\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const spoken = /[\p{L}\p{N}]/u;
const fence = /^\s*(?:`{3,}|~{3,})[^`~]*$/;

/** A keycap such as 1️⃣ is its digit. Flags, skin tones and joined emoji are several characters each. */
const keycap = /([0-9#*])\ufe0f?\u20e3/g;
const emoji =
  /(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u2600-\u27bf\u2b00-\u2bff\u{1f000}-\u{1faff}]|\p{Regional_Indicator})(?:\ufe0f|\u200d|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}]|\p{Extended_Pictographic})*/gu;

/**
 * Turns what a model wrote into what a voice can say: no Markdown, no emoji, no code, and addresses are read out. One stage
 * per reply, because a code block spans sentences. The transcript keeps the original.
 */
export function createSpeakableStage(language: string): TextStage {
  const usesJapanese = isJapanese(language);
  let isInCode = false;

  function speakableLine(line: string): string {
    if (fence.test(line)) {
      isInCode = !isInCode;
      return '';
    }
    if (isInCode) return '';
    if (!suspicious.test(line)) return line;
    const text = spokenAddresses(plainTable(withoutLineMarks(line), usesJapanese), usesJapanese);
    return withoutMarks(text).replace(keycap, '$1').replace(emoji, ' ');
  }

  return (sentence) => {
    if (!isInCode && !suspicious.test(sentence)) return spoken.test(sentence) ? sentence : '';
    const text = sentence.includes('\n') ? sentence.split('\n').map(speakableLine).join('\n') : speakableLine(sentence);
    if (!spoken.test(text)) return '';
    return text === sentence ? text : withoutHoles(text);
  };
}

/** Where something was removed, the spaces on both sides of it remain. */
function withoutHoles(text: string): string {
  return text
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/ +(?=[。、！？.,!?\n]|$)/g, '')
    .replace(/\n{2,}/g, '\n')
    .trimStart();
}

const rule = /^\s*(?:[-*_]\s*){3,}$/;
const tableRule = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-*:?\s*)+$/;
/** Headings, quotes, bullets and check boxes, also several of them: `> - [ ] text`. A number stays: it is spoken. */
const lineMarks = /^(?:\s*(?:#{1,6}\s+|>\s?|[-*+–—•‣◦●○■□▪▫]\s+|[•‣◦●○■□▪▫・]|\[[ xX]\]\s+))+/;
const htmlTags =
  /<\/?(?:a|b|br|code|div|em|h[1-6]|hr|i|img|li|ol|p|pre|s|small|span|strong|sub|sup|table|td|th|tr|u|ul)(?:\s[^<>]{0,500})?\/?>/gi;
const footnotes = /\[\^[^\]\s]{1,50}\]/g;
const links = /!?\[([^[\]]{0,500})\](?:\([^()\s]{0,2000}(?:\s+"[^"]{0,500}")?\)|\[[^[\]]{0,100}\])/g;
const autolinks = /<(https?:\/\/[^\s<>]{1,2000}|[^\s<>@]{1,64}@[^\s<>]{1,253})>/gi;

/** What a line starts with, and lines that are only drawn. Links become their labels. */
function withoutLineMarks(line: string): string {
  if (rule.test(line) || tableRule.test(line)) return '';
  return line
    .replace(lineMarks, '')
    .replace(footnotes, '')
    .replace(links, '$1')
    .replace(autolinks, '$1')
    .replace(htmlTags, ' ');
}

/** The cells of a table row, as a list. */
function plainTable(line: string, usesJapanese: boolean): string {
  const row = /^\s*\|(.*)\|\s*$/.exec(line);
  if (row === null) return line;
  const cells = (row[1] as string)
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');
  return usesJapanese ? `${cells.join('、')}。` : `${cells.join(', ')}.`;
}

/** Emphasis, code and strike-through, also if only one end is in this sentence. */
function withoutMarks(text: string): string {
  return (
    text
      .replace(/\\(?=[\\`*_{}[\]()#+\-.!|~<>])/g, '')
      .replace(/`+|~~+|\*{2,}/g, '')
      // Asterisks between spaces or digits stay: 5 * 3.
      .replace(/(?<![\s\d])\*|\*(?![\s\d]|$)|^\*$/g, '')
      // Underscores inside a word stay: snake_case.
      .replace(/(?<![\p{L}\p{N}_])_+(?=\S)|(?<=\S)_+(?![\p{L}\p{N}_])/gu, '')
  );
}

/** Besides those of e-mail addresses. */
const symbols: Readonly<Record<string, readonly [japanese: string, english: string]>> = {
  '/': ['スラッシュ', 'slash'],
  ':': ['コロン', 'colon'],
  '~': ['チルダ', 'tilde'],
  '%': ['パーセント', 'percent'],
};

/** Without a scheme, only what ends in one of these is an address: "Node.js" and "and.then" are not. */
const topLevel =
  'com|net|org|jp|io|dev|ai|app|edu|gov|info|biz|co|me|tv|uk|us|eu|de|fr|es|it|nl|ca|au|cn|kr|tw|in|cloud|shop|site|online';
const email = '[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\\.){1,6}[A-Za-z]{2,24}';
const path = "(?::\\d{1,5})?(?:[/?#][A-Za-z0-9._~%/+?#&=:@!$';,-]*)?";
const withScheme = `https?://[A-Za-z0-9.-]{1,253}${path}`;
const withoutScheme = `(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\\.){1,6}(?:${topLevel})(?![A-Za-z0-9_-]|\\.[A-Za-z0-9])${path}`;
const addresses = new RegExp(`(?<![A-Za-z0-9@._-])(?:${withScheme}|${email}|${withoutScheme})`, 'gi');
const couldBeAddress = /[@.]/;

/** Reads out addresses on the web and e-mail addresses: a voice would stumble over them or spell them. */
function spokenAddresses(text: string, usesJapanese: boolean): string {
  if (!couldBeAddress.test(text)) return text;
  return text.replace(addresses, (found) => {
    const end = found.search(/[._~/?#&=:@!$';,-]+$/);
    const address = end < 0 ? found : found.slice(0, end);
    const rest = end < 0 ? '' : found.slice(end).replace(/[/_]/g, '');
    return readOut(address, usesJapanese) + rest;
  });
}

/** Nobody can follow a scheme, a query or a fragment by ear: a voice says only the host and the path. */
function readOut(address: string, usesJapanese: boolean): string {
  const host = address
    .replace(/^https?:\/\//i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '');
  return host
    .replace(/[^A-Za-z0-9]/g, (symbol) => {
      const name = spokenName(symbol, usesJapanese) ?? symbols[symbol]?.[usesJapanese ? 0 : 1];
      return ` ${name ?? ''} `;
    })
    .replace(/ {2,}/g, ' ')
    .trim();
}
