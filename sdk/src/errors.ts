/** Whatever this client throws by itself. What a caller’s own `signal` brings about is not among it: see the README. */
export class VoiceAgentsError extends Error {
  override readonly name: string = 'VoiceAgentsError';
}

/** No answer came, or not all of it: nobody knows whether the request was carried out. */
export class ConnectionError extends VoiceAgentsError {
  override readonly name: string = 'ConnectionError';
}

/** No whole answer within `timeout`. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError';
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`The service did not answer within ${timeoutMs} ms.`);
    this.timeoutMs = timeoutMs;
  }
}

/** The codes of the service. New ones may be added: treat one that you do not know like any other of its status. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'SCOPE_INSUFFICIENT'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'VERSION_CONFLICT'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'UNPROCESSABLE_CONTENT'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'UPSTREAM_ERROR'
  | 'SERVICE_UNAVAILABLE'
  | 'UNKNOWN'
  | (string & {});

/** What an answer says that is not a success. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: unknown;
  readonly requestId: string | null;
  readonly headers: Headers;
  readonly retryAfterMs: number | null;
  readonly isAfterLostAnswer: boolean;
}

/** The service answered, and said no. There is a class for each status that it documents. */
export class ApiError extends VoiceAgentsError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** For programs. `UNKNOWN` where the answer was not the service’s, but that of something in between. */
  readonly code: ErrorCode;
  /** More about the issue, by code. */
  readonly details: unknown;
  /** The id of the request, as in the log of the service. */
  readonly requestId: string | null;
  readonly headers: Headers;
  /** For how long the service asked to be left alone. */
  readonly retryAfterMs: number | null;
  /**
   * Whether an earlier try of the same call was cut off or failed in the service, so that this refusal may come of its
   * own success: 404 for a delete, or a conflict for a change with `ifMatch`.
   */
  readonly isAfterLostAnswer: boolean;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.details = refusal.details;
    this.requestId = refusal.requestId;
    this.headers = refusal.headers;
    this.retryAfterMs = refusal.retryAfterMs;
    this.isAfterLostAnswer = refusal.isAfterLostAnswer;
  }
}

/** What is wrong, by the name of the field, parameter or header. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** 400: something about the request itself is wrong. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError';
  readonly fieldErrors: FieldErrors;
  /** What is wrong with the request as a whole. */
  readonly formErrors: readonly string[];

  constructor(refusal: Refusal) {
    super(refusal);
    this.fieldErrors = fieldErrorsOf(refusal.details);
    this.formErrors = textsOf(fieldOf(refusal.details, 'formErrors'));
  }
}

/** 401: no key, or one that is not valid. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 403: the key lacks a scope. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
  /** The scope that it lacks. */
  readonly requiredScope: string | null;

  constructor(refusal: Refusal) {
    super(refusal);
    this.requiredScope = textOf(fieldOf(refusal.details, 'requiredScope'));
  }
}

/** 404: no such thing in the workspace of the key. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409: it has changed since you read it (`VERSION_CONFLICT`), or the same request is in work. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
  /** What it is now, for the next `ifMatch`. */
  readonly currentEtag: string | null;

  constructor(refusal: Refusal) {
    super(refusal);
    this.currentEtag = textOf(fieldOf(refusal.details, 'currentEtag'));
  }
}

/** 422: the request is fine, but things stand against it. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError';
  readonly fieldErrors: FieldErrors;
  readonly formErrors: readonly string[];

  constructor(refusal: Refusal) {
    super(refusal);
    this.fieldErrors = fieldErrorsOf(refusal.details);
    this.formErrors = textsOf(fieldOf(refusal.details, 'formErrors'));
  }
}

/** 429: the key has used up its requests; `retryAfterMs` says for how long. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** 500 and above: an error of the service, or of a proxy in front of it. */
export class InternalServerError extends ApiError {
  override readonly name: string = 'InternalServerError';
}

/** 502: a server that the service depends on failed it, or a proxy did not reach the service. */
export class BadGatewayError extends InternalServerError {
  override readonly name = 'BadGatewayError';
}

/** 503: not now. */
export class ServiceUnavailableError extends InternalServerError {
  override readonly name = 'ServiceUnavailableError';
}

const classes: Readonly<Record<number, new (refusal: Refusal) => ApiError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitError,
  502: BadGatewayError,
  503: ServiceUnavailableError,
};

export function apiError(refusal: Refusal): ApiError {
  const Class = classes[refusal.status] ?? (refusal.status >= 500 ? InternalServerError : ApiError);
  return new Class(refusal);
}

/** A field of whatever it is: nothing that comes from outside is taken for what it should be. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : [];
}

function fieldErrorsOf(details: unknown): FieldErrors {
  const errors = fieldOf(details, 'fieldErrors');
  if (typeof errors !== 'object' || errors === null) return {};
  return Object.fromEntries(Object.entries(errors).map(([name, messages]) => [name, textsOf(messages)]));
}
