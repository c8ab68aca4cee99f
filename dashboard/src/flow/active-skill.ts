import { type Flow, isRecord, textOf, waysOf } from './flow.ts';

/**
 * The position of the skill that a conversation is at, from what the agent has said. Texts of skills may have variables,
 * which match anything. If several skills say the same, the one that the last one leads to; null if that is not clear.
 */
export function activeSkill(flow: Flow, said: readonly string[]): number | null {
  const patterns = flow.skills.map((skill) => {
    const { retry } = skill;
    return [textOf(skill.text), isRecord(retry) ? textOf(retry.text) : ''].filter((text) => text !== '').map(pattern);
  });
  let active: number | null = null;
  for (const text of said) {
    const matching = flow.skills.flatMap((_, position) =>
      patterns[position]?.some((each) => each.test(text)) ? [position] : [],
    );
    const next = closest(flow, active, matching);
    if (next !== null) active = next;
  }
  return active;
}

function closest(flow: Flow, from: number | null, matching: readonly number[]): number | null {
  const [first] = matching;
  if (first === undefined) return null;
  if (matching.length === 1) return first;
  const skill = from === null ? undefined : flow.skills[from];
  const next = new Set(skill === undefined ? [] : [skill.id, ...waysOf(skill).map(({ to }) => to)]);
  const near = matching.filter((position) => next.has(flow.skills[position]?.id ?? ''));
  return near.length === 1 ? (near[0] ?? null) : null;
}

/** At the end of what was said: skills that only speak may come before it. */
function pattern(text: string): RegExp {
  const parts = text.trim().split(/\{\{[^{}]*\}\}/);
  return new RegExp(`${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*?')}\\s*$`, 's');
}
