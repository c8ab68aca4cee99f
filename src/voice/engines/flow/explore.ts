import type { Flow, Skill } from '../../../contract/agents/settings/flow.ts';
import { compileFlow, type FlowOptions } from './compile.ts';
import { allWays, findingsOf } from './explore/findings.ts';
import { shortestScripts } from './explore/script.ts';
import { Walk } from './explore/walk.ts';
import { asks, waysOf } from './graph.ts';

export type Exploration = ReturnType<typeof exploreFlow>;

export interface ExploreOptions extends FlowOptions {
  /** Milliseconds since 1970: the time of the imagined calls. */
  readonly now: number;
}

/** Walks every route, retry and silence of a valid flow, and hangs up everywhere, without a model or a tool. */
export function exploreFlow(flow: Flow, options: ExploreOptions) {
  const compiled = compileFlow(flow, options);
  const walk = new Walk(flow, compiled, options.now);
  const ways = allWays(flow);
  const notTaken = ways.filter((way) => !walk.ways.has(way));
  const taken = ways.length - notTaken.length;
  return {
    findings: findingsOf(flow, compiled, walk),
    coverage: {
      /** The share of the ways through the flow: routes, retries and what can be said at any time. */
      percent: ways.length === 0 ? 100 : Math.floor((taken * 1000) / ways.length) / 10,
      ways: ways.length,
      taken,
      notTaken,
    },
    /** The most skills that one conversation passes through, each once. */
    longestPath: longestPath(flow, compiled.start, walk.ways),
    /** The shortest simulation that reaches each end. */
    ends: shortestScripts(walk.openings),
    /** How many situations were tried. `isComplete`: false if there are more. */
    situations: walk.nodes.length,
    isComplete: walk.isComplete,
  };
}

/** Finding the longest path of a graph with loops takes exponential time; this many steps are enough for real flows. */
const maxSteps = 50_000;

/** The most skills from the start, each once, over ways that were taken. */
function longestPath({ skills, anytime = [] }: Flow, start: string, taken: ReadonlySet<string>): string[] {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const interjections = anytime.flatMap(({ next }) => next ?? []);
  const targetsOf = (id: string): string[] => {
    const skill = byId.get(id) as Skill;
    const targets = waysOf(skill).flatMap(({ name, target }) => (taken.has(`${id} ${name}`) ? [target] : []));
    return [...new Set([...targets, ...(asks(skill) ? interjections : [])])];
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
