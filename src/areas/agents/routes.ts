import type { Agent } from '../../contract/agents/agent.ts';
import type { agentsContract } from '../../contract/agents/index.ts';
import { notFound } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import { isFresh, requireMatch } from '../../http/operations/conditions.ts';
import type { ChangeReply, Handlers, OperationReply } from '../../http/operations/handlers.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import type { ReadCache } from '../../storage/cache/read-cache.ts';
import type { Queries } from '../../storage/database.ts';
import { buildAgent, changeAgent, duplicateAgent, publishAgent, restoreAgent } from './agent.ts';
import { checkResult } from './check.ts';
import { diff } from './diff.ts';
import { publishability, type WorkspaceParts } from './publishable.ts';
import { type AgentStore, type Head, parseDocument, type StoredDocument, type VersionName } from './store.ts';
import { type ToolTestParts, toolTestRoutes } from './tool-test.ts';

type AgentHandlers = Handlers<(typeof agentsContract.operations)[number]>;

/** What other areas do in the transaction of a change. */
export interface AgentHooks {
  readonly onChange: (queries: Queries, before: Agent, agent: Agent) => Promise<void>;
  readonly onPublish: (queries: Queries, agent: Agent) => Promise<void>;
  readonly onDelete: (queries: Queries, workspaceId: string, id: string) => Promise<void>;
}

interface AgentRouteParts {
  readonly store: AgentStore;
  readonly cache: Pick<ReadCache, 'read'>;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly allowedNetworks: AllowedNetworks;
  /** What the workspace has of what the agent names. With a transaction, it exists until its end. */
  readonly workspaceParts: (agent: Agent, transaction?: Queries) => Promise<WorkspaceParts>;
  readonly hooks: AgentHooks;
  readonly toolTest: ToolTestParts;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of short handlers.
export function agentRoutes(parts: AgentRouteParts): AgentHandlers {
  const { store, cache, newId, now, allowedNetworks, workspaceParts, hooks } = parts;
  const timestamp = () => new Date(now()).toISOString();
  const newIdentity = (workspaceId: string) => ({ id: newId('agt'), workspaceId, createdAt: timestamp() });

  const lock = async (queries: Queries, workspaceId: string, id: string): Promise<Head> => {
    const head = isId('agt', id) ? await store.lock(queries, workspaceId, id) : undefined;
    if (head === undefined) throw notFound('agent');
    return head;
  };
  const findVersion = async (
    workspaceId: string,
    id: string,
    version: string,
    queries?: Queries,
  ): Promise<StoredDocument> => {
    const name = versionName(version);
    const found =
      name !== undefined && isId('agt', id) ? await store.getVersion(workspaceId, id, name, queries) : undefined;
    if (found === undefined) throw notFound('version');
    return found;
  };

  return {
    'agents.list': ({ caller: { workspaceId }, query: { limit, q: search = null }, position, nextPage }) => {
      const after = position?.after ?? null;
      const read = async () => nextPage(await store.page(workspaceId, after, limit, search));
      if (search !== null || after !== null) return read();
      // The default page, which most clients request.
      return cache.read(workspaceId, `${workspaceId} first ${limit}`, async () => {
        const page = await read();
        return { ...page, body: page.body.shared() };
      });
    },

    'agents.create': async ({ caller, body, queries }) => {
      const agent = buildAgent(body, newIdentity(caller.workspaceId));
      return written(agent, await store.insert(queries, agent));
    },

    'agents.get': ({ caller: { workspaceId }, params: { id }, ifNoneMatch }) => {
      const reply = cache.read(workspaceId, id, async () => {
        const found = isId('agt', id) ? await store.get(workspaceId, id) : undefined;
        if (found === undefined) throw notFound('agent');
        return replyWith(found);
      });
      if (reply instanceof Promise) return reply.then((loaded) => orNotModified(loaded, ifNoneMatch));
      return orNotModified(reply, ifNoneMatch);
    },

    'agents.update': async ({ caller, params, body, ifMatch, queries }) => {
      const head = await lock(queries, caller.workspaceId, params.id);
      requireMatch(ifMatch, head.etag);
      const changed = changeAgent(head.agent, body, timestamp());
      const stored = await store.replace(queries, head, changed);
      await hooks.onChange(queries, head.agent, changed);
      return written(changed, stored);
    },

    'agents.delete': async ({ caller, params, ifMatch, queries }) => {
      const head = await lock(queries, caller.workspaceId, params.id);
      requireMatch(ifMatch, head.etag);
      await store.remove(queries, caller.workspaceId, params.id);
      await hooks.onDelete(queries, caller.workspaceId, params.id);
      return { body: { id: params.id, deleted: true }, resourceId: params.id, resourceName: head.agent.name };
    },

    'agents.duplicate': async ({ caller, params, body, queries }) => {
      const { agent } = await lock(queries, caller.workspaceId, params.id);
      const copy = duplicateAgent(agent, body.name, newIdentity(caller.workspaceId));
      return { ...written(copy, await store.insert(queries, copy)), sourceId: agent.id, sourceName: agent.name };
    },

    'agents.publish': async ({ caller, params, body, ifMatch, queries }) => {
      const head = await lock(queries, caller.workspaceId, params.id);
      requireMatch(ifMatch, head.etag);
      const { versionDescription } = body;
      const published = publishAgent(head.agent, {
        versionDescription,
        allowedNetworks,
        now: timestamp(),
        ...(await workspaceParts(head.agent, queries)),
      });
      const stored = await store.replace(queries, head, published);
      if (published !== head.agent) await hooks.onPublish(queries, published);
      return written(published, stored);
    },

    'agents.check': async ({ caller, params, query }) => {
      const agent = parseDocument(await findVersion(caller.workspaceId, params.id, query.version));
      return { body: checkResult(publishability(agent, allowedNetworks, await workspaceParts(agent))) };
    },

    'agents.versions.list': async ({ caller, params, query, position, nextPage }) => {
      const before = position === null ? null : Number(position.after);
      const found = isId('agt', params.id)
        ? await store.pageOfVersions(caller.workspaceId, params.id, before, query.limit)
        : undefined;
      // Every agent has a version, and a cursor is only issued if another page follows. So an empty page means that the
      // agent does not exist.
      if (found === undefined || found.items.length === 0) throw notFound('agent');
      return nextPage(found);
    },

    'agents.versions.get': async ({ caller, params, ifNoneMatch }) =>
      orNotModified(replyWith(await findVersion(caller.workspaceId, params.id, params.version)), ifNoneMatch),

    'agents.versions.restore': async ({ caller, params, ifMatch, queries }) => {
      const head = await lock(queries, caller.workspaceId, params.id);
      const source = await findVersion(caller.workspaceId, params.id, params.version, queries);
      store.requireWritable(source);
      requireMatch(ifMatch, head.etag);
      const restored = restoreAgent(head.agent, parseDocument(source), timestamp());
      const stored = await store.replace(queries, head, restored);
      await hooks.onChange(queries, head.agent, restored);
      return written(restored, stored);
    },

    'agents.diff': async ({ caller, params, query }) => {
      const before = parseDocument(await findVersion(caller.workspaceId, params.id, query.from));
      const after = parseDocument(await findVersion(caller.workspaceId, params.id, query.to));
      return { body: { from: before.version, to: after.version, changes: diff(before, after) } };
    },

    'agents.states.list': async ({ caller, query }) => {
      const items = await store.states(
        caller.workspaceId,
        query.agentId.filter((id) => isId('agt', id)),
      );
      return { body: { items, pagination: { nextCursor: null } } };
    },

    ...toolTestRoutes({
      ...parts.toolTest,
      newId,
      now,
      lock: async (queries, workspaceId, id) => (await lock(queries, workspaceId, id)).agent,
      publishingIssues: async (agent, queries) =>
        publishability(agent, allowedNetworks, await workspaceParts(agent, queries)).errors,
    }),
  };
}

function replyWith({ body, etag }: StoredDocument) {
  return { body, headers: { etag } };
}

/** 304 if the caller already has this version. */
function orNotModified(reply: ReturnType<typeof replyWith>, ifNoneMatch: string | undefined): OperationReply<Agent> {
  return isFresh(ifNoneMatch, reply.headers.etag) ? { ...reply, isNotModified: true } : reply;
}

function written({ id, name }: Agent, { body, etag }: StoredDocument): ChangeReply<Agent> {
  return { body, headers: { etag }, resourceId: id, resourceName: name };
}

/** Undefined if the text is not a valid version. */
function versionName(text: string): VersionName | undefined {
  if (text === 'latest' || text === 'published') return text;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
