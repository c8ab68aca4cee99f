import type { Migration } from '../migration.ts';

/**
 * Work that is due is claimed workspace by workspace, so that many rows of one workspace cost those of others nothing.
 * The workspaces, and the webhooks of one, are found with one probe of the index for each.
 */
export const fairClaims: Migration = {
  version: 15,
  name: 'fair claims',
  statements: () => [
    'DROP INDEX jobs_due',
    `CREATE INDEX jobs_due ON jobs (kind, (coalesce(workspace_id, '')), (coalesce(lease_until, run_at)), id)
      WHERE finished_at IS NULL`,
    'DROP INDEX deliveries_due',
    `CREATE INDEX deliveries_due ON deliveries (workspace_id, webhook_id, (coalesce(lease_until, next_attempt_at)), id)
      WHERE status = 'pending'`,
  ],
};
