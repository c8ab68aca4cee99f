import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { RequestOptions, Transport } from '../request.ts';
import type { ListVoicesQuery, PreviewVoice, Voice } from '../schema.ts';

/** The voices that agents can have. */
export class Voices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the voices of the configured providers. */
  list(query: ListVoicesQuery = {}, options?: RequestOptions): PagePromise<Voice> {
    return this.#transport.list(path`/api/v1/voices`, { ...query }, options);
  }

  /** Speaks a text, and returns a WAV file. */
  preview(body: PreviewVoice, options?: RequestOptions): ApiPromise<ArrayBuffer> {
    return this.#transport.file({ method: 'POST', path: path`/api/v1/voices/preview`, body, options }, 'audio/wav');
  }
}
