import { checkResult } from '../../areas/agents/check.ts';
import { publishability } from '../../areas/agents/publishable.ts';
import type { Agent } from '../../contract/agents/agent.ts';
import { AllowedNetworks, localNetworks } from '../../net/networks.ts';
import { engineFor, needsModel } from '../../voice/engines/choose.ts';
import { agentOf, describeCheck, readAgent } from '../agents/check.ts';
import { formatOf, type Path, readText } from '../as-code/document.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import type { CommandContext } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { checkedId, checkedVersion } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';

export interface SimulateOptions extends ConnectionOptions {
  readonly agent?: string;
  readonly version?: string;
  readonly runs: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly interactive?: boolean;
  readonly explore?: boolean;
  readonly write?: string;
  readonly cassette?: string;
  readonly record?: string;
}

/** An agent that can be simulated on this machine. */
export interface LocalAgent {
  readonly name: string;
  readonly agent: Agent;
  /** The place of a field, as `file:line`; null if the agent is not from a file. */
  placeOf(path: Path): string | null;
}

export function isAgentId(target: string): boolean {
  return target.startsWith('agt_') && formatOf(target) === null;
}

/** An agent from a file, or from the service. */
export async function loadAgent(
  target: string,
  options: SimulateOptions,
  context: CommandContext,
): Promise<LocalAgent> {
  const local = isAgentId(target) ? await fetched(target, options, context) : await fromFile(target, options);
  // Nothing is called in a simulation, so the networks of a service do not matter.
  const result = checkResult(publishability(local.agent, new AllowedNetworks(localNetworks)));
  if (!result.publishable) {
    const list = describeCheck(target, { ...result, warnings: [] }, context.stderr).trimEnd();
    throw invalidUsage(`the agent is not valid\n${list}`);
  }
  return local;
}

/** A simulation calls no model: what it would reply is not known. */
export function requireNoModel({ name, agent }: LocalAgent): void {
  if (!needsModel(agent)) return;
  const engine = engineFor(agent, true);
  const source = engine === 'custom_llm' ? 'a server of its own' : 'a language model';
  const reason = engine === 'flow' ? 'its flow uses a language model' : `its replies come from ${source}`;
  throw invalidUsage(
    `${visible(name)} cannot be simulated: ${reason}, and a simulation calls none. It needs a cassette with recorded replies (--record writes one), a flow without prompts, or a test model such as test-echo`,
  );
}

async function fetched(id: string, options: SimulateOptions, { environment }: CommandContext): Promise<LocalAgent> {
  const agentId = checkedId('agent', id);
  const version = checkedVersion(options.version ?? 'latest', '--version');
  const { client } = await connect(options, environment);
  const agent = await client.agents.versions.get(agentId, version);
  return { name: agent.name, agent: agent as unknown as Agent, placeOf: () => null };
}

async function fromFile(path: string, options: SimulateOptions): Promise<LocalAgent> {
  const { content, bytes, format } = await readAgent(path, options);
  const { lineOf } = readText(bytes.toString('utf8'), format);
  return {
    name: content.name,
    agent: agentOf(content) as Agent,
    placeOf: (fieldPath) => `${visible(path)}:${lineOf(fieldPath) ?? 1}`,
  };
}
