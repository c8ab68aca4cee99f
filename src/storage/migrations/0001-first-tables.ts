import type { Migration } from '../migration.ts';

export const firstTables: Migration = {
  version: 1,
  name: 'first tables',
  statements: ({ idType, integerType }) => [
    `CREATE TABLE settings (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    )`,
    `CREATE TABLE workspaces (
      id ${idType} PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      created_at ${integerType} NOT NULL
    )`,
    // The secret itself is not stored: `hash` is its SHA-256 in hex, `hint` a few characters by which people tell keys
    // apart.
    `CREATE TABLE api_keys (
      id ${idType} PRIMARY KEY,
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      name TEXT,
      hash TEXT NOT NULL UNIQUE,
      hint TEXT NOT NULL,
      scopes TEXT NOT NULL,
      created_at ${integerType} NOT NULL,
      expires_at ${integerType},
      revoked_at ${integerType}
    )`,
    'CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id)',
    // `doc` is the response body, byte for byte. The other columns are for queries. The workspace is the first part of
    // the key, so that it can become the distribution column of a sharded PostgreSQL.
    `CREATE TABLE agents (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      id ${idType} NOT NULL,
      folded_name ${idType} NOT NULL,
      doc_version ${integerType} NOT NULL,
      doc TEXT NOT NULL,
      UNIQUE (workspace_id, id)
    )`,
  ],
  backup: ['settings', 'workspaces', 'api_keys', 'agents'],
};
