/** What came with an answer, besides what it says. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** What to send as `ifMatch` to change exactly this; null where the answer is not about one agent. */
  readonly etag: string | null;
  /** The id of the request, as in the log of the service. */
  readonly requestId: string | null;
}

export interface WithResponse<T> {
  readonly data: T;
  readonly response: ApiResponse;
}

/** The answer to come. The request is on its way already, and is made once, however often this is awaited. */
export class ApiPromise<T> extends Promise<T> {
  readonly #exchange: Promise<WithResponse<T>>;

  constructor(exchange: Promise<WithResponse<T>>) {
    // `then` below leads to the exchange. Were this a promise of its own failure too, it would go unhandled whenever
    // only `withResponse` is awaited.
    super((resolve) => resolve(undefined as T));
    this.#exchange = exchange;
  }

  /** What `then` makes is an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  override then<Fulfilled = T, Rejected = never>(
    onFulfilled?: ((value: T) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#exchange.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  /** The answer together with its status and headers. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#exchange;
  }
}
