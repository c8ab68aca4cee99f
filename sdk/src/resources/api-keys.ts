import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type { ApiKey, CreateApiKey, ListApiKeysQuery, NewApiKey, RevokeApiKey, RotateApiKey } from '../schema.ts';

/** Who may do what in the workspace. */
export class ApiKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Makes a key. Its secret is in this answer and nowhere else. */
  create(body: CreateApiKey, options?: RequestOptions & RepeatableOptions): ApiPromise<NewApiKey> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/api-keys`, body, options });
  }

  /** The keys of the workspace, newest first: await a page, or walk all of them with `for await`. */
  list(query: ListApiKeysQuery = {}, options?: RequestOptions): PagePromise<ApiKey> {
    return this.#transport.list(path`/api/v1/api-keys`, { ...query }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/api-keys/${id}`, options });
  }

  /** Makes a new key in place of this one, which goes on for a while. */
  rotate(id: string, body?: RotateApiKey, options?: RequestOptions & RepeatableOptions): ApiPromise<NewApiKey> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/api-keys/${id}/rotate`, body, options });
  }

  /** Ends a key at once. It can be read and listed afterwards. */
  revoke(id: string, body?: RevokeApiKey, options?: RequestOptions & RepeatableOptions): ApiPromise<ApiKey> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/api-keys/${id}/revoke`, body, options });
  }
}
