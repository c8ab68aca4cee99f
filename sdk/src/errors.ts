/** The base class of all errors of this package. Aborting your own `signal` rejects with its reason instead. */
export class VoiceAgentsError extends Error {
  override readonly name: string = 'VoiceAgentsError';
}

/** No response, or an incomplete one: the request may or may not have been processed. */
export class ConnectionError extends VoiceAgentsError {
  override readonly name: string = 'ConnectionError';
}

/** No complete response within `timeout`. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError';
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`The service did not respond within ${timeoutMs} ms.`);
    this.timeoutMs = timeoutMs;
  }
}

/** The error codes of the service. New codes may be added: handle unknown ones by their status. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'SCOPE_INSUFFICIENT'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'VERSION_CONFLICT'
  | 'STATE_CONFLICT'
  | 'RESOURCE_IN_USE'
  | 'LIMIT_REACHED'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'UNPROCESSABLE_CONTENT'
  | 'RATE_LIMITED'
  | 'CONCURRENCY_LIMIT_REACHED'
  | 'INTERNAL_ERROR'
  | 'UPSTREAM_ERROR'
  | 'SERVICE_UNAVAILABLE'
  | 'PROVIDER_NOT_CONFIGURED'
  | 'UNKNOWN'
  | (string & {});

/** The content of an error response. */
export interface ErrorResponse {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: unknown;
  readonly requestId: string | null;
  readonly headers: Headers;
  readonly retryAfterMs: number | null;
  readonly isAfterLostAnswer: boolean;
}

/** An error response of the service. There is a subclass for each documented status, and for some codes. */
export class ApiError extends VoiceAgentsError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** The machine-readable code. `UNKNOWN` if the response came from something else, such as a proxy. */
  readonly code: ErrorCode;
  /** Additional information, depending on the code. */
  readonly details: unknown;
  /** The id of the request, as in the log of the service. */
  readonly requestId: string | null;
  readonly headers: Headers;
  /** How long the service asked to wait before the next attempt. */
  readonly retryAfterMs: number | null;
  /**
   * Whether an earlier attempt of the same call was interrupted or failed in the service. This error may then be a
   * consequence of its success, such as 404 for a delete or a conflict for an update with `ifMatch`.
   */
  readonly isAfterLostAnswer: boolean;

  constructor(response: ErrorResponse) {
    super(response.message);
    this.status = response.status;
    this.code = response.code;
    this.details = response.details;
    this.requestId = response.requestId;
    this.headers = response.headers;
    this.retryAfterMs = response.retryAfterMs;
    this.isAfterLostAnswer = response.isAfterLostAnswer;
  }
}

/** Error messages by field, parameter or header. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** 400: the request is invalid. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError';
  readonly fieldErrors: FieldErrors;
  /** Problems with the request as a whole. */
  readonly formErrors: readonly string[];

  constructor(response: ErrorResponse) {
    super(response);
    this.fieldErrors = fieldErrorsOf(response.details);
    this.formErrors = textsOf(fieldOf(response.details, 'formErrors'));
  }
}

/** 401: the API key or access token is missing or invalid. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 403: the API key lacks a scope. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
  /** The missing scope. */
  readonly requiredScope: string | null;

  constructor(response: ErrorResponse) {
    super(response);
    this.requiredScope = textOf(fieldOf(response.details, 'requiredScope'));
  }
}

/** 404: no such resource in the workspace of the key. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/**
 * 409: the resource has changed since you read it (`VERSION_CONFLICT`), its state does not allow the request
 * (`StateConflictError`), others depend on it (`RESOURCE_IN_USE`), or the same request is being processed.
 */
export class ConflictError extends ApiError {
  override readonly name: string = 'ConflictError';
  /** The current ETag, for the next `ifMatch`. */
  readonly currentEtag: string | null;
  /** The ids of what depends on the resource, up to 20. */
  readonly usedBy: readonly string[];

  constructor(response: ErrorResponse) {
    super(response);
    this.currentEtag = textOf(fieldOf(response.details, 'currentEtag'));
    this.usedBy = textsOf(fieldOf(response.details, 'usedBy'));
  }
}

/** 409 `STATE_CONFLICT`: not possible in the current state, such as a message in a chat that is over. */
export class StateConflictError extends ConflictError {
  override readonly name = 'StateConflictError';
  /** The current state, such as `ended`. */
  readonly state: string | null;
  /** The states in which it is possible. */
  readonly allowed: readonly string[];
  /** Why, if the state alone does not say it, such as `reply_in_progress`. */
  readonly reason: string | null;

  constructor(response: ErrorResponse) {
    super(response);
    this.state = textOf(fieldOf(response.details, 'status'));
    this.allowed = textsOf(fieldOf(response.details, 'allowed'));
    this.reason = textOf(fieldOf(response.details, 'reason'));
  }
}

/** 422: the request is valid, but the current state of the resource does not allow it. */
export class UnprocessableError extends ApiError {
  override readonly name = 'UnprocessableError';
  readonly fieldErrors: FieldErrors;
  readonly formErrors: readonly string[];

  constructor(response: ErrorResponse) {
    super(response);
    this.fieldErrors = fieldErrorsOf(response.details);
    this.formErrors = textsOf(fieldOf(response.details, 'formErrors'));
  }
}

/** 429: the rate limit of the key is exceeded, or no more calls can run at the same time; see `retryAfterMs`. */
export class RateLimitError extends ApiError {
  override readonly name: string = 'RateLimitError';
}

/** 429 `CONCURRENCY_LIMIT_REACHED`: no free slot for a call; see `retryAfterMs`. */
export class ConcurrencyLimitError extends RateLimitError {
  override readonly name = 'ConcurrencyLimitError';
  /** `voice` or `chat`. */
  readonly pool: string | null;
  /** How many calls may be open. */
  readonly limit: number | null;
  /** How many are. */
  readonly active: number | null;

  constructor(response: ErrorResponse) {
    super(response);
    this.pool = textOf(fieldOf(response.details, 'pool'));
    this.limit = numberOf(fieldOf(response.details, 'limit'));
    this.active = numberOf(fieldOf(response.details, 'active'));
  }
}

/** 500 and above: an error in the service, or in a proxy in front of it. */
export class InternalServerError extends ApiError {
  override readonly name: string = 'InternalServerError';
}

/** 502: a server that the service depends on failed, or a proxy could not reach the service. */
export class BadGatewayError extends InternalServerError {
  override readonly name = 'BadGatewayError';
}

/** 503: the service is temporarily unavailable, or has no provider that the request needs (`PROVIDER_NOT_CONFIGURED`). */
export class ServiceUnavailableError extends InternalServerError {
  override readonly name: string = 'ServiceUnavailableError';
}

/** 503 `PROVIDER_NOT_CONFIGURED`: the service has no provider for this. Retrying does not help. */
export class ProviderNotConfiguredError extends ServiceUnavailableError {
  override readonly name = 'ProviderNotConfiguredError';
  /** What is missing: `llm` or `carrier`. */
  readonly capability: string | null;

  constructor(response: ErrorResponse) {
    super(response);
    this.capability = textOf(fieldOf(response.details, 'capability'));
  }
}

type ErrorClass = new (response: ErrorResponse) => ApiError;

const classes: Readonly<Record<number, ErrorClass>> = {
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

const classesOfCodes: ReadonlyMap<string, ErrorClass> = new Map<string, ErrorClass>([
  ['STATE_CONFLICT', StateConflictError],
  ['CONCURRENCY_LIMIT_REACHED', ConcurrencyLimitError],
  ['PROVIDER_NOT_CONFIGURED', ProviderNotConfiguredError],
]);

export function apiError(response: ErrorResponse): ApiError {
  const { status, code } = response;
  const Class = classesOfCodes.get(code) ?? classes[status] ?? (status >= 500 ? InternalServerError : ApiError);
  return new Class(response);
}

/** An error inside a stream has no status of its own: the status of the response was sent before it. */
const statuses: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  SCOPE_INSUFFICIENT: 403,
  NOT_FOUND: 404,
  VERSION_CONFLICT: 409,
  STATE_CONFLICT: 409,
  RESOURCE_IN_USE: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  IDEMPOTENCY_KEY_REUSED: 422,
  UNPROCESSABLE_CONTENT: 422,
  LIMIT_REACHED: 422,
  RATE_LIMITED: 429,
  CONCURRENCY_LIMIT_REACHED: 429,
  UPSTREAM_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  PROVIDER_NOT_CONFIGURED: 503,
};

export function statusOfCode(code: string): number {
  return Object.hasOwn(statuses, code) ? (statuses[code] as number) : 500;
}

/** A property of an untrusted value of any type. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : [];
}

function fieldErrorsOf(details: unknown): FieldErrors {
  const errors = fieldOf(details, 'fieldErrors');
  if (typeof errors !== 'object' || errors === null) return {};
  return Object.fromEntries(Object.entries(errors).map(([name, messages]) => [name, textsOf(messages)]));
}
