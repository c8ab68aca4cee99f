import type { Agent } from '../contract/agent.ts';
import { bytesOf, type Database } from '../storage/database.ts';
import { documentVersion } from './agent.ts';
import { fold } from './folding.ts';

export interface AgentPage {
  /** The documents, as they are stored, with commas between them. */
  readonly items: Buffer;
  readonly lastId: string | null;
  readonly hasMore: boolean;
}

export type AgentStore = ReturnType<typeof createAgentStore>;

/** SQL of the agents. The stored document is the response: reads hand its bytes on, unparsed. */
export function createAgentStore(database: Database) {
  const { bytes, contains } = database.dialect;

  const getSql = `SELECT ${bytes('doc')} AS doc FROM agents WHERE workspace_id = $1 AND id = $2`;
  const matches = `(${contains('folded_name', '$4')} OR id = $5)`;
  const listSql = pageSql('');
  const searchSql = pageSql(`AND ${matches}`);

  /** The page and the answer to "does anything follow?" in one statement, so that both see the same moment. */
  function pageSql(condition: string): string {
    const rows = `FROM agents WHERE workspace_id = $1 AND id <`;
    return `SELECT ${bytes('items')} AS items, last_id,
        EXISTS (SELECT 1 ${rows} last_id ${condition}) AS has_more
      FROM (SELECT string_agg(doc, ',' ORDER BY id DESC) AS items, min(id) AS last_id
        FROM (SELECT id, doc ${rows} $2 ${condition} ORDER BY id DESC LIMIT $3) AS page) AS pages`;
  }

  return {
    insert: async (agent: Agent): Promise<Buffer> => {
      const document = JSON.stringify(agent);
      await database.run(
        'INSERT INTO agents (workspace_id, id, folded_name, doc_version, doc) VALUES ($1, $2, $3, $4, $5)',
        [agent.workspaceId, agent.id, fold(agent.name), documentVersion, document],
      );
      return Buffer.from(document);
    },

    get: async (workspaceId: string, id: string): Promise<Buffer | undefined> => {
      const row = await database.get<{ doc: unknown }>(getSql, [workspaceId, id]);
      return row === undefined ? undefined : bytesOf(row.doc);
    },

    /** The agents before `beforeId` in the order of ids, newest first; null begins at the newest. */
    page: async (
      workspaceId: string,
      { beforeId, limit, search }: { beforeId: string | null; limit: number; search: string | null },
    ): Promise<AgentPage> => {
      // Every id begins with a letter before "~", so this one stands after all of them.
      const start = [workspaceId, beforeId ?? '~', limit];
      const row = await (search === null
        ? database.get<PageRow>(listSql, start)
        : database.get<PageRow>(searchSql, [...start, fold(search), search]));
      if (row === undefined || row.items === null) return { items: Buffer.alloc(0), lastId: null, hasMore: false };
      return { items: bytesOf(row.items), lastId: row.last_id, hasMore: Boolean(row.has_more) };
    },
  };
}

interface PageRow extends Record<string, unknown> {
  items: unknown;
  last_id: string | null;
  has_more: unknown;
}
