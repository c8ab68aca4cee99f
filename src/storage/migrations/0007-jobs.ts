import type { Migration } from '../migration.ts';

/**
 * Work that outlives the request that asked for it. Claims look at `coalesce(lease_until, run_at)`, the time from which
 * a job may be claimed: its own, or the end of the lease of the worker that runs it.
 */
export const jobs: Migration = {
  version: 7,
  name: 'jobs',
  statements: ({ idType, integerType }) => [
    `CREATE TABLE jobs (
      id ${idType} PRIMARY KEY,
      kind TEXT NOT NULL,
      workspace_id ${idType},
      payload TEXT NOT NULL,
      dedupe_key TEXT,
      state TEXT NOT NULL,
      run_at ${integerType} NOT NULL,
      lease_owner TEXT,
      lease_until ${integerType},
      attempt ${integerType} NOT NULL,
      max_attempts ${integerType} NOT NULL,
      last_error TEXT,
      created_at ${integerType} NOT NULL,
      finished_at ${integerType}
    )`,
    'CREATE INDEX jobs_due ON jobs (kind, (coalesce(lease_until, run_at)), id) WHERE finished_at IS NULL',
    'CREATE INDEX jobs_finished ON jobs (state, finished_at) WHERE finished_at IS NOT NULL',
    `CREATE UNIQUE INDEX jobs_dedupe ON jobs (kind, dedupe_key)
      WHERE finished_at IS NULL AND dedupe_key IS NOT NULL`,
  ],
  backup: ['jobs'],
};
