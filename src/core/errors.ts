import type { ErrorCode, ValidationDetails } from '../contract/errors.ts';

/** An error that is reported to the caller by its code. The code determines the status. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Not logged as a failure, although its status is 5xx. */
  readonly isExpected: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      details?: unknown;
      headers?: Readonly<Record<string, string>>;
      cause?: unknown;
      isExpected?: boolean;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
    this.isExpected = more.isExpected ?? false;
  }
}

const realm = 'Bearer realm="voice-agent-service"';

export type FieldErrors = Record<string, string[]>;

export function validationFailed(fieldErrors: FieldErrors, formErrors: readonly string[] = []): AppError {
  const issues = [
    ...formErrors,
    ...Object.entries(fieldErrors).map(([field, messages]) => `${field} ${messages[0] ?? 'is not valid'}`),
  ];
  const shown = issues.slice(0, 3).join('; ');
  const rest = issues.length > 3 ? `; and ${issues.length - 3} more` : '';
  const details: ValidationDetails = formErrors.length > 0 ? { fieldErrors, formErrors } : { fieldErrors };
  return new AppError('VALIDATION_ERROR', `The request is not valid: ${shown}${rest}.`, { details });
}

/** One sentence about the request as a whole, for errors that do not belong to a field. */
export function malformed(issue: string): AppError {
  return validationFailed({}, [issue]);
}

export function unauthorized(presented: 'no key' | 'a key'): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'A valid API key is required, as "Authorization: Bearer <API_KEY>" or as "X-API-Key: <API_KEY>".',
    // RFC 6750: the challenge for a request without credentials has no error code.
    { headers: { 'www-authenticate': presented === 'no key' ? realm : `${realm}, error="invalid_token"` } },
  );
}

export function scopeInsufficient(requiredScope: string, routeId: string): AppError {
  return new AppError('SCOPE_INSUFFICIENT', `The API key lacks the scope ${requiredScope}.`, {
    details: { requiredScope, routeId },
    headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${requiredScope}"` },
  });
}

/** `what` is the name of the missing resource: `agent`. */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `There is no such ${what} in this workspace.`);
}

export function pathNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is nothing at this path.');
}

export function methodNotAllowed(allowed: readonly string[]): AppError {
  const list = allowed.join(', ');
  return new AppError('METHOD_NOT_ALLOWED', `This path takes ${list} only.`, { headers: { allow: list } });
}

/** The request is valid, but the current state of the resource does not allow it. */
export function unprocessable(fieldErrors: FieldErrors, formErrors: readonly string[] = []): AppError {
  const { message, details } = validationFailed(fieldErrors, formErrors);
  return new AppError(
    'UNPROCESSABLE_CONTENT',
    message.replace('The request is not valid', 'This cannot be done as things stand'),
    {
      details,
    },
  );
}

export function versionConflict(currentEtag: string): AppError {
  return new AppError(
    'VERSION_CONFLICT',
    'This has changed since you read it. Read it again, and repeat your change on that.',
    {
      details: { currentEtag },
      headers: { etag: currentEtag },
    },
  );
}

export function idempotencyInProgress(): AppError {
  return new AppError(
    'IDEMPOTENCY_IN_PROGRESS',
    'A request with this Idempotency-Key is still in work. Try again in 1 s.',
    {
      headers: { 'retry-after': '1' },
    },
  );
}

export function idempotencyKeyReused(): AppError {
  return new AppError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for a different request. Take a new one.',
  );
}

export function rateLimited(retryAfterSeconds: number): AppError {
  return new AppError('RATE_LIMITED', `Too many requests with this key. Try again in ${retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

export function internalError(cause: unknown): AppError {
  return new AppError('INTERNAL_ERROR', 'Something went wrong on our side. The request id tells us what.', { cause });
}

export function serviceUnavailable(what: string, cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${what} Try again shortly.`, {
    headers: { 'retry-after': '1' },
    cause,
  });
}

/** The service works but refuses the request: it is shutting down or overloaded. */
export function notAccepting(why: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${why} Try again shortly.`, {
    headers: { 'retry-after': '1' },
    isExpected: true,
  });
}
