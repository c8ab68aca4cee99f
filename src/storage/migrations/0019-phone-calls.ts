import type { Migration } from '../migration.ts';

/** What filters compare of phone calls; null in all earlier calls. */
const filterColumns = ['phone_number_id', 'batch_id', 'from_number', 'to_number'];
/** And the carrier, whose open calls are counted. */
const columns = [...filterColumns, 'carrier_id'];

/** As in `calls_search` before. */
const searchedBefore = `type, direction, status, engine, end_reason, ended_by, data_storage_setting, analysis_status,
  analysis_sentiment, analysis_successful, agent_id, agent_version, external_id, duration_ms, e2e_p50, e2e_p90, e2e_p95,
  e2e_p99, total_tokens, created_at, started_at, ended_at`;

export const phoneCalls: Migration = {
  version: 19,
  name: 'phone calls',
  statements: ({ engine, idType }) => [
    ...columns.map((column) => `ALTER TABLE calls ADD COLUMN ${column} ${idType}`),
    'CREATE INDEX calls_by_phone_number ON calls (workspace_id, phone_number_id, id) WHERE phone_number_id IS NOT NULL',
    // A process renews the leases of all its spoken calls in one statement.
    'DROP INDEX calls_live',
    "CREATE INDEX calls_live ON calls (owner) WHERE type <> 'chat' AND status = 'ongoing'",
    ...(engine === 'sqlite'
      ? [
          'DROP INDEX calls_search',
          `CREATE INDEX calls_search ON calls (workspace_id, id, ${searchedBefore}, ${filterColumns.join(', ')}, search_values)`,
        ]
      : []),
  ],
  backup: ['calls'],
};
