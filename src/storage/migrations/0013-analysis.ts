import type { Migration } from '../migration.ts';

/** The analyses of calls. `doc` is the item of the list, byte for byte. */
export const analysis: Migration = {
  version: 13,
  name: 'analysis',
  statements: ({ idType, integerType }) => [
    // `request` is what was asked for, of an analysis that is not settled: the plan, as JSON.
    `CREATE TABLE call_analyses (
      workspace_id ${idType} NOT NULL,
      call_id ${idType} NOT NULL,
      id ${idType} NOT NULL,
      status ${idType} NOT NULL,
      created_at ${integerType} NOT NULL,
      request TEXT,
      doc TEXT NOT NULL,
      UNIQUE (call_id, id)
    )`,
    "CREATE INDEX call_analyses_pending ON call_analyses (created_at) WHERE status = 'pending'",
  ],
  backup: [
    {
      table: 'call_analyses',
      key: ['call_id', 'id'],
      columns: ['workspace_id', 'call_id', 'id', 'status', 'created_at', 'request', 'doc'],
    },
  ],
};
