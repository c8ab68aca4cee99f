import { isJapanese } from './language.ts';
import { plainTable, withoutLineMarks, withoutMarks } from './markdown.ts';
import { spokenAddresses } from './spoken-addresses.ts';

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
