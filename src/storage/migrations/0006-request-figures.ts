import type { Migration } from '../migration.ts';

/** What was counted of requests. The index is for taking old rows out, of all workspaces at once. */
export const requestFigures: Migration = {
  version: 6,
  name: 'request figures',
  statements: ({ engine, idType, integerType }) => [
    `CREATE TABLE request_figures (
      workspace_id ${idType} NOT NULL,
      step_seconds ${integerType} NOT NULL,
      at ${integerType} NOT NULL,
      instance TEXT NOT NULL,
      doc TEXT NOT NULL,
      PRIMARY KEY (workspace_id, step_seconds, at, instance)
    )${engine === 'sqlite' ? ' WITHOUT ROWID' : ''}`,
    'CREATE INDEX request_figures_by_age ON request_figures (step_seconds, at)',
  ],
  withoutBackup: ['request_figures'],
};
