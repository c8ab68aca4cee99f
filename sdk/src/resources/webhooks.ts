import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { ConditionalOptions, RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type {
  CreateWebhook,
  DeletedWebhook,
  ListWebhooksQuery,
  NewWebhook,
  ReplayWebhook,
  TestWebhook,
  UpdateWebhook,
  Webhook,
  WebhookReplay,
  WebhookTestResult,
} from '../schema.ts';
import { WebhookDeliveries } from './webhook-deliveries.ts';
import { WebhookSecrets } from './webhook-secrets.ts';

/** A test waits for the receiver, up to 20 seconds. */
const testMs = 20_000;

/** The addresses that events are sent to. */
export class Webhooks {
  readonly secret: WebhookSecrets;
  readonly deliveries: WebhookDeliveries;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.secret = new WebhookSecrets(transport);
    this.deliveries = new WebhookDeliveries(transport);
  }

  /** Creates a webhook. The response contains its secret. */
  create(body: CreateWebhook, options?: RequestOptions & RepeatableOptions): ApiPromise<NewWebhook> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/webhooks`, body, options });
  }

  /** Lists the webhooks, newest first. Await one page, or iterate over all with `for await`. */
  list(query: ListWebhooksQuery = {}, options?: RequestOptions): PagePromise<Webhook> {
    return this.#transport.list(path`/api/v1/webhooks`, { ...query }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/webhooks/${id}`, options });
  }

  /** Changes the given fields. `status` pauses, disables or reactivates it. */
  update(id: string, body: UpdateWebhook, options?: RequestOptions & ConditionalOptions): ApiPromise<Webhook> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/webhooks/${id}`, body, options });
  }

  /** Deletes a webhook with its deliveries. Events remain. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedWebhook> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/webhooks/${id}`, options });
  }

  /** Sends an example of an event, and returns what happened, even if the receiver failed. */
  test(id: string, body?: TestWebhook, options?: RequestOptions & RepeatableOptions): ApiPromise<WebhookTestResult> {
    const timeout = options?.timeout ?? this.#transport.timeoutMs + testMs;
    const patient = { ...options, timeout };
    return this.#transport.request({ method: 'POST', path: path`/api/v1/webhooks/${id}/test`, body, options: patient });
  }

  /** Sends events again that the webhook has missed, at most 20 per second. */
  replay(id: string, body: ReplayWebhook, options?: RequestOptions & RepeatableOptions): ApiPromise<WebhookReplay> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/webhooks/${id}/replay`, body, options });
  }
}
