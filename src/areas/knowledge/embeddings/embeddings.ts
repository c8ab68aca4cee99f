/** Texts as vectors, by the configured provider. Null where none is configured. */
export interface Embeddings {
  readonly model: string;
  /** As configured, or as the provider's first response had; null before it. */
  readonly dimensions: number | null;
  /** One vector for each text, in order. Fails with an `EmbeddingsError`, or with the reason of the signal. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Int8Array[]>;
  /** The same for a query. The last 1,000 are kept, and concurrent requests for the same text are one. */
  embedQuery(text: string, signal: AbortSignal): Promise<Int8Array>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** The provider failed. The message is our own: that of a provider may repeat the key or the text. */
export class EmbeddingsError extends Error {
  override readonly name = 'EmbeddingsError';
  /** Such as `http_429`, `timeout`, `connection_failed`, `malformed_response`, `dimensions`. */
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, retryable: boolean) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}
