import { webhooksContract } from '../../contract/webhooks.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { type AgentWebhooks, createAgentWebhooks } from './agent-webhooks.ts';
import { createEvents, type EventListener, type Events } from './events.ts';
import { createRetention } from './retention.ts';
import { webhookRoutes } from './routes.ts';
import { createWebhookStore } from './store.ts';

export interface WebhookOptions {
  /** How long events, deliveries and attempts are kept. */
  readonly eventRetentionDays: number;
  /** Other areas that act on events, in their transaction. */
  readonly listeners: readonly EventListener[];
  /** Replaces the clock of PostgreSQL in tests. */
  readonly clock: (() => number) | undefined;
}

export interface Webhooks {
  readonly area: Area;
  readonly events: Events;
  readonly agentWebhooks: AgentWebhooks;
}

/** Events, and the webhooks that they are sent to. */
export function createWebhooks(
  { database, newId, now, sealer }: Kernel,
  { eventRetentionDays, listeners, clock }: WebhookOptions,
): Webhooks {
  const store = createWebhookStore(database, sealer);
  const events = createEvents({ database, newId, now, clock, subscribers: store.subscribers, listeners });
  const removeOld = createRetention(database, now, eventRetentionDays);
  const area = defineArea(webhooksContract, {
    handlers: webhookRoutes(store),
    tasks: [{ name: 'remove old events', everyMs: 300_000, run: removeOld }],
  });
  return { area, events, agentWebhooks: createAgentWebhooks({ store, events, newId, now }) };
}
