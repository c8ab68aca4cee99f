import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type { ApiKey, CreateApiKey, ListApiKeysQuery, NewApiKey, RevokeApiKey, RotateApiKey } from '../schema.ts';

/** The API keys of the workspace. */
export class ApiKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a key. Its secret is returned only in this response. */
  create(body: CreateApiKey, options?: RequestOptions & RepeatableOptions): ApiPromise<NewApiKey> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/api-keys`, body, options });
  }

  /** Lists the keys, newest first. Await one page, or iterate over all with `for await`. */
  list(query: ListApiKeysQuery = {}, options?: RequestOptions): PagePromise<ApiKey> {
    return this.#transport.list(path`/api/v1/api-keys`, { ...query }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/api-keys/${id}`, options });
  }

  /** Creates a replacement for a key, which stays valid for the grace period. */
  rotate(id: string, body?: RotateApiKey, options?: RequestOptions & RepeatableOptions): ApiPromise<NewApiKey> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/api-keys/${id}/rotate`, body, options });
  }

  /** Revokes a key permanently. It can still be read and listed. */
  revoke(id: string, body?: RevokeApiKey, options?: RequestOptions & RepeatableOptions): ApiPromise<ApiKey> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/api-keys/${id}/revoke`, body, options });
  }
}
