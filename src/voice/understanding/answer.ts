import type { answerKinds } from '../../contract/agents/settings/answer-kinds.ts';
import { isJapanese } from '../text/language.ts';
import { normalizeText } from '../text/normalized.ts';
import { type AnswerOption, understandChoice } from './choice.ts';
import { understandDate } from './date.ts';
import { understandDigits } from './digits.ts';
import { understandEmail } from './email.ts';
import { fillersOf, stripFillers } from './fillers.ts';
import { understandNumber } from './number.ts';
import { understandPhone } from './phone.ts';
import { understandPostalCode } from './postal-code.ts';
import { understandTime } from './time.ts';
import { Work } from './work.ts';
import { understandYesNo } from './yes-no.ts';

export type AnswerKind = (typeof answerKinds)[number];
export type AnswerValue = string | number | boolean;

export interface AnswerContext {
  readonly language: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly timeZone: string;
  /** For `choice`. */
  readonly options?: readonly AnswerOption[] | undefined;
  /** For `time`: what decides between morning and afternoon, as HH:MM. */
  readonly within?: readonly [string, string] | undefined;
  /** What understanding the reply has taken so far. */
  readonly work?: Work | undefined;
}

/** Nobody gives a date in a speech of this length, and every parser stays fast. */
const maxLength = 500;
/** The steps of the slowest kind of answer. */
const stepsPerCharacter = 600;

/** The value that the words contain; undefined if there is none, or more than one reading. */
export function understand(as: AnswerKind, words: string, context: AnswerContext): AnswerValue | undefined {
  const { language, options = [], work = new Work() } = context;
  if (!work.take(stepsPerCharacter * Math.min(words.length, maxLength))) return undefined;
  if (as === 'choice') return understandChoice(words, options, language, work);
  if (as === 'text') return understandText(words, language);
  // A single character can stand for a whole phrase.
  if (words.length > maxLength || normalizeText(words).plain.length > maxLength) return undefined;
  if (as === 'yes_no') return understandYesNo(words, language);
  // Digits are read with the fillers between them, and "oh" is one of them.
  if (as === 'digits') return understandDigits(words);
  if (as === 'phone') return understandPhone(words, language);
  if (as === 'postal_code') return understandPostalCode(words, language);
  if (as === 'email') return understandEmail(words, language);
  const answer = stripFillers(words, fillersOf(language));
  if (answer === '') return undefined;
  if (as === 'number') return understandNumber(answer, language);
  return as === 'date' ? understandDate(answer, context) : understandTime(answer, context);
}

function understandText(words: string, language: string): string | undefined {
  const text = stripFillers(words, fillersOf(language));
  return (isJapanese(language) ? withoutIntroduction(text) : text) || undefined;
}

const introduced =
  /^(?:(?:私|わたし|わたくし|名前)(?:は|、)\s*)?(?<name>.{1,20}?)(?<ending>と申します|といいます|と言います|でございます|です)[。．.、\s]*$/su;
/** The last kana of adjectives and verbs: 良かったです is an opinion, and stays as it was said. */
const inflected = /[いたなくんうるすの]$/;

/** 山田 for 山田です and for 私、山田と申します: a tool that books for 山田と申します has the wrong name. */
function withoutIntroduction(words: string): string {
  const { name, ending } = introduced.exec(words)?.groups ?? {};
  if (name === undefined || (ending === 'です' && inflected.test(name))) return words;
  return name;
}
