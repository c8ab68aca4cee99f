import type { Agent } from '../../contract/agents/agent.ts';
import { webhooksContract } from '../../contract/webhooks/index.ts';
import { packageVersion } from '../../core/package-version.ts';
import { WaitingReaders } from '../../http/waiting-readers.ts';
import type { Guard } from '../../net/guard.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import type { Queries } from '../../storage/database.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { createAgentWebhookStore } from './agent-webhook-store.ts';
import { type AgentWebhooks, createAgentWebhooks } from './agent-webhooks.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { eventRoutes } from './event-routes.ts';
import { createEventStore } from './event-store.ts';
import { createEvents, type EventListener, type Events, type TranscriptOf } from './events.ts';
import { createOutcomes } from './outcomes.ts';
import { createReplays } from './replay.ts';
import { createRetention } from './retention.ts';
import { type WebhookRouteParts, webhookRoutes } from './routes.ts';
import { retryDelaysMs } from './schedule.ts';
import { createSender, type SenderSettings } from './sender.ts';
import { createWebhookStore, storedWebhooks } from './store.ts';

export interface WebhookOptions extends Pick<WebhookRouteParts, 'existingAgents' | 'hasOpenCalls'> {
  /** How long events, deliveries and attempts are kept. */
  readonly eventRetentionDays: number;
  /** Other areas that act on events, in their transaction. */
  readonly listeners: readonly EventListener[];
  /** Replaces the clock of PostgreSQL in tests. */
  readonly clock: (() => number) | undefined;
  /** What a call said, or null if it is not stored. The call is locked until the end of the transaction. */
  readonly transcriptOf: TranscriptOf;
  /** The newest published version of an agent, if there is one. */
  readonly publishedVersion: (queries: Queries, workspaceId: string, agentId: string) => Promise<Agent | undefined>;
  readonly guard: Guard;
  readonly allowedNetworks: AllowedNetworks;
  /** False once the service is shutting down. */
  readonly mayClaim: () => boolean;
  /** Null: nothing is sent by this process. */
  readonly sending: Partial<SenderSettings> | null;
  /** From 0 to 1, for the jitter of the schedule. */
  readonly random?: (() => number) | undefined;
}

export interface Webhooks {
  readonly area: Area;
  readonly events: Events;
  readonly agentWebhooks: AgentWebhooks;
}

const defaultSending: SenderSettings = {
  leaseMs: 30_000,
  pollMs: 1000,
  drainMs: 1500,
  timeoutMs: 15_000,
  retryDelaysMs,
  failingPerSecond: 20,
  // Each can hold a body of 256 KiB.
  inFlight: { total: 1000, perWorkspace: 500, perSource: 10 },
};
const dayMs = 24 * 3_600_000;

/** Events, and the webhooks that they are sent to. */
export function createWebhooks(kernel: Kernel, options: WebhookOptions): Webhooks {
  const { database, newId, now, sealer, logger, jobs } = kernel;
  const { eventRetentionDays, listeners, clock, guard, random = Math.random } = options;
  const store = createWebhookStore(database, sealer);
  const deliveries = createDeliveryStore(database, now, clock);
  const eventStore = createEventStore(database);
  const readers = new WaitingReaders(eventStore.newestPositions);
  const onWritten = (workspaceId: string): void => {
    readers.notify(workspaceId, null);
    sender.wake();
  };
  const { subscribers } = store;
  const { transcriptOf, publishedVersion } = options;
  const events = createEvents({ database, newId, now, clock, subscribers, transcriptOf, listeners, onWritten });
  const sending = { ...defaultSending, ...options.sending };
  const { timeoutMs } = sending;
  const attempt = { guard, now, userAgent: `voice-agents/${packageVersion()}`, timeoutMs };
  const outcomeParts = { database, store, deliveries, events, now, logger, random };
  const sender = createSender({
    database,
    store,
    deliveries,
    record: createOutcomes({ ...outcomeParts, retryDelaysMs: sending.retryDelaysMs }),
    attempt,
    logger,
    mayClaim: options.mayClaim,
    settings: sending,
  });
  const onAdded = (): void => sender.wake();
  const replays = createReplays({ database, store, deliveries, events, newId, now, onAdded });
  const { allowedNetworks, existingAgents, hasOpenCalls } = options;
  const removeOld = createRetention(database, now, eventRetentionDays, hasOpenCalls, events.forgetSubject);
  let backlog = 0;

  const retentionMs = eventRetentionDays * dayMs;
  const shared = { reads: database, store, deliveries, newId, now };
  const area = defineArea(webhooksContract, {
    handlers: {
      ...webhookRoutes({ ...shared, events, attempt, allowedNetworks, existingAgents, hasOpenCalls }),
      ...deliveryRoutes({ ...shared, replays, jobs, retentionMs, onAdded }),
      ...eventRoutes(database, eventStore, readers),
    },
    documents: storedWebhooks(database),
    tasks: [
      { name: 'remove old events', everyMs: 300_000, run: removeOld },
      {
        name: 'wake readers of events',
        everyMs: 1000,
        run: async () => {
          await readers.poll();
          return false;
        },
      },
      {
        name: 'count deliveries that are due',
        everyMs: 15_000,
        run: async () => {
          backlog = await deliveries.backlog();
          return false;
        },
      },
    ],
    jobs: [replays.kind],
    ...(options.sending === null ? {} : { background: sender }),
    metrics: [
      {
        name: 'webhook_attempts_total',
        type: 'counter',
        help: 'Attempts to deliver events to webhooks, by outcome.',
        values: () => sender.counts().map(({ outcome, value }) => ({ labels: { outcome }, value })),
      },
      {
        name: 'webhook_backlog',
        type: 'gauge',
        help: 'Deliveries of all workspaces that were due when they were last counted, every 15 seconds.',
        values: () => [{ labels: {}, value: backlog }],
      },
    ],
  });
  const ofAgents = createAgentWebhookStore(database, sealer);
  const agentWebhooks = createAgentWebhooks({ store, ofAgents, events, newId, now, publishedVersion });
  return { area, events, agentWebhooks };
}
