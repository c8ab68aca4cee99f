import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { RequestOptions, Transport } from '../request.ts';
import type { Provider } from '../schema.ts';

/** What recognizes speech, speaks, or replies in calls. */
export class Providers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the providers that the service knows, and whether they are configured. */
  list(options?: RequestOptions): PagePromise<Provider> {
    return this.#transport.list(path`/api/v1/providers`, {}, options);
  }
}
