import type { Migration } from '../migration.ts';

/**
 * On SQLite a list asks before each page whether a document of the workspace is so long that the page may have to be cut.
 * The index has nothing but those, so it is empty nearly everywhere. PostgreSQL notices while it puts a page together.
 */
export const largeAgents: Migration = {
  version: 5,
  name: 'large agents',
  statements: ({ engine }) =>
    engine === 'sqlite'
      ? ['CREATE INDEX agents_large ON agents (workspace_id, id) WHERE octet_length(doc) > 32768']
      : [],
};
