import type { Migration } from '../migration.ts';

/**
 * The accounts that workspaces have with providers of speech and models. `models` is a JSON object. A row stays when its
 * credentials are deleted, without them and with `removed` 1: other processes find every change by its `revision`, which
 * counts the changes of all workspaces.
 */
export const providerCredentials: Migration = {
  version: 25,
  name: 'provider-credentials',
  statements: ({ idType, integerType, bytesType }) => [
    `CREATE TABLE provider_credentials (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      provider ${idType} NOT NULL,
      revision ${integerType} NOT NULL,
      removed ${integerType} NOT NULL,
      sealed_key ${bytesType},
      last4 TEXT,
      key_updated_at ${integerType},
      base_url TEXT,
      models TEXT NOT NULL,
      model TEXT,
      created_at ${integerType} NOT NULL,
      updated_at ${integerType} NOT NULL,
      UNIQUE (workspace_id, provider)
    )`,
    'CREATE INDEX provider_credentials_changes ON provider_credentials (revision)',
  ],
  backup: ['provider_credentials'],
  sealed: [{ table: 'provider_credentials', key: ['workspace_id', 'provider'], column: 'sealed_key' }],
};
