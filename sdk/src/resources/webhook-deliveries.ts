import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { joinedQuery, type RepeatableOptions, type RequestOptions, type Transport } from '../request.ts';
import type { Event, ListWebhookDeliveriesQuery, WebhookDelivery } from '../schema.ts';

/** One value, or up to 10 of which a delivery has one. */
type OneOrMore<Value> = Value | readonly Value[];

/** Which deliveries to list. Filters combine with AND. */
export interface DeliveryQuery extends Pick<ListWebhookDeliveriesQuery, 'limit' | 'cursor'> {
  readonly status?: OneOrMore<WebhookDelivery['status']> | undefined;
  readonly eventType?: OneOrMore<Event['type']> | undefined;
  readonly trigger?: OneOrMore<WebhookDelivery['trigger']> | undefined;
  /** Created at this time or later, as in ISO 8601. */
  readonly createdAfter?: string | undefined;
  /** Created before this time, as in ISO 8601. */
  readonly createdBefore?: string | undefined;
}

/** What was sent to a webhook, and what it answered. */
export class WebhookDeliveries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists deliveries with their attempts, newest first. Await one page, or iterate over all with `for await`. */
  list(webhookId: string, query: DeliveryQuery = {}, options?: RequestOptions): PagePromise<WebhookDelivery> {
    return this.#transport.list(path`/api/v1/webhooks/${webhookId}/deliveries`, joinedQuery(query), options);
  }

  get(webhookId: string, id: string, options?: RequestOptions): ApiPromise<WebhookDelivery> {
    const place = path`/api/v1/webhooks/${webhookId}/deliveries/${id}`;
    return this.#transport.request({ method: 'GET', path: place, options });
  }

  /** Sends the same event again, in a new delivery with the full schedule of attempts. */
  resend(webhookId: string, id: string, options?: RequestOptions & RepeatableOptions): ApiPromise<WebhookDelivery> {
    const place = path`/api/v1/webhooks/${webhookId}/deliveries/${id}/resend`;
    return this.#transport.request({ method: 'POST', path: place, options });
  }
}
