import type { Database, Dialect } from '../../storage/database.ts';
import { type BoundedPageSql, itemsUnlessLong, limitByLengths, type ReadPage } from '../../storage/page.ts';
import type { NameIndex } from './name-index.ts';

/** How many agents are looked at one by one before the index is asked: what is common is found among them. */
const agentsNearby = 5000;

/** For PostgreSQL, which keeps an index of the pieces of names by itself, whoever writes. */
export function createGinIndex(database: Database, readPage: ReadPage): NameIndex {
  const sql = pageSql(database.dialect);
  return {
    note: () => {},
    page: (workspaceId, beforeId, limit, part, id) => readPage(sql, [workspaceId, beforeId, limit, part, id]),
    build: async () => false,
  };
}

function pageSql(dialect: Dialect): BoundedPageSql {
  const { bytes, contains, joined } = dialect;
  const isFound = `(${contains('folded_name', '$4')} OR id = $5)`;
  // The index has no order: a common part would have it collect a good part of the workspace for one page. So it is asked
  // only for what is not found nearby, and materialized, so that the planner cannot turn it into a walk again.
  const found = `WITH nearby AS MATERIALIZED (
      SELECT id, folded_name FROM agents WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT ${agentsNearby}),
    near AS MATERIALIZED (SELECT id FROM nearby WHERE ${isFound} ORDER BY id DESC LIMIT $3 + 1),
    far AS MATERIALIZED (
      SELECT id FROM agents
      WHERE (SELECT count(*) FROM near) <= $3 AND (SELECT count(*) FROM nearby) = ${agentsNearby}
        AND workspace_id = $1 AND id < (SELECT min(id) FROM nearby)
        AND agent_name_grams(workspace_id, folded_name) @> agent_name_grams($1, $4) AND ${contains('folded_name', '$4')}),
    found AS MATERIALIZED (
      SELECT id FROM (
        SELECT id FROM near UNION SELECT id FROM far
        UNION SELECT id FROM agents WHERE workspace_id = $1 AND id < $2 AND id = $5) AS every
      ORDER BY id DESC LIMIT $3 + 1)`;
  const documents = (
    limit: string,
  ) => `(SELECT agents.id, agents.doc FROM (SELECT id FROM found ORDER BY id DESC LIMIT ${limit}) AS page
        JOIN agents ON agents.workspace_id = $1 AND agents.id = page.id) AS documents`;
  const page = (items: string, limit: string) => `${found}
    SELECT ${bytes('items')} AS items, last_place, (SELECT count(*) FROM found) > shown AS has_more
    FROM (SELECT ${items} AS items, min(id) AS last_place, count(*) AS shown FROM ${documents(limit)}) AS pages`;
  const lengths = `SELECT id AS place, octet_length(doc) AS bytes FROM ${documents('$3 + 0')}`;
  return {
    ordinary: page(itemsUnlessLong(dialect, 'id DESC'), '$3'),
    cut: page(joined('doc', 'id DESC'), limitByLengths(lengths)),
  };
}
