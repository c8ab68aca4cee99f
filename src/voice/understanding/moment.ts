import { isJapanese } from '../text/language.ts';
import { memo } from '../text/memo.ts';
import { fillersOf, stripFillers } from './fillers.ts';
import { searchable } from './fold.ts';

/** With a reason or without: 今手帳を見ますので、少々お待ちください. */
const japanese =
  /^(?:.{1,20}(?:ので|から))?(?:すみません|ごめんなさい)?(?:ちょっと|ちょっとだけ|少し|少しだけ|少々|しばらく|もう少し|あと少し|もうちょっと)?(?:お?待って|お待ち)(?:て?ね|(?:て|で)?(?:下さい|ください)ね?(?:ませ)?|(?:もらえ|いただけ|頂け)ますか|(?:もらって|いただいて)(?:も)?いいですか)?$/;
const english =
  /^(?:sorry )?(?:(?:please |can you |could you )?(?:just )?(?:wait|hold on|hang on)(?: for)?(?: please)?|(?:please )?(?:just )?(?:give me |wait |hold on |hang on )?(?:just )?(?:a|one) (?:moment|second|sec|minute)(?: please)?|let me (?:just )?(?:check|see|think|look)(?: it up| that| my \w+)?)$/;

/** In an answer, "one moment" is a filler; on its own, it is a request. */
const otherFillers = memo((language) => fillersOf(language, (filler) => /moment|second|hold on|let me/.test(filler)));

/** Whether the caller asks for a moment, and says nothing else. */
export function asksForMoment(words: string, language: string): boolean {
  if (words.length > 80) return false;
  const request = searchable(stripFillers(words, otherFillers(language)));
  return (isJapanese(language) && japanese.test(request)) || english.test(request);
}
