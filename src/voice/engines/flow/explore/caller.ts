import type { SkillOf } from '../../../../contract/agents/settings/flow.ts';
import { leavesOf } from '../../../../core/filter.ts';
import { isJapanese } from '../../../text/language.ts';
import { type AnswerKind, type AnswerValue, understand } from '../../../understanding/answer.ts';
import { patternOf } from '../../../understanding/phrases.ts';
import type { CompiledFlow } from '../compile.ts';
import { answerContextOf } from '../listening-skill.ts';
import { sampleOf } from './pattern-sample.ts';

/** The words that an imagined caller says. */
export interface CallerWords {
  readonly unclear: string;
  /** For an `answer` skill, which takes any words. */
  readonly question: string;
  readonly yes: string;
  readonly no: string;
}

export function callerWords(language: string): CallerWords {
  return isJapanese(language)
    ? { unclear: 'えっと', question: '質問があります', yes: 'はい', no: 'いいえ' }
    : { unclear: 'um', question: 'I have a question', yes: 'yes', no: 'no' };
}

const japanese: Readonly<Record<AnswerKind, readonly string[]>> = {
  text: ['山田'],
  yes_no: ['はい', 'いいえ'],
  number: ['2'],
  digits: ['1234'],
  date: ['明日', '来月の5日'],
  time: ['15時', '10時', '午前10時', '20時'],
  phone: ['09012345678', '0312345678'],
  email: ['taro@example.com'],
  postal_code: ['1500001'],
  choice: [],
};

const english: Readonly<Record<AnswerKind, readonly string[]>> = {
  text: ['Taylor'],
  yes_no: ['yes', 'no'],
  number: ['2'],
  digits: ['1234'],
  date: ['tomorrow'],
  time: ['3 pm', '10 am', '8 pm', 'noon'],
  phone: ['+14155552671', '+442079460018'],
  email: ['taylor@example.com'],
  postal_code: ['90210', 'SW1A 1AA'],
  choice: [],
};

/** An answer, and what the flow understands by it. */
export interface Answer {
  readonly words: string;
  readonly value: AnswerValue;
}

/** Answers to a question: one that is understood, and all that lead to different values in a branch. */
export function answersTo(flow: CompiledFlow, skill: SkillOf<'ask'>, now: number): Answer[] {
  const context = answerContextOf(flow, skill, now);
  const samples = (isJapanese(flow.language) ? japanese : english)[skill.as];
  const heard = (words: string): Answer[] => {
    if (flow.anytimePhrases.match(words) !== undefined) return [];
    const value = understand(skill.as, words, context);
    return value === undefined ? [] : [{ words, value }];
  };
  if (skill.as === 'choice') return (skill.options ?? []).flatMap(({ value, say }) => firstWith(say, heard, value));
  if (skill.as === 'yes_no') return samples.flatMap(heard);
  const usual = [...samples, ...timesWithin(skill)].map(heard).find((found) => found.length > 0) ?? [];
  const answers = [...usual, ...comparedValues(flow, skill.variable).flatMap(heard)];
  return [...new Map(answers.map((answer) => [answer.value, answer])).values()];
}

/** The first phrase of an option that is understood as it. */
function firstWith(say: readonly string[], heard: (words: string) => Answer[], value: string): Answer[] {
  for (const phrase of say) {
    const words = wordsFor(phrase);
    const found = words === undefined ? [] : heard(words).filter((answer) => answer.value === value);
    if (found.length > 0) return found;
  }
  return [];
}

/** What to say so that a phrase matches. */
export function wordsFor(phrase: string): string | undefined {
  const pattern = patternOf(phrase);
  return pattern === undefined ? phrase : sampleOf(pattern);
}

/** What branches compare a variable with, and its neighbors, in words. */
function comparedValues({ skills }: CompiledFlow, variable: string): string[] {
  const field = `collectedVariables.${variable}`;
  const words = new Set<string>();
  for (const skill of skills.values()) {
    if (skill.type !== 'branch') continue;
    for (const leaf of skill.routes.flatMap((route) => leavesOf(route.if))) {
      if (leaf.field !== field) continue;
      for (const value of [leaf.value].flat()) {
        if (typeof value === 'number') for (const near of [value - 1, value, value + 1]) words.add(String(near));
        else if (typeof value === 'string') words.add(value);
      }
    }
  }
  return [...words].slice(0, 20);
}

function timesWithin({ within }: SkillOf<'ask'>): string[] {
  return (within ?? []).flatMap((time) => {
    const [hour, minute] = time.split(':').map(Number) as [number, number];
    const half = hour < 12 ? '午前' : '午後';
    const of12 = hour % 12 === 0 ? 12 : hour % 12;
    return [
      time,
      `${hour}時${minute}分`,
      `${half}${of12}時${minute}分`,
      `${of12}:${time.slice(3)} ${hour < 12 ? 'am' : 'pm'}`,
    ];
  });
}
