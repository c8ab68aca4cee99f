import type { Migration } from '../migration.ts';

/** The analyses of calls. `doc` is the item of the list, byte for byte. */
export const analysis: Migration = {
  version: 13,
  name: 'analysis',
  statements: ({ idType, integerType }) => [
    // `request` is what was asked for, of an analysis that is not settled, as JSON. It is settled by `due_at`.
    `CREATE TABLE call_analyses (
      workspace_id ${idType} NOT NULL,
      call_id ${idType} NOT NULL,
      id ${idType} NOT NULL,
      status ${idType} NOT NULL,
      due_at ${integerType},
      request TEXT,
      doc TEXT NOT NULL,
      UNIQUE (call_id, id)
    )`,
    'CREATE INDEX call_analyses_due ON call_analyses (due_at) WHERE due_at IS NOT NULL',
  ],
  backup: ['call_analyses'],
};
