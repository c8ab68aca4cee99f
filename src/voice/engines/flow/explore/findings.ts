import type { Flow, Skill } from '../../../../contract/agents/settings/flow.ts';
import type { CompiledFlow } from '../compile.ts';
import { loopsIn, loopsWithoutListening, reachableSkills, waysOf } from '../graph.ts';
import type { RouteTest } from './routes.ts';
import type { Node, Walk } from './walk.ts';

export type FindingKind =
  | 'unreachable_skill'
  | 'dead_end'
  | 'endless_retry'
  | 'loop_without_listening'
  | 'route_never_taken'
  | 'phrase_never_matched'
  | 'option_never_understood'
  | 'answer_never_understood';

export interface Finding {
  readonly kind: FindingKind;
  /** From the flow: `['skills', 3, 'routes', 0]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The skills of a loop, or the routes that take a phrase instead. */
  readonly related: readonly string[];
}

export function findingsOf(source: Flow, flow: CompiledFlow, walk: Walk): Finding[] {
  const { skills, anytime = [] } = source;
  const indexOf = new Map(skills.map(({ id }, index) => [id, index]));
  const at = (id: string): [string, number] => ['skills', indexOf.get(id) as number];
  const reachable = reachableSkills(skills, anytime, flow.start);
  const dead = skillsWithoutEnd(walk);
  const isQuestion = (id: string) => {
    const type = flow.skills.get(id)?.type;
    return type === 'ask' || type === 'choose';
  };
  return [
    ...skills.flatMap(({ id }) =>
      reachable.has(id) ? [] : [finding('unreachable_skill', at(id), 'no route leads to it')],
    ),
    ...loopsWithoutListening(skills)
      .filter(([first]) => reachable.has(first as string))
      .map((ids) => finding('loop_without_listening', at(ids[0] as string), `never listens: ${ids.join(' → ')}`, ids)),
    ...[...dead].map((id) => finding('dead_end', at(id), 'the call cannot end from here, except by hanging up')),
    ...endlessRetries(walk)
      .filter((ids) => ids.some(isQuestion) && !ids.some((id) => dead.has(id)))
      .map((ids) => {
        const message = `a caller who is not understood never gets any further: ${ids.join(' → ')}`;
        return finding('endless_retry', at(ids[0] as string), message, ids);
      }),
    ...anytime.flatMap((_, index) => routeFindings(['anytime', index], walk.routes.get(`anytime.${index}`))),
    ...skills.filter(({ id }) => walk.visited.has(id)).flatMap((skill) => skillFindings(skill, at(skill.id), walk)),
  ];
}

function finding(
  kind: FindingKind,
  path: readonly (string | number)[],
  message: string,
  related: readonly string[] = [],
): Finding {
  return { kind, path, message, related };
}

function skillFindings(skill: Skill, path: readonly (string | number)[], walk: Walk): Finding[] {
  switch (skill.type) {
    case 'choose':
      return skill.routes.flatMap((_, index) =>
        routeFindings([...path, 'routes', index], walk.routes.get(`${skill.id} routes.${index}`)),
      );
    case 'branch':
      // With more situations than could be tried, a condition may still hold in one of the others.
      if (!walk.isComplete) return [];
      return skill.routes.flatMap((_, index) =>
        walk.ways.has(`${skill.id} routes.${index}`)
          ? []
          : [finding('route_never_taken', [...path, 'routes', index], 'its condition is never true')],
      );
    case 'ask': {
      const answers = walk.answers.get(skill.id);
      if (answers === undefined) return [];
      if (skill.as !== 'choice') {
        return answers.length > 0 ? [] : [finding('answer_never_understood', path, 'no answer is ever understood')];
      }
      return (skill.options ?? []).flatMap(({ value }, index) =>
        answers.some((answer) => answer.value === value)
          ? []
          : [
              finding(
                'option_never_understood',
                [...path, 'options', index],
                'none of its phrases is understood as it',
              ),
            ],
      );
    }
    case 'say':
    case 'set':
    case 'tool':
    case 'transfer':
    case 'prompt':
    case 'answer':
    case 'end':
      return [];
    default:
      return skill satisfies never;
  }
}

function routeFindings(path: readonly (string | number)[], test: RouteTest | undefined): Finding[] {
  if (test === undefined) return [];
  const reason = (takenBy: string | undefined) =>
    takenBy === undefined ? 'it is never matched' : `${takenBy} takes it`;
  if (test.words === undefined && test.isTested && test.lost.length > 0) {
    const takers = [...new Set(test.lost.map(({ takenBy }) => takenBy ?? 'nothing'))];
    return [finding('route_never_taken', path, `all its phrases lead elsewhere: ${takers.join(', ')}`, takers)];
  }
  const list = path[0] === 'anytime' || path.includes('routes') ? 'when' : 'say';
  return test.lost.map(({ index, takenBy }) =>
    finding('phrase_never_matched', [...path, list, index], reason(takenBy), takenBy === undefined ? [] : [takenBy]),
  );
}

/** Skills that a conversation reaches and from which it can only be left by hanging up. The first of each such part. */
function skillsWithoutEnd({ nodes, openings }: Walk): Set<string> {
  const before = new Map<Node, Node[]>();
  for (const node of nodes) {
    for (const { to } of node.edges) before.set(to, [...(before.get(to) ?? []), node]);
  }
  const canEnd = new Set<Node>();
  // A situation that was not tried because there were too many is not known to be a dead end.
  const pending = nodes.filter(({ edges }) => edges.length === 0);
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (canEnd.has(node)) continue;
    canEnd.add(node);
    pending.push(...(before.get(node) ?? []));
  }
  const isDead = (node: Node) => !canEnd.has(node);
  const entered = [
    ...openings.map(({ to }) => to),
    ...nodes.filter((node) => canEnd.has(node)).flatMap(({ edges }) => edges.map(({ to }) => to)),
  ];
  return new Set(entered.filter(isDead).map(({ state }) => state.skill));
}

/** Loops that a caller who is never understood cannot leave. The same skills in another situation are the same loop. */
function endlessRetries({ nodes }: Walk): string[][] {
  const targetsOf = ({ edges }: Node) =>
    edges.flatMap(({ isWithoutHelp, to }) => (isWithoutHelp ? [to] : [])).reverse();
  const loops = loopsIn(nodes, targetsOf).map((loop) => [...new Set(loop.map(({ state }) => state.skill))]);
  return [...Map.groupBy(loops, (ids) => ids.toSorted().join(' ')).values()].map(([first]) => first as string[]);
}

/** Every way that a conversation could take, as the walk names them. */
export function allWays({ skills, anytime = [] }: Flow): string[] {
  return [
    ...skills.flatMap((skill) => [
      ...waysOf(skill).map(({ name }) => `${skill.id} ${name}`),
      ...((skill.type === 'ask' || skill.type === 'choose') && skill.retry?.max !== 0 ? [`${skill.id} retry`] : []),
    ]),
    ...anytime.map((_, index) => `anytime.${index}`),
  ];
}
