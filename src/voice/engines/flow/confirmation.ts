import type { SkillOf } from '../../../contract/agents/settings/flow.ts';
import { isJapanese } from '../../text/language.ts';
import { type AnswerContext, type AnswerValue, understand } from '../../understanding/answer.ts';

/** A caller's answer to a value that was read back. */
export type Confirmation =
  | { readonly is: 'right' }
  | { readonly is: 'wrong' }
  | { readonly is: 'unclear' }
  /** Another value, with or without a no: いいえ、15時です. */
  | { readonly is: 'corrected'; readonly value: AnswerValue };

/** Refusals on their own, but consent after よろしいですか. */
const consent = /(?:大丈夫|結構)(?:です)?(?!じゃ|では|で?は?ない)/g;
const negation = /^.*(?:じゃなくて|ではなくて|ではなく|じゃなく)[、\s]*/s;
const clauseEnd = /[、。，．,.!！?？\s]+/;

export function confirmationOf(
  skill: SkillOf<'ask'>,
  readBack: AnswerValue,
  words: string,
  context: AnswerContext,
): Confirmation {
  const answer = understand('yes_no', isJapanese(context.language) ? words.replace(consent, 'はい') : words, context);
  const other = otherValue(skill, words, answer === true ? undefined : afterNo(words, context), context);
  if (other !== undefined && other !== readBack) return { is: 'corrected', value: other };
  if (answer === false) return { is: 'wrong' };
  // To say the same value again is to confirm it.
  return answer === true || other === readBack ? { is: 'right' } : { is: 'unclear' };
}

/** A value in the answer. Free text is one only after a no, because any answer would be. */
function otherValue(
  { as }: SkillOf<'ask'>,
  words: string,
  correction: string | undefined,
  context: AnswerContext,
): AnswerValue | undefined {
  if (as === 'yes_no') return undefined;
  const rest = correction === undefined || correction === '' ? undefined : understand(as, correction, context);
  if (as === 'text')
    return typeof rest === 'string' && understand('yes_no', rest, context) === undefined ? rest : undefined;
  const negated = negation.exec(words)?.[0];
  if (negated !== undefined) return understand(as, words.slice(negated.length), context);
  return rest ?? understand(as, words, context);
}

/** The clauses after those that say no: 15時です for いいえ、違います、15時です. Undefined if the first is no no. */
function afterNo(words: string, context: AnswerContext): string | undefined {
  let rest = words.trim();
  let isNo = false;
  for (;;) {
    const end = clauseEnd.exec(rest);
    const clause = end === null ? rest : rest.slice(0, end.index);
    if (clause === '' || understand('yes_no', clause, context) !== false) return isNo ? rest : undefined;
    isNo = true;
    rest = end === null ? '' : rest.slice(end.index + end[0].length);
  }
}
