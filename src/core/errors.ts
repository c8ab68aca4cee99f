import type { ErrorCode, ValidationDetails } from '../contract/errors.ts';

/** An error that is reported to the caller by its code. The code determines the status. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Intended, although its status is 5xx: it is not logged as a failure. */
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

/** An error about the request as a whole rather than a field. */
export function malformed(issue: string): AppError {
  return validationFailed({}, [issue]);
}

/** The client has not sent the rest of its request in time. */
export function requestTimeout(): AppError {
  return new AppError('REQUEST_TIMEOUT', 'The request was not received in time. Send it again on a new connection.');
}

export function unauthorized(presented: 'no key' | 'a key' | 'a token'): AppError {
  return new AppError(
    'UNAUTHORIZED',
    presented === 'a token'
      ? 'The access token is not valid for this request.'
      : 'A valid API key is required. Send it as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>".',
    // RFC 6750: the response to a request without credentials names the scheme only, without an error code.
    { headers: { 'www-authenticate': presented === 'no key' ? realm : `${realm}, error="invalid_token"` } },
  );
}

/** A request of a carrier whose signature or token is missing, wrong or expired. */
export function signatureRequired(): AppError {
  return new AppError('UNAUTHORIZED', 'The signature of the request is not valid.', {
    headers: { 'www-authenticate': 'Signature realm="voice-agent-service"' },
  });
}

/** The same for a wrong code, an expired one and one that was used. */
export function signInLinkInvalid(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'The sign-in link is not valid, has expired or was already used. Sign in with an API key.',
    { headers: { 'www-authenticate': realm } },
  );
}

export function scopeInsufficient(requiredScope: string, routeId: string): AppError {
  return new AppError('SCOPE_INSUFFICIENT', `The API key does not have the required scope ${requiredScope}.`, {
    details: { requiredScope, routeId },
    headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${requiredScope}"` },
  });
}

/** `what` is the kind of resource, such as `agent`. */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `No such ${what} in this workspace.`);
}

export type MissingContent = 'none' | 'not_stored' | 'deleted' | 'failed';

/** The resource exists, but not this content of it, such as the `recording` of a call. */
export function contentNotFound(what: string, reason: MissingContent): AppError {
  return new AppError('NOT_FOUND', `There is no ${what}: ${missingContentTexts[reason]}.`, { details: { reason } });
}

const missingContentTexts: Readonly<Record<MissingContent, string>> = {
  none: 'there never was one',
  not_stored: 'it was not stored',
  deleted: 'it was deleted',
  failed: 'it could not be stored',
};

export function pathNotFound(): AppError {
  return new AppError('NOT_FOUND', 'This path does not exist.');
}

export function methodNotAllowed(allowed: readonly string[]): AppError {
  const list = allowed.join(', ');
  return new AppError('METHOD_NOT_ALLOWED', `This method is not allowed here. Allowed: ${list}.`, {
    headers: { allow: list },
  });
}

/** The request is valid, but the current state of the resource does not allow it. */
export function unprocessable(fieldErrors: FieldErrors, formErrors: readonly string[] = []): AppError {
  const { message, details } = validationFailed(fieldErrors, formErrors);
  return new AppError(
    'UNPROCESSABLE_CONTENT',
    message.replace('The request is not valid', 'The request cannot be processed'),
    {
      details,
    },
  );
}

export function versionConflict(currentEtag: string): AppError {
  return new AppError(
    'VERSION_CONFLICT',
    'The resource has changed since you read it. Read it again and reapply your change.',
    {
      details: { currentEtag },
      headers: { etag: currentEtag },
    },
  );
}

export interface StateConflict {
  /** The current state. */
  readonly status: string;
  /** The states in which the operation is possible. */
  readonly allowed: readonly string[];
  /** A machine-readable reason if the state alone does not explain it, such as `reply_in_progress`. */
  readonly reason?: string | null;
  /** If waiting helps. */
  readonly retryAfterSeconds?: number;
}

/** `what` is the kind of resource, such as `call`. */
export function stateConflict(
  what: string,
  { status, allowed, reason = null, retryAfterSeconds }: StateConflict,
): AppError {
  const why = reason === null ? '' : ` (${reason})`;
  return new AppError('STATE_CONFLICT', `This is not possible: the ${what} is ${status}${why}.`, {
    details: { status, allowed, reason },
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  });
}

/** `usedBy` are the ids of what depends on it, as many as are to be reported. */
export function resourceInUse(what: string, usedBy: readonly string[]): AppError {
  return new AppError(
    'RESOURCE_IN_USE',
    `The ${what} is in use: ${usedBy.slice(0, 3).join(', ')}${usedBy.length > 3 ? ', …' : ''}.`,
    {
      details: { usedBy },
    },
  );
}

/** `what` in the plural, such as `secrets`. */
export function limitReached(what: string, limit: number): AppError {
  return new AppError('LIMIT_REACHED', `The workspace already has ${limit} ${what}, which is the maximum.`, {
    details: { limit },
  });
}

/** Outbound phone calls at one carrier. */
export function dailyMinutesUsed(limit: number): AppError {
  const message = `The carrier has used its ${limit} minutes of outbound calls of this day (UTC).`;
  return new AppError('LIMIT_REACHED', message, { details: { limit } });
}

export function idempotencyInProgress(retryAfterSeconds = 1): AppError {
  return new AppError(
    'IDEMPOTENCY_IN_PROGRESS',
    `A request with this Idempotency-Key is still being processed. Try again in ${retryAfterSeconds} s.`,
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  );
}

export function idempotencyKeyReused(): AppError {
  return new AppError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was already used for a different request. Use a new one.',
  );
}

/** `subject` is what the limit is for, such as `this API key`. */
export function rateLimited(retryAfterSeconds: number, subject: string): AppError {
  return new AppError('RATE_LIMITED', `Rate limit exceeded for ${subject}. Try again in ${retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** `pool` is the pool of concurrent calls that has no free slot. */
/** `reservedInbound`: slots that only inbound phone calls may use. */
export function concurrencyLimitReached(
  pool: 'voice' | 'chat',
  limit: number,
  active: number,
  reservedInbound = 0,
): AppError {
  const which = reservedInbound === 0 ? `All ${limit} slots` : `All slots that are not reserved, of ${limit},`;
  return new AppError(
    'CONCURRENCY_LIMIT_REACHED',
    `${which} for ${pool} calls of this workspace are in use. Try again when one of them has ended.`,
    { details: { pool, limit, active, reservedInbound }, headers: { 'retry-after': '5' } },
  );
}

/** As for slots: the carrier allows this many calls at a time. */
export function carrierLimitReached(limit: number, active: number): AppError {
  return new AppError(
    'CONCURRENCY_LIMIT_REACHED',
    `The carrier of the phone number allows ${limit} calls at a time, which are all in use. Try again when one of them has ended.`,
    { details: { pool: 'voice', limit, active, reservedInbound: 0 }, headers: { 'retry-after': '5' } },
  );
}

export function internalError(cause: unknown): AppError {
  return new AppError(
    'INTERNAL_ERROR',
    'An internal error occurred. If it persists, report it to the operator with the request id.',
    { cause },
  );
}

/**
 * A provider or a server of a partner failed. `providerCode` is a short code such as `HTTP 429`. Neither it nor anything
 * else may be content that the other side sent.
 */
export function upstreamError(provider: string, providerCode: string | null, retryable: boolean): AppError {
  const what = providerCode === null ? `${provider} failed` : `${provider} failed with ${providerCode}`;
  const hint = retryable ? ' Try again shortly.' : '';
  return new AppError('UPSTREAM_ERROR', `The request could not be completed, because ${what}.${hint}`, {
    details: { provider, providerCode, retryable },
    isExpected: true,
  });
}

/** Without `Retry-After`: a retry does not help until the operator has configured a provider. */
export function providerNotConfigured(capability: 'llm' | 'carrier' | 'embeddings'): AppError {
  const whats = { llm: 'a language model', carrier: 'a phone carrier', embeddings: 'embeddings' };
  return new AppError('PROVIDER_NOT_CONFIGURED', `The operator has not configured ${whats[capability]}.`, {
    details: { capability },
    isExpected: true,
  });
}

export function serviceUnavailable(what: string, cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${what} Try again shortly.`, {
    headers: { 'retry-after': '1' },
    cause,
  });
}

/** The service is healthy but does not accept the request: it is shutting down or overloaded. */
export function notAccepting(why: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${why} Try again shortly.`, {
    headers: { 'retry-after': '1' },
    isExpected: true,
  });
}
