import { z } from 'zod';

/** The only mapping from error code to HTTP status. Code that throws names a code, never a status. */
export const errorCodes = {
  VALIDATION_ERROR: { status: 400, meaning: 'The request is malformed or a value is invalid.' },
  UNAUTHORIZED: { status: 401, meaning: 'The API key or access token is missing or invalid.' },
  SCOPE_INSUFFICIENT: { status: 403, meaning: 'The API key lacks the scope that the operation requires.' },
  NOT_FOUND: {
    status: 404,
    meaning: 'The resource does not exist in the workspace of the key, or the path does not exist.',
  },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path does not support this method.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request began, but did not arrive in time.' },
  VERSION_CONFLICT: { status: 409, meaning: 'The resource has changed since the client read it.' },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    meaning: 'A request with the same idempotency key is still being processed.',
  },
  STATE_CONFLICT: { status: 409, meaning: 'The operation is not possible in the current state of the resource.' },
  RESOURCE_IN_USE: { status: 409, meaning: 'Other resources depend on this resource.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, meaning: 'The idempotency key was already used for a different request.' },
  UNPROCESSABLE_CONTENT: {
    status: 422,
    meaning: 'The request is well-formed, but the current state of the resource does not allow it.',
  },
  LIMIT_REACHED: { status: 422, meaning: 'The workspace has reached its limit for this kind of resource.' },
  RATE_LIMITED: { status: 429, meaning: 'The API key or access token has exceeded its rate limit.' },
  CONCURRENCY_LIMIT_REACHED: { status: 429, meaning: 'The limit of concurrent calls has been reached.' },
  INTERNAL_ERROR: { status: 500, meaning: 'An unexpected error occurred in the service.' },
  UPSTREAM_ERROR: { status: 502, meaning: 'A server that the service depends on failed.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'The service is temporarily unavailable; the same request may succeed shortly.',
  },
  PROVIDER_NOT_CONFIGURED: { status: 503, meaning: 'The operator has not configured a required provider.' },
} as const;

export type ErrorCode = keyof typeof errorCodes;

export const codes = Object.keys(errorCodes) as ErrorCode[];

/** The statuses that the contract documents for every operation. */
export const documentedStatuses = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  409: 'Conflict',
  422: 'Unprocessable content',
  429: 'Too many requests',
  500: 'Internal server error',
  502: 'Bad gateway',
  503: 'Service unavailable',
} as const;

/** The `details` of errors about the content of a request. */
export interface ValidationDetails {
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  readonly formErrors?: readonly string[];
}

export const errorBody = z
  .strictObject({
    error: z
      .strictObject({
        code: z.string().meta({
          description: 'A machine-readable error code. New codes may be added.',
          examples: ['VALIDATION_ERROR'],
        }),
        message: z.string().meta({
          description: 'A human-readable message. The wording may change.',
          examples: ['The request is not valid: name is required.'],
        }),
        details: z
          .unknown()
          .optional()
          .meta({
            description:
              'Additional information, depending on the code. VALIDATION_ERROR and UNPROCESSABLE_CONTENT: `fieldErrors` maps each field or parameter to its messages, and `formErrors` lists problems with the request as a whole. SCOPE_INSUFFICIENT: `requiredScope` and `routeId`. NOT_FOUND, if content of an existing resource is missing: `reason` (`none`, `not_stored`, `deleted` or `failed`). VERSION_CONFLICT: `currentEtag`. STATE_CONFLICT: `status` (the current state), `allowed` (the states in which the operation is possible) and `reason` (a string or null). RESOURCE_IN_USE: `usedBy`, up to 20 ids. LIMIT_REACHED: `limit`. CONCURRENCY_LIMIT_REACHED: `pool` (`voice` or `chat`), `limit`, `active` and `reservedInbound`. UPSTREAM_ERROR: `provider`, `providerCode` (a string or null) and `retryable`. PROVIDER_NOT_CONFIGURED: `capability` (`llm`, `carrier` or `embeddings`).',
            examples: [{ fieldErrors: { name: ['is required'] } }],
          }),
        requestId: z
          .string()
          .optional()
          .meta({
            description: 'The id of the request, as in the `X-Request-Id` header and in the log.',
            examples: ['req_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
          }),
      })
      .meta({ id: 'ErrorDetail', description: 'What went wrong.' }),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' });

export type ErrorBody = z.infer<typeof errorBody>;
