import type { Flow } from '../../../contract/agents/settings/flow.ts';
import { compileFlow, type FlowOptions } from './compile.ts';
import { allWays, type Finding, findingsOf } from './explore/findings.ts';
import { longestPath } from './explore/longest-path.ts';
import { type ScriptedEnd, shortestScripts } from './explore/script.ts';
import { walkFlow } from './explore/walk.ts';

export interface Exploration {
  readonly findings: readonly Finding[];
  readonly coverage: {
    /** The share of the ways through the flow: routes, retries and what can be said at any time. */
    readonly percent: number;
    readonly ways: number;
    readonly taken: number;
    readonly notTaken: readonly string[];
  };
  /** The most skills that one conversation passes through, each once. */
  readonly longestPath: readonly string[];
  /** The shortest simulation that reaches each end. */
  readonly ends: readonly ScriptedEnd[];
  /** How many situations were tried; not complete: there are more. */
  readonly situations: number;
  readonly isComplete: boolean;
}

export interface ExploreOptions extends FlowOptions {
  /** Milliseconds since 1970: the time of the imagined calls. */
  readonly now: number;
}

/** Walks every route, retry and silence of a valid flow, and hangs up everywhere, without a model or a tool. */
export function exploreFlow(flow: Flow, options: ExploreOptions): Exploration {
  const compiled = compileFlow(flow, options);
  const walk = walkFlow(flow, compiled, options.now);
  const ways = allWays(flow);
  const notTaken = ways.filter((way) => !walk.ways.has(way));
  const taken = ways.length - notTaken.length;
  return {
    findings: findingsOf(flow, compiled, walk),
    coverage: {
      percent: ways.length === 0 ? 100 : Math.floor((taken * 1000) / ways.length) / 10,
      ways: ways.length,
      taken,
      notTaken,
    },
    longestPath: longestPath(flow, compiled.start, walk.ways),
    ends: shortestScripts(walk.openings),
    situations: walk.nodes.length,
    isComplete: walk.isComplete,
  };
}
