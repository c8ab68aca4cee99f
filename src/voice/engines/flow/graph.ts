import type { AnytimeRoute, Skill } from '../../../contract/agents/settings/flow.ts';

/** A way from a skill to another one. */
export interface Way {
  /** As the conversation names it: `next`, `otherwise` or `routes.2`. */
  readonly name: string;
  readonly path: readonly (string | number)[];
  readonly target: string;
}

export function waysOf(skill: Skill): Way[] {
  const ways: Way[] = [];
  if ('routes' in skill) {
    for (const [index, { next }] of (skill.routes ?? []).entries()) {
      ways.push({ name: `routes.${index}`, path: ['routes', index, 'next'], target: next });
    }
  }
  if ('next' in skill && skill.next !== undefined) ways.push({ name: 'next', path: ['next'], target: skill.next });
  if ('otherwise' in skill) ways.push({ name: 'otherwise', path: ['otherwise'], target: skill.otherwise });
  return ways;
}

/** Whether the flow itself listens there, so that what can be said at any time applies. */
export function asks({ type }: Skill): boolean {
  return type === 'ask' || type === 'choose' || type === 'answer';
}

/** Whether the caller can speak before the conversation goes on. */
export function listens(skill: Skill): boolean {
  return skill.type === 'prompt' ? skill.maxTurns !== 1 : asks(skill);
}

/** Every skill that a conversation from `start` can reach, if each way can be taken. */
export function reachableSkills(
  skills: readonly Skill[],
  anytime: readonly AnytimeRoute[],
  start: string,
): Set<string> {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const reached = new Set<string>();
  const pending = [start];
  let canInterject = false;
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const skill = byId.get(id);
    if (skill === undefined || reached.has(id)) continue;
    reached.add(id);
    pending.push(...waysOf(skill).map(({ target }) => target));
    if (!canInterject && asks(skill)) {
      canInterject = true;
      pending.push(...anytime.flatMap(({ next }) => next ?? []));
    }
  }
  return reached;
}

/** Loops in which no skill listens, each as the ids of its skills in order. */
export function loopsWithoutListening(skills: readonly Skill[]): string[][] {
  const silent = new Map(skills.filter((skill) => !listens(skill)).map((skill) => [skill.id, skill]));
  return loopsIn(silent.keys(), (id) =>
    waysOf(silent.get(id) as Skill)
      .map(({ target }) => target)
      .filter((target) => silent.has(target)),
  );
}

/** Depth first, with its own stack: 200 skills in a row are no reason for deep recursion. */
export function loopsIn<Node>(nodes: Iterable<Node>, targetsOf: (node: Node) => Node[]): Node[][] {
  const finished = new Set<Node>();
  const loops: Node[][] = [];
  for (const start of nodes) {
    const path = finished.has(start) ? [] : [{ node: start, targets: targetsOf(start) }];
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const target = last.targets.shift();
      if (target === undefined) {
        finished.add(last.node);
        path.pop();
      } else if (!finished.has(target)) {
        const begin = path.findIndex(({ node }) => node === target);
        if (begin === -1) path.push({ node: target, targets: targetsOf(target) });
        else loops.push(path.slice(begin).map(({ node }) => node));
      }
    }
  }
  return loops;
}
