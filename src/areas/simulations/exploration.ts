import type { Agent } from '../../contract/agents/agent.ts';
import type { Flow } from '../../contract/agents/settings/flow.ts';
import { type Exploration, maxFindings, maxRoutes } from '../../contract/simulations/explore.ts';
import { shortened } from '../../core/issues.ts';
import { allWays } from '../../voice/engines/flow/explore/findings.ts';
import { type Exploration as Explored, exploreFlow } from '../../voice/engines/flow/explore.ts';
import { defaultStart } from '../../voice/simulation/prepare.ts';

/** What a child process is given to explore: an agent with a valid flow. */
export interface ExplorationJob {
  readonly explored: Agent;
}

const maxScriptBytes = 4 * 1024 * 1024;
const maxMessageLength = 2000;
const maxRelated = 500;

export function performExploration({ explored: agent }: ExplorationJob): Uint8Array {
  const start = performance.now();
  const { language, startSkillId } = agent;
  const { flow, timeZone } = agent.agentSettings as { readonly flow: Flow; readonly timeZone?: string };
  const found = exploreFlow(flow, { language, startSkillId, timeZone, now: defaultStart });
  const tookMs = Math.round(performance.now() - start);
  return new TextEncoder().encode(JSON.stringify(explorationOf(flow, found, tookMs)));
}

function explorationOf(flow: Flow, found: Explored, tookMs: number): Exploration {
  const { percent, ways: routes, taken, notTaken } = found.coverage;
  const untaken = new Set(notTaken);
  return {
    findings: found.findings.slice(0, maxFindings).map(({ kind, path, message, related }) => ({
      kind,
      skillId: path[0] === 'skills' ? (flow.skills[Number(path[1])]?.id ?? null) : null,
      path: ['flow', ...path].join('.'),
      message: shortened(message, maxMessageLength),
      related: related.slice(0, maxRelated),
    })),
    coverage: { percent, routes, taken },
    routes: allWays(flow)
      .slice(0, maxRoutes)
      .map((way) => ({ ...routeOf(way), isTaken: !untaken.has(way) })),
    longestPath: found.longestPath,
    ends: endsWithin(found.ends, maxScriptBytes),
    situations: found.situations,
    isComplete: found.isComplete,
    tookMs,
  };
}

/** `greet routes.1` is a route of a skill, `anytime.0` one that can be taken at any time. */
function routeOf(way: string) {
  const [first = '', second] = way.split(' ');
  return second === undefined ? { skillId: null, route: first } : { skillId: first, route: second };
}

/** Arguments of tools can be long, and are in every script that calls them. */
export function endsWithin(ends: Explored['ends'], maxBytes: number): Exploration['ends'] {
  const kept: Exploration['ends'] = [];
  let bytes = 0;
  for (const { skill, script } of ends) {
    const end = { skillId: skill, script } as Exploration['ends'][number];
    bytes += Buffer.byteLength(JSON.stringify(end));
    if (bytes > maxBytes) break;
    kept.push(end);
  }
  return kept;
}
