import type { Database, Dialect } from '../../storage/database.ts';
import type { DocumentKind } from '../../storage/documents/document-kind.ts';
import { type BoundedPageSql, itemsUnlessLong, limitByLengths, type ReadPage } from '../../storage/page.ts';
import type { NameIndex } from './name-index.ts';

/** How many agents are scanned before the index is used: common search terms are found among them. */
const maxScannedAgents = 5000;

/** The name index for PostgreSQL, which maintains a GIN index itself. */
export function createGinIndex(database: Database, readPage: ReadPage): NameIndex {
  const sql = pageSql(database.dialect, database.documents.agent);
  return {
    note: () => {},
    page: (workspaceId, beforeId, limit, part, id) => readPage(sql, [workspaceId, beforeId, limit, part, id]),
    build: async () => false,
  };
}

function pageSql(dialect: Dialect, kind: DocumentKind): BoundedPageSql {
  const { bytes, contains, joined } = dialect;
  const isFound = `(${contains('folded_name', '$4')} OR id = $5)`;
  // The index has no order: for a common term it would collect a large part of the workspace for one page. So it is
  // used only for what the scan did not find, and materialized so that the planner cannot replace it with a scan.
  const found = `WITH nearby AS MATERIALIZED (
      SELECT id, folded_name FROM agents WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT ${maxScannedAgents}),
    near AS MATERIALIZED (SELECT id FROM nearby WHERE ${isFound} ORDER BY id DESC LIMIT $3 + 1),
    far AS MATERIALIZED (
      SELECT id FROM agents
      WHERE (SELECT count(*) FROM near) <= $3 AND (SELECT count(*) FROM nearby) = ${maxScannedAgents}
        AND workspace_id = $1 AND id < (SELECT min(id) FROM nearby)
        AND agent_name_grams(workspace_id, folded_name) @> agent_name_grams($1, $4) AND ${contains('folded_name', '$4')}),
    found AS MATERIALIZED (
      SELECT id FROM (
        SELECT id FROM near UNION SELECT id FROM far
        UNION SELECT id FROM agents WHERE workspace_id = $1 AND id < $2 AND id = $5) AS every
      ORDER BY id DESC LIMIT $3 + 1)`;
  const documents = (
    limit: string,
  ) => `(SELECT agents.id, agents.doc, agents.doc_version FROM (SELECT id FROM found ORDER BY id DESC LIMIT ${limit}) AS page
        JOIN agents ON agents.workspace_id = $1 AND agents.id = page.id) AS documents`;
  const page = (items: string, limit: string) => `${found}
    SELECT ${bytes('items')} AS items, oldest_version, last_place, (SELECT count(*) FROM found) > shown AS has_more
    FROM (SELECT ${items} AS items, min(doc_version) AS oldest_version, min(id) AS last_place, count(*) AS shown FROM ${documents(limit)}) AS pages`;
  const lengths = `SELECT id AS place, octet_length(doc) AS bytes FROM ${documents('$3 + 0')}`;
  return {
    ordinary: page(itemsUnlessLong(dialect, kind, 'id DESC'), '$3'),
    cut: page(joined(kind.itemSql(), 'id DESC'), limitByLengths(lengths)),
  };
}
