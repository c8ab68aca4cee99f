import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { RequestOptions, Transport } from '../request.ts';
import type { ListWebhooksQuery, Webhook } from '../schema.ts';
import { WebhookSecrets } from './webhook-secrets.ts';

/** The addresses that events are sent to. */
export class Webhooks {
  readonly secret: WebhookSecrets;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.secret = new WebhookSecrets(transport);
  }

  /** Lists the webhooks, newest first. Await one page, or iterate over all with `for await`. */
  list(query: ListWebhooksQuery = {}, options?: RequestOptions): PagePromise<Webhook> {
    return this.#transport.list(path`/api/v1/webhooks`, { ...query }, options);
  }
}
