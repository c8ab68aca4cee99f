import type { Flow, Skill } from '../../../../contract/agents/settings/flow.ts';
import { waysOf } from '../graph.ts';

/** The longest path of a graph with loops takes exponential time to prove; this is enough for real flows. */
const maxSteps = 50_000;

/** The most skills from the start, each once, over ways that were taken. */
export function longestPath({ skills, anytime = [] }: Flow, start: string, taken: ReadonlySet<string>): string[] {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const interjections = anytime.flatMap(({ next }) => next ?? []);
  const targetsOf = (id: string): string[] => {
    const skill = byId.get(id) as Skill;
    const targets = waysOf(skill).flatMap(({ name, target }) => (taken.has(`${id} ${name}`) ? [target] : []));
    const isInterruptible = skill.type === 'ask' || skill.type === 'choose';
    return [...new Set([...targets, ...(isInterruptible ? interjections : [])])];
  };
  let longest: string[] = [];
  let steps = 0;
  const path: { readonly id: string; readonly targets: string[] }[] = [{ id: start, targets: targetsOf(start) }];
  const onPath = new Set([start]);
  for (let last = path.at(-1); last !== undefined && steps < maxSteps; last = path.at(-1)) {
    steps += 1;
    if (path.length > longest.length) longest = path.map(({ id }) => id);
    const target = last.targets.shift();
    if (target === undefined) {
      onPath.delete(last.id);
      path.pop();
    } else if (!onPath.has(target)) {
      onPath.add(target);
      path.push({ id: target, targets: targetsOf(target) });
    }
  }
  return longest;
}
