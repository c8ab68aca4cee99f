import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { RequestOptions, Transport } from '../request.ts';
import type { WebhookSecret } from '../schema.ts';

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
}
