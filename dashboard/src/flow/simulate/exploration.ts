import type { Exploration } from '../../../../sdk/src/index.ts';
import { isRecord } from '../../parts/json-value.ts';
import type { Flow, Skill } from '../flow.ts';
import { routesOf } from '../flow.ts';
import { nameProblem } from '../problem-names.ts';
import type { FlowTexts } from '../texts.ts';
import type { ExploreTexts } from './explore-texts.ts';
import { type Coverage, routeKey } from './walk.ts';

type Finding = Exploration['findings'][number];
type Kind = Finding['kind'];

/** A finding in the words of the editor, and where it leads. */
export interface NamedFinding {
  readonly place: string;
  readonly text: string;
  /** Null for what can be said at any time, which has no form. */
  readonly at: { readonly skillId: string; readonly path: string } | null;
}

/** For the colors of the canvas: what can be taken counts once. */
export function coverageOfExploration({ routes }: Exploration): Coverage {
  return new Map(
    routes.flatMap(({ skillId, route, isTaken }) =>
      skillId === null ? [] : [[routeKey(skillId, route), isTaken ? 1 : 0]],
    ),
  );
}

export function nameFinding(flow: Flow, finding: Finding, texts: FlowTexts, explore: ExploreTexts): NamedFinding {
  const { skillId, path, kind, related } = finding;
  const parts = path.split('.').slice(1);
  const skill = skillId === null ? undefined : flow.skills.find(({ id }) => id === skillId);
  const phrase = phraseAt(flow, parts);
  const names = related.map((each) => routeName(each, texts, explore));
  const text = findingText(kind, { names, phrase }, explore);
  if (skill === undefined || skillId === null) {
    return { place: explore.anytime(Number(parts[1]) + 1), text, at: null };
  }
  const within = parts.slice(2).join('.');
  const { place } = nameProblem(skill, { path: within, message: '' }, texts, () => '');
  return { place, text, at: { skillId, path: within } };
}

function findingText(
  kind: Kind,
  { names, phrase }: { readonly names: readonly string[]; readonly phrase: string | null },
  explore: ExploreTexts,
): string {
  switch (kind) {
    case 'unreachable_skill':
      return explore.unreachable;
    case 'dead_end':
      return explore.deadEnd;
    case 'endless_retry':
      return explore.endlessRetry(names.join(' → '));
    case 'loop_without_listening':
      return explore.neverListens(names.join(' → '));
    case 'route_never_taken':
      return names.length === 0 ? explore.neverTrue : explore.ledElsewhere(names.join(', '));
    case 'phrase_never_matched':
      return names.length === 0 ? explore.neverMatched(phrase) : explore.takenBy(phrase, names.join(', '));
    case 'option_never_understood':
      return explore.optionNever;
    case 'answer_never_understood':
      return explore.answerNever;
    default:
      return kind satisfies never;
  }
}

/** `routes.1` is a route of the same step, `anytime.0` one that can be taken at any time; others are ids of steps. */
function routeName(name: string, texts: FlowTexts, explore: ExploreTexts): string {
  const [, kind, index] = /^(routes|anytime)\.(\d+)$/.exec(name) ?? [];
  if (kind === undefined) return name;
  const number = Number(index) + 1;
  return kind === 'routes' ? texts.route(number) : explore.anytime(number);
}

/** The words at `skills.0.routes.1.when.2`. */
function phraseAt(flow: Flow, parts: readonly string[]): string | null {
  let value: unknown = flow;
  for (const part of parts) {
    if (Array.isArray(value)) value = value[Number(part)];
    else value = isRecord(value) ? value[part] : undefined;
  }
  return typeof value === 'string' ? value : null;
}

/** The routes that no conversation takes, and that no finding explains. */
export function unexplainedRoutes(flow: Flow, { findings, routes }: Exploration): readonly NamedRoute[] {
  const unreachable = new Set(findings.flatMap(({ kind, skillId }) => (kind === 'unreachable_skill' ? [skillId] : [])));
  const never = new Set(
    findings.flatMap(({ kind, skillId, path }) =>
      kind === 'route_never_taken' ? [`${skillId} ${path.split('.').slice(3).join('.')}`] : [],
    ),
  );
  return routes.flatMap(({ skillId, route, isTaken }) => {
    const skill = flow.skills.find(({ id }) => id === skillId);
    if (isTaken || skill === undefined || route === 'retry') return [];
    if (unreachable.has(skillId) || never.has(`${skillId} ${route}`)) return [];
    const index = /^routes\.(\d+)$/.exec(route)?.[1];
    if (index !== undefined && routesOf(skill)[Number(index)] === undefined) return [];
    return [{ skill, path: index === undefined ? route : `${route}.next` }];
  });
}

export interface NamedRoute {
  readonly skill: Skill;
  /** In the step, such as `routes.2.next`. */
  readonly path: string;
}
