import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { RequestOptions, Transport } from '../request.ts';
import type { Figures as FiguresBody, GetFigureQuery } from '../schema.ts';

/** Traffic statistics of the workspace. */
export class Figures {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Gets the number of requests, their errors and their latency over the last hour or day. */
  get(query: GetFigureQuery = {}, options?: RequestOptions): ApiPromise<FiguresBody> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/figures`, query: { ...query }, options });
  }
}
