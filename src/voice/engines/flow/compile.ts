import type { AnytimeRoute, Flow, Skill, SkillOf } from '../../../contract/agents/settings/flow.ts';
import { compileFilter, type ReadField } from '../../../core/filter.ts';
import { isJapanese } from '../../text/language.ts';
import { compilePhrases, type Phrases } from '../../understanding/phrases.ts';
import { sentencesOf } from './sentences.ts';

export type CompiledFlow = ReturnType<typeof compileFlow>;

export interface FlowOptions {
  readonly language: string;
  readonly startSkillId?: string | undefined;
  /** `agentSettings.timeZone`, if any; the flow's own wins. */
  readonly timeZone?: string | undefined;
}

/** A valid flow, ready to run: no phrase and no filter is compiled during a call. */
export function compileFlow(flow: Flow, { language, startSkillId, timeZone }: FlowOptions) {
  const phrases = new Map<string, Phrases>();
  const conditions = new Map<string, readonly ((read: ReadField) => boolean)[]>();
  const askedBy = new Map<string, SkillOf<'ask'>>();
  const compiled = (routes: readonly { readonly when: readonly string[] }[]) =>
    compilePhrases(
      routes.map(({ when }) => when),
      language,
    );
  for (const skill of flow.skills) {
    if (skill.type === 'choose') phrases.set(skill.id, compiled(skill.routes));
    else if (skill.type === 'branch') {
      const filters = skill.routes.map((route) => compileFilter(route.if));
      conditions.set(skill.id, filters);
    } else if (skill.type === 'ask' && !askedBy.has(skill.variable)) askedBy.set(skill.variable, skill);
  }
  const anytime: readonly AnytimeRoute[] = flow.anytime ?? [];
  return {
    start: startSkillId ?? (flow.skills[0] as Skill).id,
    language,
    timeZone: flow.timeZone ?? timeZone ?? (isJapanese(language) ? 'Asia/Tokyo' : 'UTC'),
    sentences: sentencesOf(language),
    skills: new Map(flow.skills.map((skill) => [skill.id, skill])),
    anytime,
    anytimePhrases: compiled(anytime),
    /** The phrases of each `choose`. */
    phrases,
    /** The conditions of each `branch`, by route. */
    conditions,
    /** The first skill that asks for a variable: it decides how the value is spoken. */
    askedBy,
  };
}
