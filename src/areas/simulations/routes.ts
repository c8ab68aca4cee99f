import { randomInt } from 'node:crypto';
import type { Agent } from '../../contract/agents/agent.ts';
import { versionNameOf } from '../../contract/agents/version.ts';
import type { Body } from '../../contract/operation.ts';
import type { Exploration, exploreSimulation } from '../../contract/simulations/explore.ts';
import type { runSimulation, SimulationReport, simulationsContract } from '../../contract/simulations/index.ts';
import { unprocessable } from '../../core/errors.ts';
import { type Issue, Issues } from '../../core/issues.ts';
import { StoredJson } from '../../core/stored-json.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import { engineFor, needsModel } from '../../voice/engines/choose.ts';
import type { Pool } from '../../workers/pool.ts';
import type { ExplorationJob } from './exploration.ts';
import type { SimulationJob } from './job.ts';

/** What simulations know of agents. */
export interface AgentReader {
  /** Undefined if the workspace has no such agent, or the agent no such version. */
  readVersion(workspaceId: string, id: string, version: number | 'latest' | 'published'): Promise<Agent | undefined>;
  /** What prevents the version from being published. */
  publishingIssues(agent: Agent): readonly Issue[];
}

type SimulationHandlers = Handlers<(typeof simulationsContract.operations)[number]>;
type Request = Body<typeof runSimulation>;

export function simulationRoutes(
  agents: AgentReader,
  children: Pool<SimulationJob | ExplorationJob, Uint8Array>,
): SimulationHandlers {
  const { maxMs } = children.limits;
  return {
    'simulations.run': async ({ caller: { workspaceId }, body }) => {
      const { script, cassette = null, runs, seed = randomInt(2 ** 32) } = body;
      const agent = await findAgent(agents, workspaceId, body);
      refuse(unfitness(agents.publishingIssues(agent), agent, body));
      const result = await children.perform(workspaceId, { agent, script, cassette, runs, seed, maxMs });
      if (result === 'memory') {
        throw unprocessable({ runs: ['take more memory than a simulation may use: use fewer, or a shorter script'] });
      }
      if (result === 'time') {
        const seconds = maxMs / 1000;
        throw unprocessable({ runs: [`take longer than ${seconds} seconds: use fewer, or a shorter script`] });
      }
      return { body: storedJson<SimulationReport>(result) };
    },
    'simulations.explore': async ({ caller: { workspaceId }, body }) => {
      const explored = await findAgent(agents, workspaceId, body);
      refuse(unexplorable(agents.publishingIssues(explored), explored));
      const result = await children.perform(workspaceId, { explored });
      if (result === 'memory') throw unprocessable({ agentId: ['has a flow that takes too much memory to explore'] });
      if (result === 'time') {
        throw unprocessable({ agentId: [`has a flow that takes longer than ${maxMs / 1000} seconds to explore`] });
      }
      return { body: storedJson<Exploration>(result) };
    },
  };
}

function storedJson<Value>({ buffer, byteOffset, byteLength }: Uint8Array): StoredJson<Value> {
  return new StoredJson<Value>(Buffer.from(buffer, byteOffset, byteLength));
}

async function findAgent(
  agents: AgentReader,
  workspaceId: string,
  body: Body<typeof exploreSimulation>,
): Promise<Agent> {
  const { agentId, agentVersion } = body;
  const version = versionNameOf(agentVersion);
  const agent = version === undefined ? undefined : await agents.readVersion(workspaceId, agentId, version);
  if (agent !== undefined) return agent;
  const isThere = (await agents.readVersion(workspaceId, agentId, 'latest')) !== undefined;
  const noVersion =
    agentVersion === 'published' ? 'no version of the agent is published' : 'is not a version of the agent';
  throw unprocessable({
    ...(isThere ? {} : { agentId: ['is not an agent of this workspace'] }),
    // If the agent does not exist, only a name that no version can have is known to be wrong.
    ...(isThere || version === undefined ? { agentVersion: [noVersion] } : {}),
  });
}

/** Everything that prevents a simulation of this agent. */
function unfitness(publishing: readonly Issue[], agent: Agent, { cassette }: Request): readonly Issue[] {
  const engine = engineFor(agent, true);
  const about = (message: string) => [...publishing, { path: ['cassette'], message }];
  if (engine === 'custom_llm' && cassette !== undefined && (cassette.exchanges ?? []).length === 0) {
    return about('has no exchanges with a custom LLM server, which the agent needs');
  }
  if (cassette !== undefined) return publishing;
  // A flow that cannot be published may be anything, so that it is not looked at.
  if (engine === 'flow' && publishing.length > 0) return publishing;
  if (!needsModel(agent)) return publishing;
  return about('is required: the agent uses a language model, which a simulation does not call');
}

/** A flow that could not be published cannot be explored; one that another engine runs instead is not there. */
function unexplorable(publishing: readonly Issue[], agent: Agent): readonly Issue[] {
  if (engineFor(agent, true) === 'flow') return publishing;
  return [...publishing, { path: ['agentId'], message: 'is not an agent with a flow' }];
}

function refuse(found: readonly Issue[]): void {
  const issues = new Issues();
  for (const issue of found) issues.add(issue);
  issues.throwIfAny(unprocessable);
}
