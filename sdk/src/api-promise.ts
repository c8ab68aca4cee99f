/** The metadata of a response. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Send it as `ifMatch` to change the agent only if it is still the same; null if the response is not a single agent. */
  readonly etag: string | null;
  /** The id of the request, as in the log of the service. */
  readonly requestId: string | null;
}

export interface WithResponse<T> {
  readonly data: T;
  readonly response: ApiResponse;
}

/** The promise of a response. The request is sent immediately and only once, however often this is awaited. */
export class ApiPromise<T> extends Promise<T> {
  readonly #exchange: Promise<WithResponse<T>>;

  constructor(exchange: Promise<WithResponse<T>>) {
    // `then` below delegates to the exchange. If this promise could reject by itself, the rejection would be unhandled
    // whenever only `withResponse` is awaited.
    super((resolve) => resolve(undefined as T));
    this.#exchange = exchange;
  }

  /** `then` returns ordinary promises. */
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

  /** The data together with the status and headers of the response. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#exchange;
  }
}
