import type { Migration } from '../../../src/storage/migration.ts';

export const notesMigration: Migration = {
  version: 1000,
  name: 'notes',
  statements: ({ idType, integerType, floatType, bytesType }) => [
    `CREATE TABLE notes (
      workspace_id ${idType} NOT NULL,
      id ${idType} NOT NULL,
      colour TEXT NOT NULL,
      weight ${floatType} NOT NULL,
      fingerprint ${bytesType} NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      UNIQUE (workspace_id, id)
    )`,
  ],
  backup: ['notes'],
};
