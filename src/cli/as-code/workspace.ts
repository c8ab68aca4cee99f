import { type Agent, NotFoundError, type VoiceAgents } from '../../../sdk/src/index.ts';
import { forEachConcurrently } from '../concurrency.ts';
import { type Connection, type ConnectionOptions, connect } from '../connection/connection.ts';
import { type Content, contentOf, digest, digestsOf } from './content.ts';
import type { KnownAgent, WorkspaceState } from './state.ts';

/** The number of concurrent requests. */
export const maxRequestsInFlight = 8;

export interface Workspace {
  readonly client: VoiceAgents;
  /** The service URL, as stored in the state. */
  readonly service: string;
  readonly id: string;
  readonly name: string;
  /** Whether the key may read phone numbers; files of agents need no such key. */
  readonly hasNumbers: boolean;
  /** Whether it may read workflows, and knowledge bases. */
  readonly hasWorkflows: boolean;
  readonly hasKnowledge: boolean;
}

/** An agent as it is on the server. */
export interface SeenAgent {
  readonly agent: Agent;
  readonly content: Content;
  /** Null if not needed: lists do not include ETags. */
  readonly etag: string | null;
}

export async function openWorkspace(options: ConnectionOptions, environment: NodeJS.ProcessEnv): Promise<Workspace> {
  const { client, baseUrl }: Connection = await connect(options, environment);
  const { workspaceId, workspaceName, scopes } = await client.whoami();
  const hasNumbers = scopes.includes('phone-numbers:read');
  const hasWorkflows = scopes.includes('workflows:read');
  const hasKnowledge = scopes.includes('knowledge:read');
  const place = { service: addressOf(baseUrl), id: workspaceId, name: workspaceName };
  return { client, ...place, hasNumbers, hasWorkflows, hasKnowledge };
}

function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** All agents, in order of creation. */
export async function listAgents(client: VoiceAgents): Promise<Agent[]> {
  const agents: Agent[] = [];
  for await (const agent of client.agents.list({ limit: 200 })) agents.push(agent);
  return agents.reverse();
}

/** Null if the agent does not exist. */
export async function readAgent(client: VoiceAgents, id: string): Promise<Required<SeenAgent> | null> {
  try {
    const { data, response } = await client.agents.get(id).withResponse();
    return { agent: data, content: contentOf(data), etag: response.etag };
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/**
 * The agents with their ETags, by id. An agent whose document digest matches the state still has the ETag in the state;
 * the others for which `needsTag` is true are read individually.
 */
export async function withTags(
  client: VoiceAgents,
  agents: readonly Agent[],
  state: WorkspaceState,
  needsTag: (agent: Agent) => boolean,
  onProgress: (done: number, total: number) => void,
): Promise<Map<string, SeenAgent>> {
  const known = new Map([...state.agents.values()].map((entry) => [entry.id, entry]));
  const seen = new Map<string, SeenAgent>();
  const toRead: Agent[] = [];
  for (const agent of agents) {
    const entry = known.get(agent.id);
    const isSame = entry !== undefined && entry.document === digestOfAgent(agent);
    // Including those still to be read, to preserve the order.
    seen.set(agent.id, { agent, content: contentOf(agent), etag: isSame ? entry.etag : null });
    if (!isSame && needsTag(agent)) toRead.push(agent);
  }
  let done = 0;
  await forEachConcurrently(toRead, maxRequestsInFlight, async ({ id }) => {
    const found = await readAgent(client, id);
    if (found === null) seen.delete(id);
    else seen.set(id, found);
    done += 1;
    onProgress(done, toRead.length);
  });
  return seen;
}

function digestOfAgent(agent: Agent): string {
  return digest(JSON.stringify(agent));
}

/** The state entry of an agent and its file, when they have the same content or only the file has changed. */
export function noteOf(agent: Agent, etag: string, fileDigest: string): KnownAgent {
  return {
    id: agent.id,
    etag,
    document: digestOfAgent(agent),
    file: fileDigest,
    fields: digestsOf(contentOf(agent)),
  };
}

/** The fields that have changed since the state entry was written. */
export function fieldsChangedSince(entry: KnownAgent, content: Content): string[] {
  const now = digestsOf(content);
  const names = new Set([...Object.keys(entry.fields), ...Object.keys(now)]);
  return [...names].filter((name) => entry.fields[name] !== now[name]);
}
