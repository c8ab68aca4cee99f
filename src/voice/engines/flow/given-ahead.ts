import { type AnswerContext, type AnswerKind, type AnswerValue, understand } from '../../understanding/answer.ts';

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
