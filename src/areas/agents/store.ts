import type { Agent } from '../../contract/agents/agent.ts';
import type { AgentState } from '../../contract/agents/states.ts';
import { isObject } from '../../contract/json-object.ts';
import { etagOf } from '../../core/etag.ts';
import { fold } from '../../core/folding.ts';
import { StoredJson } from '../../core/stored-json.ts';
import { referenceTo } from '../../net/partner/secrets.ts';
import { bytesOf, type Database, type Dialect, type Queries, type Reads } from '../../storage/database.ts';
import type { DocumentKind } from '../../storage/documents/document-kind.ts';
import type { StoredDocuments } from '../../storage/documents/rewriting.ts';
import {
  afterEveryId,
  boundedPageSql,
  createPageReader,
  type Page,
  type PageRow,
  pageOf,
  placesWithin,
} from '../../storage/page.ts';
import { secretUses } from '../../voice/tools/secret-uses.ts';
import { createBlockIndex } from './block-index.ts';
import { createGinIndex } from './gin-index.ts';
import { hasLongAgents } from './long-agents.ts';
import type { NameIndex } from './name-index.ts';

/** A document as sent to clients, and its ETag. */
export interface StoredDocument {
  readonly body: StoredJson<Agent>;
  readonly etag: string;
  /** The version of its shape, at least the current one. */
  readonly documentVersion: number;
}

/** The newest version of an agent, locked until the transaction ends. */
export interface Head {
  readonly agent: Agent;
  readonly etag: string;
}

/** A version by its number or by its role. */
export type VersionName = number | 'latest' | 'published';

/** How many users of a secret are reported. */
const maxUsers = 20;

export type AgentStore = ReturnType<typeof createAgentStore>;

export interface AgentStoreOptions {
  /** Called in the transaction of every write to the workspace. */
  readonly onWrite?: (queries: Queries, workspaceId: string) => void;
  /** False: searches scan all names. Existing index entries are still updated. */
  readonly hasNameIndex?: boolean;
}

/** SQL for agents. The stored document is the response body: reads send its bytes without parsing them. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createAgentStore(
  database: Database,
  { hasNameIndex = true, onWrite = () => {} }: AgentStoreOptions = {},
) {
  const kind = database.documents.agent;
  const sql = statements(database.dialect, kind);
  const readPage = createPageReader(database, kind);
  const names: NameIndex =
    database.dialect.engine === 'sqlite' ? createBlockIndex(database) : createGinIndex(database, readPage);

  const get = async (workspaceId: string, id: string, queries: Reads = database): Promise<StoredDocument | undefined> =>
    documentOf(kind, await queries.get<DocumentRow>(sql.get, [workspaceId, id]));

  /** The columns of a document, in the order that both `insert` and `update` use. */
  const columnsOf = (agent: Agent, foldedName: string, document: string, etag: string) => [
    agent.workspaceId,
    agent.id,
    foldedName,
    agent.version,
    Number(agent.isPublished),
    kind.version,
    etag,
    document,
  ];

  /** Rows contain the text somewhere; whether they use what it names, only the document tells. */
  const usersOf = async (
    queries: Queries,
    workspaceId: string,
    text: string,
    isUsedIn: (settings: Agent['agentSettings']) => boolean,
  ): Promise<readonly string[]> => {
    const users: string[] = [];
    let after = '';
    for (;;) {
      const rows = await queries.all<DocumentRow & { id: string }>(sql.containing, [workspaceId, text, after]);
      for (const row of rows) {
        if (isUsedIn(kind.parse<Agent>(bytesOf(row.doc), row.doc_version).agentSettings)) users.push(row.id);
      }
      after = rows.at(-1)?.id ?? '';
      if (rows.length < maxUsers || users.length >= maxUsers) return users.slice(0, maxUsers);
    }
  };

  return {
    get,

    /** Throws for a version that a newer release has written: this one does not know all of its content. */
    requireWritable: ({ documentVersion }: StoredDocument): void => kind.requireWritable(documentVersion),

    /** The agents before `beforeId`, newest first; null starts at the newest. */
    page: (
      workspaceId: string,
      beforeId: string | null,
      limit: number,
      search: string | null,
    ): Promise<Page<Agent>> => {
      const place = beforeId ?? afterEveryId;
      if (search === null) return readPage(sql.list, [workspaceId, place, limit]);
      const part = fold(search);
      if (hasNameIndex && part !== '') return names.page(workspaceId, place, limit, part, search);
      return readPage(sql.search, [workspaceId, place, limit, part, search]);
    },

    /** The number of agents in the workspace, up to `max`. */
    count: async (workspaceId: string, max: number): Promise<number> =>
      (await database.get<{ agents: number }>(sql.count, [workspaceId, max]))?.agents ?? 0,

    /** Indexes a batch of names. Resolves to true if more work is pending. */
    buildNameIndex: async (): Promise<boolean> => (hasNameIndex ? names.build() : false),

    getVersion: async (
      workspaceId: string,
      id: string,
      version: VersionName,
      queries: Reads = database,
    ): Promise<StoredDocument | undefined> => {
      if (version === 'latest') return get(workspaceId, id, queries);
      const row =
        version === 'published'
          ? await queries.get<DocumentRow>(sql.getPublished, [workspaceId, id])
          : await queries.get<DocumentRow>(sql.getVersion, [workspaceId, id, version]);
      return documentOf(kind, row);
    },

    pageOfVersions: async (
      workspaceId: string,
      id: string,
      before: number | null,
      limit: number,
    ): Promise<Page<Agent>> => {
      const start = before ?? Number.MAX_SAFE_INTEGER;
      return pageOf(await database.get<PageRow>(sql.listVersions, [workspaceId, start, limit, id]), kind);
    },

    /** Newest agent first; ids that are not agents of the workspace are left out. */
    states: async (workspaceId: string, ids: readonly string[]): Promise<AgentState[]> => {
      const rows = await database.all<StateRow>(sql.states, [workspaceId, JSON.stringify(ids)]);
      return rows.map(({ id, version, is_published, kept_version }) => ({
        agentId: id,
        publishedVersion: is_published === 1 ? version : kept_version,
        draftVersion: is_published === 1 ? null : version,
      }));
    },

    /** Filters out ids that are not agents of the workspace. */
    existing: async (queries: Queries, workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
      const text = `SELECT id FROM agents WHERE workspace_id = $1 AND id IN (${database.dialect.textsIn('$2')})`;
      const rows = await queries.all<{ id: string }>(text, [workspaceId, JSON.stringify(ids)]);
      return new Set(rows.map(({ id }) => id));
    },

    /** The agents whose newest published version has a tool that uses the secret, up to 20 ids. */
    usersOfSecret: (queries: Queries, workspaceId: string, name: string): Promise<readonly string[]> =>
      usersOf(queries, workspaceId, referenceTo(name), (settings) =>
        secretUses(settings).some((use) => use.name === name),
      ),

    /** The agents whose newest published version names the knowledge base, up to 20 ids. */
    usersOfKnowledgeBase: (queries: Queries, workspaceId: string, id: string): Promise<readonly string[]> =>
      usersOf(queries, workspaceId, id, (settings) => namesKnowledgeBase(settings, id)),

    /** Locks the agent for a change until the transaction ends. */
    lock: async (queries: Queries, workspaceId: string, id: string): Promise<Head | undefined> => {
      const document = documentOf(kind, await queries.get<DocumentRow>(sql.lock, [workspaceId, id]));
      if (document !== undefined) kind.requireWritable(document.documentVersion);
      return document === undefined ? undefined : { agent: parseDocument(document), etag: document.etag };
    },

    insert: async (queries: Queries, agent: Agent): Promise<StoredDocument> => {
      const document = JSON.stringify(agent);
      const etag = etagOf(document);
      const foldedName = fold(agent.name);
      onWrite(queries, agent.workspaceId);
      await queries.write(sql.insert, columnsOf(agent, foldedName, document, etag));
      await names.note(queries, agent.workspaceId, agent.id, foldedName);
      return { body: new StoredJson(document), etag, documentVersion: kind.version };
    },

    /** Replaces the locked head with a new one. The old head is kept as a version if it was published. */
    replace: async (queries: Queries, head: Head, agent: Agent): Promise<StoredDocument> => {
      const document = JSON.stringify(agent);
      if (agent === head.agent)
        return { body: new StoredJson(document), etag: head.etag, documentVersion: kind.version };
      if (agent.version !== head.agent.version) await queries.run(sql.keepVersion, [agent.workspaceId, agent.id]);
      const etag = etagOf(document);
      onWrite(queries, agent.workspaceId);
      const foldedName = fold(agent.name);
      await queries.write(sql.update, columnsOf(agent, foldedName, document, etag));
      if (agent.name !== head.agent.name) await names.note(queries, agent.workspaceId, agent.id, foldedName);
      return { body: new StoredJson(document), etag, documentVersion: kind.version };
    },

    remove: async (queries: Queries, workspaceId: string, id: string): Promise<void> => {
      onWrite(queries, workspaceId);
      await queries.write('DELETE FROM agent_versions WHERE workspace_id = $1 AND agent_id = $2', [workspaceId, id]);
      await queries.write('DELETE FROM agents WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
      await names.note(queries, workspaceId, id, null);
    },
  };
}

function statements(dialect: Dialect, kind: DocumentKind) {
  const { bytes, contains, forUpdate, joined, textsIn } = dialect;
  const document = `${bytes('doc')} AS doc, doc_version, etag`;
  /** `columns` are selected in each of the tables, so that documents are not read when only their length is needed. */
  const versionsOf = (parameter: string, columns: string) => `(
      SELECT version, is_published, ${columns} FROM agents WHERE workspace_id = $1 AND id = ${parameter}
      UNION ALL
      SELECT version, 1, ${columns} FROM agent_versions WHERE workspace_id = $1 AND agent_id = ${parameter}
    ) AS versions`;
  const allAgents = (place: string) => `FROM agents WHERE workspace_id = $1 AND id < ${place}`;
  const agentsFound = (place: string) =>
    `FROM agents WHERE workspace_id = $1 AND id < ${place} AND (${contains('folded_name', '$4')} OR id = $5)`;
  const lengthsOfVersions = `SELECT version AS place, bytes FROM ${versionsOf('$4', 'octet_length(doc) AS bytes')}
      WHERE version < $2 ORDER BY version DESC LIMIT $3 + 0`;
  return {
    get: `SELECT ${document} FROM agents WHERE workspace_id = $1 AND id = $2`,
    count: 'SELECT count(*) AS agents FROM (SELECT 1 FROM agents WHERE workspace_id = $1 LIMIT $2 + 0) AS counted',
    list: boundedPageSql(dialect, kind, 'id', allAgents, hasLongAgents),
    search: boundedPageSql(dialect, kind, 'id', agentsFound, hasLongAgents),
    getVersion: `SELECT ${document} FROM ${versionsOf('$2', 'doc, doc_version, etag')} WHERE version = $3`,
    getPublished: `SELECT ${document} FROM ${versionsOf('$2', 'doc, doc_version, etag')} WHERE is_published = 1 ORDER BY version DESC LIMIT 1`,
    listVersions: `SELECT ${bytes('items')} AS items, oldest_version, last_place,
        EXISTS (SELECT 1 FROM ${versionsOf('$4', 'etag')} WHERE version < last_place) AS has_more
      FROM (SELECT ${joined(kind.itemSql(), 'version DESC')} AS items, min(doc_version) AS oldest_version,
          min(version) AS last_place
        FROM (SELECT version, doc, doc_version FROM ${versionsOf('$4', 'doc, doc_version')}
          WHERE version < $2 AND version >= (SELECT min(place) FROM (${placesWithin(lengthsOfVersions)}) AS within)
          ORDER BY version DESC) AS page) AS pages`,
    containing: `SELECT id, ${document} FROM (
        SELECT id, doc, doc_version, etag FROM agents WHERE workspace_id = $1 AND is_published = 1
        UNION ALL
        SELECT agent_id, doc, doc_version, etag FROM agent_versions AS newest
          WHERE workspace_id = $1
            AND version = (SELECT max(version) FROM agent_versions AS other
              WHERE other.workspace_id = newest.workspace_id AND other.agent_id = newest.agent_id)
            AND EXISTS (SELECT 1 FROM agents AS head
              WHERE head.workspace_id = $1 AND head.id = newest.agent_id AND head.is_published = 0)
      ) AS published WHERE ${contains('doc', '$2')} AND id > $3 ORDER BY id LIMIT ${maxUsers}`,
    // Every version that was kept was published.
    states: `SELECT id, version, is_published, (SELECT max(version) FROM agent_versions AS kept
          WHERE kept.workspace_id = agents.workspace_id AND kept.agent_id = agents.id) AS kept_version
      FROM agents WHERE workspace_id = $1 AND id IN (${textsIn('$2')}) ORDER BY id DESC`,
    lock: `SELECT ${document} FROM agents WHERE workspace_id = $1 AND id = $2 ${forUpdate}`,
    insert: `INSERT INTO agents (workspace_id, id, folded_name, version, is_published, doc_version, etag, doc)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    keepVersion: `INSERT INTO agent_versions (workspace_id, agent_id, version, etag, doc_version, doc)
      SELECT workspace_id, id, version, etag, doc_version, doc FROM agents WHERE workspace_id = $1 AND id = $2`,
    update: `UPDATE agents SET folded_name = $3, version = $4, is_published = $5, doc_version = $6, etag = $7, doc = $8
      WHERE workspace_id = $1 AND id = $2`,
  };
}

interface StateRow extends Record<string, unknown> {
  readonly id: string;
  readonly version: number;
  readonly is_published: number;
  readonly kept_version: number | null;
}

interface DocumentRow extends Record<string, unknown> {
  doc: string | Uint8Array;
  doc_version: number;
  etag: string | null;
}

function documentOf(kind: DocumentKind, row: DocumentRow | undefined): StoredDocument | undefined {
  if (row === undefined) return undefined;
  const stored = bytesOf(row.doc);
  const document = kind.current(stored, row.doc_version);
  const etag = document === stored ? row.etag : null;
  const documentVersion = Math.max(row.doc_version, kind.version);
  return { body: new StoredJson(document), etag: etag ?? etagOf(document), documentVersion };
}

/** Names are in an index, so that an upgrade does not change them. */
export function storedAgents({ documents: { agent: kind } }: Database): StoredDocuments[] {
  const derived = (_: Agent, text: string) => ({ etag: etagOf(text) });
  return [
    { kind, table: 'agents', key: ['workspace_id', 'id'], derived },
    { kind, table: 'agent_versions', key: ['workspace_id', 'agent_id', 'version'], derived },
  ];
}

export function parseDocument({ body }: StoredDocument): Agent {
  return JSON.parse(String(body.bytes));
}

function namesKnowledgeBase(settings: Agent['agentSettings'], id: string): boolean {
  const knowledge = isObject(settings) && isObject(settings.knowledge) ? settings.knowledge : {};
  const bases = Array.isArray(knowledge.bases) ? knowledge.bases : [];
  return bases.some((base: unknown) => isObject(base) && base.id === id);
}
