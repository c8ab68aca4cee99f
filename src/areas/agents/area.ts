import { LRUCache } from 'lru-cache';
import type { Agent } from '../../contract/agents/agent.ts';
import { agentsContract } from '../../contract/agents/index.ts';
import { isId } from '../../core/ids.ts';
import type { Issue } from '../../core/issues.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import { ReadCache } from '../../storage/cache/read-cache.ts';
import type { Queries, Reads } from '../../storage/database.ts';
import { knowledgeBaseIdsIn } from '../../voice/settings.ts';
import { secretUses } from '../../voice/tools/secret-uses.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { type FindKnowledgeBases, type FindSecretHosts, publishability, type WorkspaceParts } from './publishable.ts';
import { type AgentHooks, agentRoutes } from './routes.ts';
import { type AgentStore, createAgentStore, parseDocument, storedAgents, type VersionName } from './store.ts';
import type { ToolTestParts } from './tool-test.ts';

const readCacheBytes = 32 * 1024 * 1024;
const maxChecked = 1000;

const uncached: Pick<ReadCache, 'read'> = { read: (_workspaceId, _name, load) => load() };

export interface AgentOptions {
  /** False: searches do not use the name index, and none is built. */
  readonly hasNameIndex: boolean;
  /** False: every read goes to the database. The responses are the same. */
  readonly hasReadCache: boolean;
  /** What the addresses in a published agent may point to besides public ones. */
  readonly allowedNetworks: AllowedNetworks;
  /** The hosts of the named secrets that exist. With a transaction, the secrets exist until its end. */
  readonly secretHosts: FindSecretHosts;
  /** The knowledge bases among these ids that exist. With a transaction, they exist until its end. */
  readonly knowledgeBases: FindKnowledgeBases;
  /** Run in the transaction that changes a draft, publishes a version or deletes an agent. */
  readonly onChange: AgentHooks['onChange'];
  readonly onPublish: AgentHooks['onPublish'];
  readonly onDelete: AgentHooks['onDelete'];
  readonly toolTest: ToolTestParts;
}

export interface Agents {
  readonly area: Area;
  readonly count: AgentStore['count'];
  /** The agents whose newest published version has a tool that uses the secret, up to 20 ids. */
  readonly usersOfSecret: AgentStore['usersOfSecret'];
  /** The agents whose newest published version names the knowledge base, up to 20 ids. */
  readonly usersOfKnowledgeBase: AgentStore['usersOfKnowledgeBase'];
  readonly existing: AgentStore['existing'];
  /** Undefined if the workspace has no such agent, or the agent no such version. */
  readVersion(workspaceId: string, id: string, version: VersionName): Promise<Agent | undefined>;
  /** What prevents an agent from being published. */
  publishingIssues(agent: Agent): readonly Issue[];
  /** The same in a transaction, with the bytes that identify the content. */
  findVersion(
    queries: Reads,
    workspaceId: string,
    id: string,
    version: VersionName,
  ): Promise<IdentifiedAgent | undefined>;
  /** The same for such a version, including its secrets and knowledge bases, which then exist until the end of the transaction. */
  callIssues(queries: Queries, version: IdentifiedAgent): Promise<readonly Issue[]>;
}

/** A version of an agent. The digest is that of the document. */
export interface IdentifiedAgent {
  readonly agent: Agent;
  readonly digest: string;
  readonly document: string;
  readonly documentVersion: number;
}

export function createAgents(
  { database, newId, now }: Kernel,
  {
    hasNameIndex,
    hasReadCache,
    allowedNetworks,
    secretHosts,
    knowledgeBases,
    onChange,
    onPublish,
    onDelete,
    toolTest,
  }: AgentOptions,
): Agents {
  const cache = new ReadCache(database, readCacheBytes);
  const checked = new LRUCache<string, readonly Issue[]>({ max: maxChecked });
  const store = createAgentStore(database, { hasNameIndex, onWrite: cache.invalidateWith.bind(cache) });
  const workspaceParts = async (
    { workspaceId, agentSettings }: Agent,
    transaction?: Queries,
  ): Promise<Required<WorkspaceParts>> => {
    const names = [...new Set(secretUses(agentSettings).map(({ name }) => name))];
    const ids = [...new Set(knowledgeBaseIdsIn(agentSettings).map(({ id }) => id))];
    return {
      secrets: names.length === 0 ? new Map() : await secretHosts(workspaceId, names, transaction),
      bases: ids.length === 0 ? [] : await knowledgeBases(workspaceId, ids, transaction),
      isCalled: false,
    };
  };
  const area = defineArea(agentsContract, {
    handlers: agentRoutes({
      store,
      cache: hasReadCache ? cache : uncached,
      newId,
      now,
      allowedNetworks,
      workspaceParts,
      hooks: { onChange, onPublish, onDelete },
      toolTest,
    }),
    tasks: [{ name: 'build the index of names', everyMs: 100, run: store.buildNameIndex }],
    documents: storedAgents(database),
  });
  return {
    area,
    count: store.count,
    usersOfSecret: store.usersOfSecret,
    usersOfKnowledgeBase: store.usersOfKnowledgeBase,
    existing: store.existing,
    readVersion: async (workspaceId, id, version) => {
      const found = isId('agt', id) ? await store.getVersion(workspaceId, id, version) : undefined;
      return found === undefined ? undefined : parseDocument(found);
    },
    publishingIssues: (agent) => publishability(agent, allowedNetworks).errors,
    findVersion: async (queries, workspaceId, id, version) => {
      const found = isId('agt', id) ? await store.getVersion(workspaceId, id, version, queries) : undefined;
      if (found === undefined) return undefined;
      const document = String(found.body.bytes);
      const { etag, documentVersion } = found;
      return { agent: JSON.parse(document), digest: etag.slice(1, -1), document, documentVersion };
    },
    callIssues: async (queries, { agent, digest }) => {
      const { agentSettings } = agent;
      if (secretUses(agentSettings).length > 0 || knowledgeBaseIdsIn(agentSettings).length > 0) {
        const parts = { ...(await workspaceParts(agent, queries)), isCalled: true };
        return publishability(agent, allowedNetworks, parts).errors;
      }
      // The rules for a large flow take milliseconds, and its content does not change.
      const known = checked.get(digest) ?? publishability(agent, allowedNetworks).errors;
      checked.set(digest, known);
      return known;
    },
  };
}
