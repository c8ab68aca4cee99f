import type { AppError } from '../errors.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { Caller } from './caller.ts';
import { errorBodyOf, statusOf } from './errors.ts';
import type { Journal } from './journal.ts';
import type { AnswerBody, Transport } from './transport.ts';

export interface ExchangeParts {
  readonly journal: Journal;
  readonly requestIdOf: (headers: Transport['headers']) => string;
  readonly lifecycle: Lifecycle;
}

/** A request to an operation, and the answer that is being put together for it. */
export class Exchange {
  readonly transport: Transport;
  readonly requestId: string;
  caller: Caller | null = null;
  readonly #route: string;
  readonly #parts: ExchangeParts;
  readonly #receivedAt: number;
  /** Names and values in turn, which go out as they are. */
  readonly #headers: string[];

  constructor(transport: Transport, route: string, receivedAt: number, parts: ExchangeParts) {
    this.transport = transport;
    this.requestId = parts.requestIdOf(transport.headers);
    this.#route = route;
    this.#receivedAt = receivedAt;
    this.#parts = parts;
    parts.lifecycle.lastRequestAt = receivedAt;
    this.#headers = ['x-request-id', this.requestId, 'x-content-type-options', 'nosniff', 'cache-control', 'no-store'];
  }

  add(headers: readonly string[]): void {
    this.#headers.push(...headers);
  }

  addAll(headers: Readonly<Record<string, string>> | undefined): void {
    for (const name in headers) this.#headers.push(name, headers[name] as string);
  }

  /** Null where the status has no body. */
  send(status: number, body: AnswerBody | null): void {
    const { transport, requestId, caller } = this;
    if (body !== null) this.#headers.push('content-type', 'application/json');
    transport.answer(status, this.#headers, body, this.#parts.lifecycle.stage === 'closing');
    this.#parts.journal.request({
      requestId,
      method: transport.method,
      route: this.#route,
      status,
      durationMs: performance.now() - this.#receivedAt,
      caller,
    });
  }

  refuse(error: AppError): void {
    const status = statusOf(error);
    if (status >= 500) this.#parts.journal.fault(this.requestId, error);
    // The answer is on its way already: there is nothing left to tell.
    if (this.transport.isAnswered) return;
    this.#tell(status, error);
  }

  /** As `refuse`, for what is no fault and may come by the thousand: it is not logged as one. */
  turnAway(error: AppError): void {
    this.#tell(statusOf(error), error);
  }

  #tell(status: number, error: AppError): void {
    this.addAll(error.headers);
    this.send(status, JSON.stringify(errorBodyOf(error, this.requestId)));
  }
}
