import type { Migration } from '../migration.ts';

/** Columns of `calls` that filters compare. */
const filterColumns = [
  'type',
  'direction',
  'status',
  'engine',
  'end_reason',
  'ended_by',
  'data_storage_setting',
  'analysis_status',
  'analysis_sentiment',
  'analysis_successful',
  'agent_id',
  'agent_version',
  'external_id',
  'duration_ms',
  'e2e_p50',
  'e2e_p90',
  'e2e_p95',
  'e2e_p99',
  'total_tokens',
  'created_at',
  'started_at',
  'ended_at',
];

export const calls: Migration = {
  version: 9,
  name: 'calls',
  statements: ({ engine, idType, integerType, bytesType }) => [
    // `doc` is the response body, byte for byte. `search_values` is a JSON object with the values that searches look at
    // inside of JSON, so that they need not parse whole calls. `due_at` is when the service has to act next: nobody has
    // joined, the caller is silent, the time is over. `state` is what a conversation needs to continue, sealed if the storage
    // setting of the call says so. `owner` and `lease_until` belong to the process that is replying.
    `CREATE TABLE calls (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      id ${idType} NOT NULL,
      type ${idType} NOT NULL,
      direction ${idType} NOT NULL,
      status ${idType} NOT NULL,
      engine ${idType} NOT NULL,
      end_reason ${idType},
      ended_by ${idType},
      data_storage_setting ${idType} NOT NULL,
      analysis_status ${idType} NOT NULL,
      analysis_sentiment ${idType},
      analysis_successful ${integerType},
      agent_id ${idType} NOT NULL,
      agent_version ${integerType} NOT NULL,
      external_id ${idType},
      duration_ms ${integerType},
      e2e_p50 ${integerType},
      e2e_p90 ${integerType},
      e2e_p95 ${integerType},
      e2e_p99 ${integerType},
      total_tokens ${integerType} NOT NULL,
      created_at ${integerType} NOT NULL,
      started_at ${integerType},
      ended_at ${integerType},
      language TEXT NOT NULL,
      agent_digest ${idType} NOT NULL,
      due_at ${integerType},
      owner TEXT,
      owner_epoch ${integerType} NOT NULL,
      lease_until ${integerType},
      next_turn ${integerType} NOT NULL,
      transcript_bytes ${integerType} NOT NULL,
      next_event ${integerType} NOT NULL,
      next_sequence ${integerType} NOT NULL,
      token_number ${integerType} NOT NULL,
      joined_token ${idType},
      search_values TEXT,
      state TEXT,
      sealed_state ${bytesType},
      etag TEXT NOT NULL,
      doc TEXT NOT NULL,
      UNIQUE (workspace_id, id)
    )`,
    "CREATE INDEX calls_due ON calls (due_at) WHERE due_at IS NOT NULL AND status <> 'queued'",
    "CREATE INDEX calls_queued ON calls (workspace_id, type, due_at, id) WHERE status = 'queued'",
    "CREATE INDEX calls_open ON calls (workspace_id, type, status) WHERE status IN ('queued', 'registered', 'ringing', 'ongoing')",
    'CREATE INDEX calls_by_agent ON calls (workspace_id, agent_id, id)',
    "CREATE INDEX calls_open_by_agent ON calls (workspace_id, agent_digest) WHERE status IN ('queued', 'registered', 'ringing', 'ongoing')",
    'CREATE INDEX calls_by_external_id ON calls (workspace_id, external_id, id) WHERE external_id IS NOT NULL',
    // A search compares thousands of calls for a page. In SQLite a row lies next to its document, so that a scan of the
    // table would read documents; PostgreSQL stores long values elsewhere, and its indexes cannot hold them.
    ...(engine === 'sqlite'
      ? [`CREATE INDEX calls_search ON calls (workspace_id, id, ${filterColumns.join(', ')}, search_values)`]
      : []),
    // A turn has its event in the same row, because every message writes both: `event_doc` is the event without the turn.
    `CREATE TABLE call_turns (
      call_id ${idType} NOT NULL,
      turn_index ${integerType} NOT NULL,
      role ${idType} NOT NULL,
      latency TEXT,
      event_sequence ${integerType},
      event_doc TEXT,
      doc TEXT,
      UNIQUE (call_id, turn_index)
    )`,
    `CREATE TABLE call_events (
      call_id ${idType} NOT NULL,
      sequence ${integerType} NOT NULL,
      type ${idType} NOT NULL,
      doc TEXT NOT NULL,
      UNIQUE (call_id, sequence)
    )`,
    // Drafts change in place and agents are deleted, so a call keeps the content it was created with.
    `CREATE TABLE call_agents (
      workspace_id ${idType} NOT NULL,
      digest ${idType} NOT NULL,
      doc TEXT NOT NULL,
      UNIQUE (workspace_id, digest)
    )`,
    `CREATE TABLE call_pools (
      workspace_id ${idType} NOT NULL,
      pool ${idType} NOT NULL,
      UNIQUE (workspace_id, pool)
    )`,
    // An action holds a lease on its key while it runs. What was said in a call must disappear with it, so those
    // responses name the call, and are sealed if its content may not be stored in the clear.
    `ALTER TABLE idempotency_keys ADD COLUMN lease_until ${integerType}`,
    `ALTER TABLE idempotency_keys ADD COLUMN call_id ${idType}`,
    `ALTER TABLE idempotency_keys ADD COLUMN sealed_body ${bytesType}`,
    'CREATE INDEX idempotency_keys_by_call ON idempotency_keys (call_id) WHERE call_id IS NOT NULL',
  ],
  backup: ['calls', 'call_turns', 'call_events', 'call_agents', 'idempotency_keys'],
  withoutBackup: ['call_pools'],
  sealed: [
    { table: 'calls', key: ['workspace_id', 'id'], column: 'sealed_state' },
    { table: 'idempotency_keys', key: ['workspace_id', 'key_hash'], column: 'sealed_body' },
  ],
};
