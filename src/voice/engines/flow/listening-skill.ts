import { defaultRetries, type SkillOf } from '../../../contract/agents/settings/flow.ts';
import { type AnswerContext, type AnswerKind, type AnswerValue, understand } from '../../understanding/answer.ts';
import type { CompiledFlow } from './compile.ts';

export type ListeningSkill = SkillOf<'ask'> | SkillOf<'choose'>;

/** A caller who asks for a moment is not reminded for this much longer. */
export const momentMs = 20_000;

export function maxRetries({ retry }: ListeningSkill): number {
  return retry?.max ?? defaultRetries;
}

/** What decides how an answer to a skill is read. */
export function answerContextOf(
  { language, timeZone }: CompiledFlow,
  { options, within }: SkillOf<'ask'>,
  now: number,
): AnswerContext {
  return { language, timeZone, now, options, within };
}

/** The answer to the question before; `choose`: the words that chose a route. */
export interface LastAnswer {
  readonly as: AnswerKind | 'choose';
  readonly words: string;
}

/**
 * 明日の3時で answers the question for the day and the one for the time: the second is not asked. Neither is the day
 * after 明日カットの予約をしたい, which is read back instead. Only these two, and only if nothing is said or asked
 * between them: a guess would be worse than a question.
 */
export function givenAhead(last: LastAnswer | null, as: AnswerKind, context: AnswerContext): AnswerValue | undefined {
  if (last === null || last.as === as || (as !== 'date' && as !== 'time')) return undefined;
  const mayContain = last.as === 'date' || last.as === 'time' || last.as === 'choose';
  return mayContain ? understand(as, last.words, context) : undefined;
}
