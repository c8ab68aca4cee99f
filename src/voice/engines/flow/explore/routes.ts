import type { SkillOf } from '../../../../contract/agents/settings/flow.ts';
import { patternOf } from '../../../understanding/phrases.ts';
import type { CompiledFlow } from '../compile.ts';
import { wordsFor } from './caller.ts';

/** How a route of phrases can be taken. */
export interface RouteTest {
  /** Words that take the route; undefined if no phrase does. */
  readonly words: string | undefined;
  /** Phrases that lead elsewhere, and where. */
  readonly lost: readonly { readonly index: number; readonly takenBy: string | undefined }[];
  /** False if a regular expression could not be tried, so that nothing is known about it. */
  readonly isTested: boolean;
}

/** A route of a skill, or without one, a route that can be taken at any time. */
export function testRoute(flow: CompiledFlow, skill: SkillOf<'choose'> | null, route: number): RouteTest {
  const phrases = (skill === null ? flow.anytime : skill.routes)[route]?.when ?? [];
  const takenBy = (words: string): string | undefined => {
    const anytime = flow.anytimePhrases.match(words);
    if (anytime !== undefined) return `anytime.${anytime}`;
    const match = skill === null ? undefined : flow.phrases.get(skill.id)?.match(words);
    return match === undefined ? undefined : `routes.${match}`;
  };
  const own = `${skill === null ? 'anytime' : 'routes'}.${route}`;
  const lost: { index: number; takenBy: string | undefined }[] = [];
  let found: string | undefined;
  let isTested = true;
  for (const [index, phrase] of phrases.entries()) {
    const words = wordsFor(phrase);
    const taken = words === undefined ? undefined : takenBy(words);
    if (taken === own) found ??= words;
    else if (taken === undefined && patternOf(phrase) !== undefined) isTested = false;
    else lost.push({ index, takenBy: taken });
  }
  return { words: found, lost, isTested };
}
