import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { RequestOptions, Transport } from '../request.ts';
import type { DeletedSecret, PutSecret, Secret } from '../schema.ts';

/** The secrets that tools send in their headers, as `{{secrets.NAME}}`. */
export class Secrets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists all secrets by name, without their values. */
  list(options?: RequestOptions): PagePromise<Secret> {
    return this.#transport.list(path`/api/v1/secrets`, {}, options);
  }

  /** Creates a secret, or replaces its value and hosts. The value cannot be read again. */
  put(name: string, body: PutSecret, options?: RequestOptions): ApiPromise<Secret> {
    return this.#transport.request({ method: 'PUT', path: path`/api/v1/secrets/${name}`, body, options });
  }

  /** Deletes a secret that no published agent uses. */
  delete(name: string, options?: RequestOptions): ApiPromise<DeletedSecret> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/secrets/${name}`, options });
  }
}
