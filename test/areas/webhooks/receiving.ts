import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Delivery } from '../../../src/contract/webhooks/delivery.ts';
import type { NewWebhookBody } from '../../../src/contract/webhooks/webhook-operations.ts';
import { type Answer, send } from '../../support/client.ts';
import type { Engine } from '../../support/engines.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { type EventService, startEventService } from './support.ts';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface EventReceiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** How many requests were being answered at the same time, at most. */
  maxInFlight(): number;
}

export type Respond = (response: ServerResponse, request: ReceivedRequest, index: number) => void | Promise<void>;

/** A receiver of webhooks on this machine. It answers 200, unless told otherwise. */
export async function eventReceiver(respond: Respond = (response) => void response.end('ok')): Promise<EventReceiver> {
  const requests: ReceivedRequest[] = [];
  let open = 0;
  let most = 0;
  const { port } = await httpReceiver(async (request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.once('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    requests.push(received);
    await respond(response, received, requests.length - 1);
  });
  return { url: `http://127.0.0.1:${port}/hook`, requests, maxInFlight: () => most };
}

export interface SendingService extends EventService {
  /** Moves the clock of the service. */
  advance(ms: number): void;
}

/** A service that sends deliveries, with a clock that tests can move. */
export async function startSendingService(
  engine: Engine,
  options: Parameters<typeof startEventService>[1] = {},
): Promise<SendingService> {
  let offset = 0;
  const service = await startEventService(engine, {
    now: () => Date.now() + offset,
    webhookSending: { pollMs: 20 },
    ...options,
  });
  return Object.assign(service, {
    advance: (ms: number) => {
      offset += ms;
    },
  });
}

export interface Workspace {
  readonly key: string;
  readonly workspaceId: string;
  create(fields: Record<string, unknown>): Promise<NewWebhookBody>;
  get(path: string): Promise<Answer['json']>;
  post(path: string, body?: unknown, status?: number): Promise<Answer['json']>;
  patch(path: string, body: unknown): Promise<Answer['json']>;
  deliveries(webhookId: string, query?: string): Promise<Delivery[]>;
}

/** A workspace of a service, as its API shows it. */
export async function newWorkspace(service: EventService): Promise<Workspace> {
  const { key, workspaceId } = await service.newKey();
  const request = async (method: string, path: string, status: number, body?: unknown) => {
    const answer = await send(service, method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
    assert.equal(answer.status, status, answer.text);
    return answer.json;
  };
  return {
    key,
    workspaceId,
    create: (fields) => request('POST', '/webhooks', 201, { events: ['*'], ...fields }),
    get: (path) => request('GET', path, 200),
    post: (path, body, status = 200) => request('POST', path, status, body),
    patch: (path, body) => request('PATCH', path, 200, body),
    deliveries: async (webhookId, query = '') =>
      (await request('GET', `/webhooks/${webhookId}/deliveries${query}`, 200)).items,
  };
}
