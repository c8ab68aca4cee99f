import type { Migration } from '../migration.ts';

/** As in `calls_search` before. */
const searchedBefore = `type, direction, status, engine, end_reason, ended_by, data_storage_setting, analysis_status,
  analysis_sentiment, analysis_successful, agent_id, agent_version, external_id, duration_ms, e2e_p50, e2e_p90, e2e_p95,
  e2e_p99, total_tokens, created_at, started_at, ended_at, phone_number_id, batch_id, from_number, to_number`;

/** How many searches in knowledge bases found nothing: filters compare it. */
export const knowledgeOfCalls: Migration = {
  version: 21,
  name: 'knowledge of calls',
  statements: ({ engine, integerType }) => [
    `ALTER TABLE calls ADD COLUMN empty_searches ${integerType}`,
    ...(engine === 'sqlite'
      ? [
          'DROP INDEX calls_search',
          `CREATE INDEX calls_search ON calls (workspace_id, id, ${searchedBefore}, empty_searches, search_values)`,
        ]
      : []),
  ],
  backup: ['calls'],
};
