import type { Migration } from '../migration.ts';

/**
 * How many attempts have failed since `failingSince`. A column, because the attempts themselves are removed after
 * `EVENT_RETENTION_DAYS`, which can be before the webhook is to be disabled.
 */
export const webhookFailures: Migration = {
  version: 14,
  name: 'webhook failures',
  statements: ({ integerType }) => [
    `ALTER TABLE webhooks ADD COLUMN failures ${integerType} NOT NULL DEFAULT 0`,
    `UPDATE webhooks SET failures = (SELECT count(*) FROM deliveries
        JOIN delivery_attempts ON delivery_attempts.delivery_id = deliveries.id
      WHERE deliveries.workspace_id = webhooks.workspace_id AND deliveries.webhook_id = webhooks.id
        AND triggered_by <> 'test' AND outcome <> 'succeeded' AND started_at >= coalesce((
          SELECT max(good.started_at) FROM deliveries AS others
            JOIN delivery_attempts AS good ON good.delivery_id = others.id
          WHERE others.workspace_id = webhooks.workspace_id AND others.webhook_id = webhooks.id
            AND others.triggered_by <> 'test' AND good.outcome = 'succeeded'), 0))`,
  ],
  backup: ['webhooks'],
};
