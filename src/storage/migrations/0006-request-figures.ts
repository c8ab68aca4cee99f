import type { Migration } from '../migration.ts';

/** Request counts. The index is for removing old rows of all workspaces. */
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
