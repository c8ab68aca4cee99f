import type { ApiPromise } from '../api-promise.ts';
import { MessageStream, ReplyReader } from '../message-stream.ts';
import { path } from '../path.ts';
import type { RepeatableOptions, RequestOptions, Transport } from '../request.ts';
import type { CallReply, CreateCallMessage } from '../schema.ts';

/** The messages of a chat. */
export class CallMessages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a message of the caller and returns the reply. The first message may have no text, to get the opening of the
   * agent. If the reply fails, repeat the call with the same `idempotencyKey`: nothing is said or booked twice.
   */
  create(
    id: string,
    body: CreateCallMessage = {},
    options?: RequestOptions & RepeatableOptions,
  ): ApiPromise<CallReply> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/calls/${id}/messages`, body, options });
  }

  /** The same, with the reply while it is generated. */
  stream(id: string, body: CreateCallMessage = {}, options: RequestOptions & RepeatableOptions = {}): MessageStream {
    const stop = new AbortController();
    const { signal } = options;
    const abort = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    const call = {
      method: 'POST' as const,
      path: path`/api/v1/calls/${id}/messages`,
      body,
      options: { ...options, signal: stop.signal },
    };
    return new MessageStream(
      (deliver) =>
        this.#transport
          .stream(call, new ReplyReader(deliver))
          .finally(() => signal?.removeEventListener('abort', abort)),
      (reason) => stop.abort(reason),
    );
  }
}
