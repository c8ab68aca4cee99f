import type { Migration } from '../migration.ts';

/**
 * What happens after calls. `doc` of a workflow and of a version is the response body. A run is over when `completed_at`
 * is set; `step` is the next step of one that is open, and the last one of a run that has failed. The columns of leases
 * are those of `jobs`; `due_at` is the time from which a run may be claimed.
 */
export const workflows: Migration = {
  version: 24,
  name: 'workflows',
  statements: ({ idType, integerType }) => [
    // `event` and `agent_ids` are of the trigger, which is in `start_when` as JSON, so that matching reads no steps. `enabled_at`:
    // when it was last enabled, by a clock of the workspace that only goes forward. `failures`: how many runs in a row have
    // failed.
    `CREATE TABLE workflows (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      id ${idType} NOT NULL,
      version ${integerType} NOT NULL,
      enabled ${integerType} NOT NULL,
      enabled_at ${integerType},
      event TEXT NOT NULL,
      agent_ids TEXT NOT NULL,
      start_when TEXT NOT NULL,
      failures ${integerType} NOT NULL,
      etag TEXT NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      UNIQUE (workspace_id, id)
    )`,
    'CREATE INDEX workflows_enabled ON workflows (workspace_id, event, enabled_at) WHERE enabled = 1',
    // They stay when the workflow is deleted: its runs can still be read.
    `CREATE TABLE workflow_versions (
      workspace_id ${idType} NOT NULL,
      workflow_id ${idType} NOT NULL,
      version ${integerType} NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      UNIQUE (workflow_id, version)
    )`,
    `CREATE TABLE workflow_runs (
      workspace_id ${idType} NOT NULL,
      id ${idType} PRIMARY KEY,
      workflow_id ${idType} NOT NULL,
      workflow_version ${integerType} NOT NULL,
      call_id ${idType} NOT NULL,
      event_id ${idType},
      status TEXT NOT NULL,
      reason TEXT,
      triggered_by TEXT NOT NULL,
      depth ${integerType} NOT NULL,
      step TEXT,
      due_at ${integerType},
      attempt ${integerType} NOT NULL,
      lease_owner TEXT,
      lease_until ${integerType},
      content_removed ${integerType} NOT NULL,
      created_at ${integerType} NOT NULL,
      started_at ${integerType},
      completed_at ${integerType}
    )`,
    'CREATE UNIQUE INDEX workflow_runs_by_event ON workflow_runs (workflow_id, event_id) WHERE event_id IS NOT NULL',
    'CREATE INDEX workflow_runs_by_call ON workflow_runs (call_id, workflow_id)',
    `CREATE INDEX workflow_runs_due ON workflow_runs (workspace_id, workflow_id, (coalesce(lease_until, due_at)), id)
      WHERE completed_at IS NULL`,
    // Few, no matter how many are waiting.
    'CREATE INDEX workflow_runs_in_flight ON workflow_runs (workflow_id, lease_until) WHERE lease_until IS NOT NULL',
    'CREATE INDEX workflow_runs_by_workspace ON workflow_runs (workspace_id, id)',
    'CREATE INDEX workflow_runs_by_workflow ON workflow_runs (workflow_id, id)',
    "CREATE INDEX workflow_runs_failed ON workflow_runs (workflow_id, completed_at) WHERE status = 'failed'",
    'CREATE INDEX workflow_runs_by_end ON workflow_runs (completed_at) WHERE completed_at IS NOT NULL',
    // One row for each step that has started. `failures`: how many attempts have failed since it started, or was resumed.
    `CREATE TABLE workflow_steps (
      run_id ${idType} NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
      step_id TEXT NOT NULL,
      status TEXT NOT NULL,
      request TEXT,
      attempt_count ${integerType} NOT NULL,
      failures ${integerType} NOT NULL,
      next_attempt_at ${integerType},
      output TEXT,
      error TEXT,
      started_at ${integerType} NOT NULL,
      completed_at ${integerType},
      UNIQUE (run_id, step_id)
    )`,
    // Without the address, which is that of the request.
    `CREATE TABLE workflow_attempts (
      run_id ${idType} NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
      step_id TEXT NOT NULL,
      number ${integerType} NOT NULL,
      started_at ${integerType} NOT NULL,
      duration_ms ${integerType} NOT NULL,
      outcome TEXT NOT NULL,
      status_code ${integerType},
      response_body TEXT,
      error_message TEXT,
      UNIQUE (run_id, step_id, number)
    )`,
    // The calls that runs have created, with a digest of the number that was called: for the limit of calls to it.
    // `depth`: of the run.
    `CREATE TABLE workflow_calls (
      workspace_id ${idType} NOT NULL,
      destination TEXT NOT NULL,
      created_at ${integerType} NOT NULL,
      call_id ${idType} NOT NULL,
      depth ${integerType} NOT NULL,
      UNIQUE (call_id)
    )`,
    'CREATE INDEX workflow_calls_by_destination ON workflow_calls (workspace_id, destination, created_at)',
    'CREATE INDEX workflow_calls_by_time ON workflow_calls (created_at)',
  ],
  backup: ['workflows', 'workflow_versions', 'workflow_runs', 'workflow_steps', 'workflow_attempts', 'workflow_calls'],
};
