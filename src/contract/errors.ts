import { z } from 'zod';

/** The one table that says which status a code travels with. Whoever throws names a code; nobody writes a number. */
export const errorCodes = {
  VALIDATION_ERROR: { status: 400, meaning: 'The request is malformed or a value is out of bounds.' },
  UNAUTHORIZED: { status: 401, meaning: 'The API key is missing or not valid.' },
  SCOPE_INSUFFICIENT: { status: 403, meaning: 'The API key lacks the scope that the operation requires.' },
  NOT_FOUND: { status: 404, meaning: 'There is no such resource in the workspace of the key, or no such path.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists, but not with this method.' },
  VERSION_CONFLICT: { status: 409, meaning: 'The resource has changed since the caller read it.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, meaning: 'A request with the same idempotency key is still in work.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, meaning: 'The idempotency key was used for a different request.' },
  UNPROCESSABLE_CONTENT: {
    status: 422,
    meaning: 'The request is well formed, but cannot be carried out as things stand.',
  },
  RATE_LIMITED: { status: 429, meaning: 'The key has sent more requests than its rate allows.' },
  INTERNAL_ERROR: { status: 500, meaning: 'An unexpected error in the service.' },
  UPSTREAM_ERROR: { status: 502, meaning: 'A server that the service depends on for this request failed.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'The service cannot answer right now; the same request may succeed shortly.',
  },
} as const;

export type ErrorCode = keyof typeof errorCodes;

export const codes = Object.keys(errorCodes) as ErrorCode[];

/** The statuses that the contract documents for every operation, with its words for each. */
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

/** What `details` holds wherever a request was refused for its content. */
export interface ValidationDetails {
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  readonly formErrors?: readonly string[];
}

export const errorBody = z
  .strictObject({
    error: z
      .strictObject({
        code: z.string().meta({
          description: 'What went wrong, for programs. New codes may be added.',
          examples: ['VALIDATION_ERROR'],
        }),
        message: z.string().meta({
          description: 'What went wrong, for people. The wording may change.',
          examples: ['The request is not valid: name is required.'],
        }),
        details: z
          .unknown()
          .optional()
          .meta({
            description:
              'Details of the error, by code. VALIDATION_ERROR: `fieldErrors` maps each field or parameter to its messages, `formErrors` holds what is wrong with the request as a whole. UNPROCESSABLE_CONTENT: the same. SCOPE_INSUFFICIENT: `requiredScope` and `routeId`. VERSION_CONFLICT: `currentEtag`.',
            examples: [{ fieldErrors: { name: ['is required'] } }],
          }),
        requestId: z
          .string()
          .optional()
          .meta({
            description: 'The id of this request, the same as in the `X-Request-Id` header and in the log.',
            examples: ['req_01m2k7qv3h0000x4t9w8c5n1r6ybdz'],
          }),
      })
      .meta({ description: 'The error.' }),
  })
  .meta({ id: 'Error', description: 'The body of every answer that is not a success.' });

export type ErrorBody = z.infer<typeof errorBody>;
