import type { Migration } from '../migration.ts';

/**
 * On SQLite a list first checks whether the workspace has a document so long that the page may exceed its limit. The
 * partial index contains only those, so it is usually empty. PostgreSQL detects this while it builds a page.
 */
export const largeAgents: Migration = {
  version: 5,
  name: 'large agents',
  statements: ({ engine }) =>
    engine === 'sqlite'
      ? ['CREATE INDEX agents_large ON agents (workspace_id, id) WHERE octet_length(doc) > 32768']
      : [],
};
