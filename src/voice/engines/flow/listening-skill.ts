import { defaultRetries, type SkillOf } from '../../../contract/agents/settings/flow.ts';
import type { AnswerContext } from '../../understanding/answer.ts';
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
