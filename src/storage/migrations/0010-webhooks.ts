import type { Migration } from '../migration.ts';

/**
 * Events, and where they are sent. `doc` of a webhook is the response body, `body` of an event the JSON that is sent,
 * byte for byte. The columns of leases in `deliveries` are those of `jobs`.
 */
export const webhooks: Migration = {
  version: 10,
  name: 'webhooks',
  statements: ({ idType, integerType, bytesType }) => [
    // `agent_version` and `is_agent_published` are of the version that the address of an agent's webhook is from.
    `CREATE TABLE webhooks (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      id ${idType} NOT NULL,
      kind TEXT NOT NULL,
      agent_id ${idType},
      agent_version ${integerType},
      is_agent_published ${integerType},
      agent_deleted_at ${integerType},
      status TEXT NOT NULL,
      etag TEXT NOT NULL,
      doc TEXT NOT NULL,
      sealed_secret ${bytesType} NOT NULL,
      sealed_previous_secret ${bytesType},
      UNIQUE (workspace_id, id)
    )`,
    'CREATE UNIQUE INDEX webhooks_of_agents ON webhooks (workspace_id, agent_id) WHERE agent_id IS NOT NULL',
    // One range for the webhooks of the workspace, and one row for that of an agent.
    "CREATE INDEX webhooks_by_agent ON webhooks (workspace_id, (coalesce(agent_id, '')), id)",
    'CREATE INDEX webhooks_of_deleted_agents ON webhooks (agent_deleted_at) WHERE agent_deleted_at IS NOT NULL',
    // `body` is null once the content of a call has been deleted.
    `CREATE TABLE events (
      workspace_id ${idType} NOT NULL,
      position ${integerType} NOT NULL,
      id ${idType} PRIMARY KEY,
      type TEXT NOT NULL,
      subject_type TEXT NOT NULL,
      subject_id ${idType} NOT NULL,
      sequence ${integerType} NOT NULL,
      agent_id ${idType},
      is_test ${integerType} NOT NULL,
      created_at ${integerType} NOT NULL,
      body TEXT,
      UNIQUE (workspace_id, position)
    )`,
    'CREATE INDEX events_by_subject ON events (workspace_id, subject_id, sequence)',
    'CREATE INDEX events_by_time ON events (created_at)',
    `CREATE TABLE event_transcripts (
      event_id ${idType} PRIMARY KEY,
      body TEXT NOT NULL
    )`,
    // `url` is the address of the version that a call was pinned to; null for webhooks that have their own.
    `CREATE TABLE deliveries (
      workspace_id ${idType} NOT NULL,
      id ${idType} PRIMARY KEY,
      webhook_id ${idType} NOT NULL,
      event_id ${idType} NOT NULL,
      event_type TEXT NOT NULL,
      subject_id ${idType} NOT NULL,
      sequence ${integerType} NOT NULL,
      url TEXT,
      status TEXT NOT NULL,
      reason TEXT,
      triggered_by TEXT NOT NULL,
      replay_id ${idType},
      attempt ${integerType} NOT NULL,
      next_attempt_at ${integerType},
      lease_owner TEXT,
      lease_until ${integerType},
      created_at ${integerType} NOT NULL,
      completed_at ${integerType},
      FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id)
    )`,
    `CREATE INDEX deliveries_due ON deliveries (webhook_id, (coalesce(lease_until, next_attempt_at)), id)
      WHERE status = 'pending'`,
    'CREATE INDEX deliveries_by_webhook ON deliveries (workspace_id, webhook_id, id)',
    'CREATE INDEX deliveries_by_subject ON deliveries (workspace_id, subject_id, event_id)',
    'CREATE INDEX deliveries_by_time ON deliveries (created_at)',
    `CREATE TABLE delivery_attempts (
      delivery_id ${idType} NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
      number ${integerType} NOT NULL,
      started_at ${integerType} NOT NULL,
      duration_ms ${integerType} NOT NULL,
      url TEXT NOT NULL,
      outcome TEXT NOT NULL,
      status_code ${integerType},
      response_body TEXT,
      error_message TEXT,
      UNIQUE (delivery_id, number)
    )`,
    `CREATE TABLE event_subjects (
      workspace_id ${idType} NOT NULL,
      subject_id ${idType} NOT NULL,
      last_sequence ${integerType} NOT NULL,
      UNIQUE (workspace_id, subject_id)
    )`,
    `CREATE TABLE event_positions (
      workspace_id ${idType} PRIMARY KEY,
      last_position ${integerType} NOT NULL
    )`,
  ],
  backup: [
    'webhooks',
    'events',
    'event_transcripts',
    'deliveries',
    'delivery_attempts',
    'event_subjects',
    'event_positions',
  ],
  sealed: [
    { table: 'webhooks', key: ['workspace_id', 'id'], column: 'sealed_secret' },
    { table: 'webhooks', key: ['workspace_id', 'id'], column: 'sealed_previous_secret' },
  ],
};
