/** The provider failed. The message is our own: that of a provider may repeat the key or the text. */
export class EmbeddingsError extends Error {
  override readonly name = 'EmbeddingsError';
  /** Such as `http_429`, `timeout`, `connection_failed`, `malformed_response` or `other_dimensions`. */
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, retryable: boolean) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

/** The request is refused as it is: it may have too many texts, or one that is too long. */
export class RefusedInput extends EmbeddingsError {}
