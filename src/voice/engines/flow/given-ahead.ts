import { type AnswerContext, type AnswerKind, type AnswerValue, understand } from '../../understanding/answer.ts';

/** The answer to the question before. */
export interface LastAnswer {
  readonly as: AnswerKind;
  readonly words: string;
}

/**
 * 明日の3時で answers the question for the day and the one for the time: the second is not asked. Only these two, and
 * only if nothing is said or asked between them: a guess would be worse than a question.
 */
export function givenAhead(last: LastAnswer | null, as: AnswerKind, context: AnswerContext): AnswerValue | undefined {
  const isPair = (last?.as === 'date' && as === 'time') || (last?.as === 'time' && as === 'date');
  return last === null || !isPair ? undefined : understand(as, last.words, context);
}
