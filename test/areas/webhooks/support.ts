import { after, before } from 'node:test';
import type { Kernel } from '../../../src/areas/area.ts';
import { hasOpenCalls } from '../../../src/areas/calls/record/store.ts';
import { createWebhooks, type WebhookOptions, type Webhooks } from '../../../src/areas/webhooks/area.ts';
import type { NewEvent } from '../../../src/areas/webhooks/events.ts';
import { newAgentWebhook, tagOf } from '../../../src/areas/webhooks/webhook.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { exampleBody } from '../../../src/contract/webhooks/event-catalog.ts';
import { type EventBody, type EventType, eventBodies } from '../../../src/contract/webhooks/events.ts';
import { type Webhook, webhook as webhookSchema } from '../../../src/contract/webhooks/webhook.ts';
import { newWebhookSecret } from '../../../src/core/webhook-signature.ts';
import { createGuard } from '../../../src/net/guard.ts';
import { AllowedNetworks } from '../../../src/net/networks.ts';
import { associatedId } from '../../../src/storage/data-key.ts';
import type { Row } from '../../../src/storage/database.ts';
import type { Engine } from '../../support/engines.ts';
import { type Service, startService } from '../../support/service.ts';

export interface EventService extends Service {
  readonly kernel: Kernel;
  /** The area that the service has, too. This one writes events; that of the service sends them. */
  readonly webhooks: Webhooks;
}

export async function startEventService(
  engine: Engine,
  options: Parameters<typeof startService>[1] & Partial<WebhookOptions> = {},
): Promise<EventService> {
  const { listeners = [], clock, random, ...rest } = options;
  let kernel: Kernel | undefined;
  const service = await startService(engine, {
    ...rest,
    otherAreas: (given) => {
      kernel = given;
      return [];
    },
  });
  const allowedNetworks = new AllowedNetworks([]);
  const webhooks = createWebhooks(kernel as Kernel, {
    eventRetentionDays: rest.eventRetentionDays ?? 30,
    listeners,
    clock: clock ?? rest.now,
    random,
    guard: createGuard({ allowedNetworks }),
    allowedNetworks,
    existingAgents: async () => new Set(),
    hasOpenCalls,
    transcriptOf: async () => null,
    publishedVersion: async () => undefined,
    mayClaim: () => false,
    sending: null,
  });
  return { ...service, kernel: kernel as Kernel, webhooks };
}

export function useEventService(engine: Engine, options: Parameters<typeof startEventService>[1] = {}): EventService {
  const service = {} as EventService;
  before(async () => {
    Object.assign(service, await startEventService(engine, options));
  });
  after(() => service.close());
  return service;
}

/** An event of a call, with the given changes. */
export function callEvent(workspaceId: string, changes: Partial<NewEvent> = {}): NewEvent {
  return {
    workspaceId,
    type: 'call_ended',
    subjectId: 'call_1',
    sequence: 1,
    agentId: 'agt_1',
    agentWebhook: null,
    data: {
      call: {
        id: 'call_1',
        dataStorageSetting: 'everything',
        analysis: { status: 'pending', data: {}, evidence: {} },
      },
    },
    transcript: () => ({ turns: [{ text: '予約したいです' }] }),
    ...changes,
  };
}

/** Stores a webhook of kind workspace. */
export async function addWebhook(
  { kernel, database }: EventService,
  workspaceId: string,
  fields: Partial<Webhook> = {},
  secrets: { current?: string; previous?: string } = {},
): Promise<Webhook> {
  const { newId, sealer } = kernel;
  const template = { id: null, workspaceId, webhookUrl: 'https://crm.example.com/hooks', webhookEvents: ['*'] };
  const made = newAgentWebhook(newId('whk'), template as unknown as Agent, new Date().toISOString());
  const webhook = webhookSchema.parse({ ...made, kind: 'workspace', agentId: null, ...fields });
  const seal = (secret: string) => sealer.seal(secret, associatedId(workspaceId, webhook.id));
  await database.run(
    `INSERT INTO webhooks (workspace_id, id, kind, agent_id, agent_version, is_agent_published, status, etag, doc,
        sealed_secret, sealed_previous_secret)
      VALUES ($1, $2, $3, $4, 1, 1, $5, $6, $7, $8, $9)`,
    [
      workspaceId,
      webhook.id,
      webhook.kind,
      webhook.agentId,
      webhook.status,
      tagOf(webhook),
      JSON.stringify(webhook),
      seal(secrets.current ?? newWebhookSecret()),
      secrets.previous === undefined ? null : seal(secrets.previous),
    ],
  );
  return webhook;
}

export function write({ database, webhooks }: EventService, event: NewEvent): Promise<string> {
  return database.transaction((queries) => webhooks.events.write(queries, event));
}

export interface EventRow extends Row {
  id: string;
  position: number;
  type: string;
  sequence: number;
  body: string | null;
}

/** The events of a workspace in the order of their positions. Their bodies must match the contract. */
export async function eventsOf({ database }: Service, workspaceId: string): Promise<EventRow[]> {
  const rows = await database.all<EventRow>('SELECT * FROM events WHERE workspace_id = $1 ORDER BY position', [
    workspaceId,
  ]);
  for (const { type, body } of rows) {
    if (body !== null) checkBody(type as EventType, JSON.parse(body));
  }
  return rows;
}

/** The calls of these tests are incomplete: an example takes their place. */
function checkBody(type: EventType, body: StoredBody): void {
  const { call } = exampleBody(type).data as { call?: object };
  const data = call === undefined || body.data.call === undefined ? body.data : { ...body.data, call };
  eventBodies[type].parse({ ...body, data });
}

export type StoredBody = Omit<EventBody, 'data'> & { readonly data: Record<string, unknown> };

export function bodyOf(row: { body: string | null } | undefined): StoredBody {
  return JSON.parse(row?.body ?? 'null');
}

export function deliveriesOf({ database }: Service, workspaceId: string): Promise<Row[]> {
  return Promise.resolve(
    database.all('SELECT * FROM deliveries WHERE workspace_id = $1 ORDER BY webhook_id, id', [workspaceId]),
  );
}
