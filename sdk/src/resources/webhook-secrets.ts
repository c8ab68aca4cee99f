import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type { RotatedWebhookSecret, RotateWebhookSecret, WebhookSecret } from '../schema.ts';

/** The secrets that requests to webhooks are signed with. */
export class WebhookSecrets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the secret of a webhook. Each call is recorded in the audit trail. */
  get(id: string, options?: RequestOptions): ApiPromise<WebhookSecret> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/webhooks/${id}/secret`, options });
  }

  /** Replaces the secret. Requests are also signed with the old one for `graceSeconds`, a day by default. */
  rotate(
    id: string,
    body?: RotateWebhookSecret,
    options?: RequestOptions & RepeatableOptions,
  ): ApiPromise<RotatedWebhookSecret> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/webhooks/${id}/rotate-secret`, body, options });
  }
}
