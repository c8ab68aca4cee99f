import type { AnytimeRoute, Flow, Skill, SkillOf } from '../../../contract/agents/settings/flow.ts';
import { compileFilter, type ReadField } from '../../../core/filter.ts';
import { isJapanese } from '../../text/language.ts';
import { compilePhrases } from '../../understanding/phrases.ts';
import { type Sentences, sentencesOf } from './sentences.ts';

type PhraseMatcher = ReturnType<typeof compilePhrases>;

export interface CompiledFlow {
  readonly start: string;
  readonly language: string;
  readonly timeZone: string;
  readonly sentences: Sentences;
  readonly skills: ReadonlyMap<string, Skill>;
  readonly anytime: readonly AnytimeRoute[];
  readonly anytimePhrases: PhraseMatcher;
  /** The phrases of each `choose`. */
  readonly phrases: ReadonlyMap<string, PhraseMatcher>;
  /** The conditions of each `branch`, by route. */
  readonly conditions: ReadonlyMap<string, readonly ((read: ReadField) => boolean)[]>;
  /** The first skill that asks for a variable: it decides how the value is spoken. */
  readonly askedBy: ReadonlyMap<string, SkillOf<'ask'>>;
}

export interface FlowOptions {
  readonly language: string;
  readonly startSkillId?: string | undefined;
  /** `agentSettings.timeZone`, if any; the flow's own wins. */
  readonly timeZone?: string | undefined;
}

/** A valid flow, ready to run: no phrase and no filter is compiled during a call. */
export function compileFlow(flow: Flow, { language, startSkillId, timeZone }: FlowOptions): CompiledFlow {
  const phrases = new Map<string, PhraseMatcher>();
  const conditions = new Map<string, readonly ((read: ReadField) => boolean)[]>();
  const askedBy = new Map<string, SkillOf<'ask'>>();
  for (const skill of flow.skills) {
    if (skill.type === 'choose') phrases.set(skill.id, compilePhrases(skill.routes.map(whenOf), language));
    else if (skill.type === 'branch')
      conditions.set(
        skill.id,
        skill.routes.map((route) => compileFilter(route.if)),
      );
    else if (skill.type === 'ask' && !askedBy.has(skill.variable)) askedBy.set(skill.variable, skill);
  }
  const anytime = flow.anytime ?? [];
  return {
    start: startSkillId ?? (flow.skills[0] as Skill).id,
    language,
    timeZone: flow.timeZone ?? timeZone ?? (isJapanese(language) ? 'Asia/Tokyo' : 'UTC'),
    sentences: sentencesOf(language),
    skills: new Map(flow.skills.map((skill) => [skill.id, skill])),
    anytime,
    anytimePhrases: compilePhrases(anytime.map(whenOf), language),
    phrases,
    conditions,
    askedBy,
  };
}

function whenOf({ when }: { readonly when: readonly string[] }): readonly string[] {
  return when;
}
