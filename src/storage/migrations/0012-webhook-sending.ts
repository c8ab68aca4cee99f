import type { Migration } from '../migration.ts';

/**
 * What deliveries need to be sent. `includes_transcript` is fixed with the first delivery of an event to a webhook, so
 * that later ones have the same bytes, whatever the webhook includes by then.
 */
export const webhookSending: Migration = {
  version: 12,
  name: 'webhook sending',
  statements: ({ integerType }) => [
    `ALTER TABLE deliveries ADD COLUMN includes_transcript ${integerType} NOT NULL DEFAULT 0`,
    // Few, no matter how many are waiting.
    'CREATE INDEX deliveries_in_flight ON deliveries (webhook_id, lease_until) WHERE lease_until IS NOT NULL',
    'CREATE INDEX deliveries_by_replay ON deliveries (replay_id) WHERE replay_id IS NOT NULL',
  ],
  backup: ['deliveries'],
};
