import type { Migration } from '../migration.ts';

/** Secrets that tools send in headers. `hosts` is a JSON array; the value is sealed with the data key. */
export const secrets: Migration = {
  version: 8,
  name: 'secrets',
  statements: ({ idType, integerType, bytesType }) => [
    `CREATE TABLE secrets (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      name ${idType} NOT NULL,
      hosts TEXT NOT NULL,
      sealed_value ${bytesType} NOT NULL,
      created_at ${integerType} NOT NULL,
      updated_at ${integerType} NOT NULL,
      UNIQUE (workspace_id, name)
    )`,
  ],
  backup: ['secrets'],
  sealed: [{ table: 'secrets', key: ['workspace_id', 'name'], column: 'sealed_value' }],
};
