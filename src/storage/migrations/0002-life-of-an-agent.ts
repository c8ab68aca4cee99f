import type { Migration } from '../migration.ts';

export const lifeOfAnAgent: Migration = {
  version: 2,
  name: 'life of an agent',
  statements: ({ idType, integerType }) => [
    // `agents` holds the newest version of each agent. Existing rows become version 1, a draft without a stored ETag.
    `ALTER TABLE agents ADD COLUMN version ${integerType} NOT NULL DEFAULT 1`,
    `ALTER TABLE agents ADD COLUMN is_published ${integerType} NOT NULL DEFAULT 0`,
    'ALTER TABLE agents ADD COLUMN etag TEXT',
    // The versions before the newest. All were published, because only a change to a published version opens the next
    // one.
    `CREATE TABLE agent_versions (
      workspace_id ${idType} NOT NULL,
      agent_id ${idType} NOT NULL,
      version ${integerType} NOT NULL,
      etag TEXT,
      doc_version ${integerType} NOT NULL,
      doc TEXT NOT NULL,
      UNIQUE (workspace_id, agent_id, version)
    )`,
    // The caller's key is stored as a digest, because saved responses may be sealed with the key itself.
    `CREATE TABLE idempotency_keys (
      workspace_id ${idType} NOT NULL,
      key_hash ${idType} NOT NULL,
      fingerprint TEXT NOT NULL,
      expires_at ${integerType} NOT NULL,
      status ${integerType},
      headers TEXT,
      body TEXT,
      UNIQUE (workspace_id, key_hash)
    )`,
    'CREATE INDEX idempotency_keys_by_end ON idempotency_keys (expires_at)',
    `CREATE TABLE audit_log (
      workspace_id ${idType} NOT NULL,
      id ${idType} NOT NULL,
      resource_id ${idType} NOT NULL,
      doc TEXT NOT NULL,
      UNIQUE (workspace_id, id)
    )`,
    'CREATE INDEX audit_log_by_resource ON audit_log (workspace_id, resource_id, id)',
    // The schema that the rate limiter library expects. Used if several instances share the count.
    `CREATE TABLE rate_limits (
      key VARCHAR(255) PRIMARY KEY,
      points INTEGER NOT NULL DEFAULT 0,
      expire ${integerType}
    )`,
    `ALTER TABLE api_keys ADD COLUMN last_used_at ${integerType}`,
    `ALTER TABLE api_keys ADD COLUMN rotated_at ${integerType}`,
  ],
  backup: ['api_keys', 'agents', 'agent_versions', 'idempotency_keys', 'audit_log'],
  withoutBackup: ['rate_limits'],
};
