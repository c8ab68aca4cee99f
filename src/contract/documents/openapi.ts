import { z } from 'zod';
import type { AreaContract } from '../area.ts';
import { codes, documentedStatuses, errorBody, errorCodes } from '../errors.ts';
import { contracts } from '../index.ts';
import { interfaceVersion } from '../interface-version.ts';
import { exampleOf, type Json, schemaOf } from '../json-schema.ts';
import { isRepeatable, type Operation } from '../operation.ts';
import { exampleBody } from '../webhooks/event-catalog.ts';
import { type EventType, eventTypes } from '../webhooks/event-types.ts';
import { descriptionOfEvent, eventBodies } from '../webhooks/events.ts';

const introduction = `A self-hosted API for managing voice agents. Every request operates on the workspace of its API key.

**Authentication.** Send your API key as \`Authorization: Bearer <API_KEY>\`, or as \`X-API-Key: <API_KEY>\` if you cannot set that header. Each operation requires at most one scope.

**Errors.** All error responses have the same body: a machine-readable \`code\`, a human-readable \`message\`, \`details\` that depend on the code, and the \`requestId\`. If a request has several problems, the response lists all of them.

**Safe writes.** Send the \`ETag\` from your last read as \`If-Match\` to avoid overwriting concurrent changes. Send an \`Idempotency-Key\` with every POST to make it safe to retry.

**Pagination.** To get the next page of a list, send \`pagination.nextCursor\` as \`cursor\`. It is null on the last page. Parameters with several values are separated by commas (\`status=ongoing,ended\`) or repeated (\`status=ongoing&status=ended\`).

**Unknown fields** are ignored, and the header \`Ignored-Fields\` of the response lists them. Send \`Prefer: handling=strict\` to reject them instead.`;

/** The API as an OpenAPI 3.1 document, generated from the schemas that validate requests and responses. */
export function buildOpenApi(areas: readonly AreaContract[] = contracts): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  schemaOf(errorBody, 'output', schemas);
  const scopes: Record<string, string> = Object.assign({}, ...areas.map((area) => area.scopes));
  for (const { tag, operations } of areas) {
    for (const operation of operations) {
      paths[operation.path] = {
        ...paths[operation.path],
        [operation.method.toLowerCase()]: describe(operation, tag.name, scopes, schemas),
      };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Voice Agent Service',
      version: interfaceVersion,
      summary: 'Create, search, update and publish voice agents.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: areas.map(({ tag }) => tag),
    paths,
    webhooks: describeWebhooks(schemas),
    components: {
      schemas,
      responses: { NotModified: notModified, ...errorResponses() },
      parameters: headerParameters,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A workspace API key as `Authorization: Bearer <API_KEY>`.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The same key, for clients that cannot set the `Authorization` header.',
        },
        ...(areas.some(({ operations }) => operations.some((operation) => operation.acceptsAccessToken === true))
          ? { accessToken: accessTokenScheme }
          : {}),
      },
      headers: {
        IgnoredFields: {
          description:
            'Fields and parameters that were sent and are not known, as paths separated by commas; other characters than letters, digits, `-` and `_` are percent-encoded. Absent if there are none. Up to 1,000 characters: if there are more, it ends with `...`.',
          schema: { type: 'string', maxLength: 1000, examples: ['colour, adaptiveSpeechRate.hue'] },
        },
        RequestId: {
          description:
            'The id of the request, as in the log and in error bodies. If you send a valid `X-Request-Id`, it is used.',
          schema: { type: 'string', examples: ['req_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] },
        },
        RateLimitPolicy: {
          description:
            'The rate limit: `q` requests per window of `w` seconds. An operation with its own limit lists both.',
          schema: { type: 'string', examples: ['"default";q=600000;w=60'] },
        },
        RateLimit: {
          description:
            'The number of requests left in the window (`r`) and the seconds until it resets (`t`), for each limit.',
          schema: { type: 'string', examples: ['"default";r=599999;t=60'] },
        },
      },
    },
  };
}

const accessTokenScheme = {
  type: 'http',
  scheme: 'bearer',
  description: 'An access token of the call in the path, for browsers: `Authorization: Bearer vat_…`.',
};

function describe(operation: Operation, tag: string, scopes: Readonly<Record<string, string>>, schemas: Json): Json {
  return {
    operationId: operation.id,
    'x-route-id': operation.id,
    'x-risk-class': operation.risk,
    'x-required-scope': operation.scope,
    tags: [tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${scopeNote(operation, scopes)}`,
    security: [
      { bearer: scopeList(operation) },
      { apiKey: scopeList(operation) },
      ...(operation.acceptsAccessToken === true ? [{ accessToken: [] }] : []),
    ],
    parameters: [
      ...parametersOf(operation.params, 'path', schemas),
      ...parametersOf(operation.query, 'query', schemas),
      ...headerParametersOf(operation),
    ],
    ...(operation.body === null
      ? {}
      : {
          requestBody: {
            required: operation.isBodyOptional !== true,
            content: Object.fromEntries(
              ['application/json', operation.bodyMediaType].flatMap((type) =>
                type === undefined ? [] : [[type, requestContent(operation, operation.body as z.ZodObject, schemas)]],
              ),
            ),
          },
        }),
    responses: {
      [operation.success.status]: describeSuccess(operation, schemas),
      ...(operation.condition === 'If-None-Match' ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...errorReferences(),
    },
  };
}

function requestContent({ bodyExample }: Operation, body: z.ZodObject, schemas: Json): Json {
  const schema = schemaOf(body, 'input', schemas);
  return bodyExample === undefined ? { schema } : { schema, example: bodyExample };
}

function scopeList({ scope }: Operation): string[] {
  return scope === null ? [] : [scope];
}

function scopeNote({ scope, acceptsAccessToken }: Operation, scopes: Readonly<Record<string, string>>): string {
  const note = scope === null ? 'Any valid API key is accepted.' : `Required scope: \`${scope}\` (${scopes[scope]})`;
  return acceptsAccessToken === true ? `${note} An access token of the call is accepted instead.` : note;
}

const parameterPrefix = '#/components/parameters/';

function headerParametersOf(operation: Operation): Json[] {
  const names: (keyof typeof headerParameters)[] = [
    ...(operation.condition === undefined ? [] : [conditionParameters[operation.condition]]),
    ...(isRepeatable(operation) ? (['IdempotencyKey'] as const) : []),
    'Prefer',
  ];
  return names.map((name) => ({ $ref: `${parameterPrefix}${name}` }));
}

const conditionParameters = { 'If-Match': 'IfMatch', 'If-None-Match': 'IfNoneMatch' } as const;

const headerParameters = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` from your last read. The request is processed only if the resource has not changed since; otherwise it fails with 409.',
    schema: { type: 'string', examples: ['"Zx3kq1b8f0VtN5sYp2LrWc7uHdA"'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of your copy. If it is still current, the response is 304 without a body.',
    schema: { type: 'string', examples: ['"Zx3kq1b8f0VtN5sYp2LrWc7uHdA"'] },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the request safe to retry: repeating it with the same key within 24 hours has no further effect and returns the saved first response, with `Idempotent-Replayed: true`. 1 to 255 printable ASCII characters; use a new UUID for each new request.',
    schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['5f6f3c0e-6a5d-4c5b-9a51-7f1f3f0f9f10'] },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description: '`handling=strict` rejects unknown fields and parameters (RFC 7240).',
    schema: { type: 'string', examples: ['handling=strict'] },
  },
};

const commonHeaders = {
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'Ignored-Fields': { $ref: '#/components/headers/IgnoredFields' },
};

function describeSuccess({ success }: Operation, schemas: Json): Json {
  const own = Object.entries(success.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const { body, media } = success;
  const schema = body === null ? null : schemaOf(body, 'output', schemas);
  const example = () => ({ ...(exampleOf(schema as Json, schemas) as Json), ...success.example });
  return {
    description: success.description,
    headers: { ...commonHeaders, ...Object.fromEntries(own) },
    content: {
      ...(schema === null ? {} : { 'application/json': { schema, example: example() } }),
      ...(media === undefined ? {} : { [media.type]: { schema: { type: 'string', description: media.description } } }),
    },
  };
}

const notModified = {
  description: 'Not modified: your copy is current. No body.',
  headers: { 'X-Request-Id': commonHeaders['X-Request-Id'] },
};

const exampleDetails: Readonly<Record<string, Json>> = {
  400: { details: { fieldErrors: { name: ['must not be empty'] } } },
  403: { details: { requiredScope: 'agents:write', routeId: 'agents.create' } },
  409: { details: { currentEtag: '"Zx3kq1b8f0VtN5sYp2LrWc7uHdA"' } },
};

const retryAfter = {
  description: 'The number of seconds to wait before sending the request again.',
  schema: { type: 'integer', examples: [1] },
};

/** Every operation can return every error, so all of them refer to the same components. */
function errorResponses(): Json {
  return Object.fromEntries(
    Object.entries(documentedStatuses).map(([status, words]) => [responseName(words), describeError(status, words)]),
  );
}

function errorReferences(): Json {
  return Object.fromEntries(
    Object.entries(documentedStatuses).map(([status, words]) => [
      status,
      { $ref: `#/components/responses/${responseName(words)}` },
    ]),
  );
}

/** `Not found` is `NotFound`. */
function responseName(words: string): string {
  return words.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function describeError(status: string, words: string): Json {
  const own = codes.filter((code) => errorCodes[code].status === Number(status));
  const [first] = own;
  const meanings = own.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`);
  const error = {
    code: first,
    message: first === undefined ? words : errorCodes[first].meaning,
    ...exampleDetails[status],
    requestId: 'req_01m2k7qv3h0000x4t9w8c5n1r6ybdz',
  };
  const mayRetry = ['409', '429', '503'].includes(status);
  return {
    description: [words, ...meanings].join('\n\n'),
    headers: {
      'X-Request-Id': commonHeaders['X-Request-Id'],
      ...(status === '400' ? { 'Ignored-Fields': commonHeaders['Ignored-Fields'] } : {}),
      ...(mayRetry ? { 'Retry-After': retryAfter } : {}),
    },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error } } },
  };
}

function parametersOf(object: z.ZodObject, place: 'path' | 'query', schemas: Json): Json[] {
  const { required = [] } = z.toJSONSchema(object, { io: 'input' });
  return Object.entries(object.shape).map(([name, schema]) => {
    const { description, ...rest } = schemaOf(schema as z.ZodType, 'input', schemas);
    // Left out by zod for values that are converted from text.
    const { examples } = (schema as z.ZodType).meta() ?? {};
    return {
      name,
      in: place,
      required: required.includes(name),
      description,
      // Repeating the parameter is accepted as well, but a document can describe only one form.
      ...(rest.type === 'array' ? { style: 'form', explode: false } : {}),
      schema: examples === undefined ? rest : { ...rest, examples },
    };
  });
}

/** The requests that the service sends to webhooks, as OpenAPI 3.1 describes them. */
function describeWebhooks(schemas: Json): Json {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: describeEvent(type, schemas) }]));
}

function describeEvent(type: EventType, schemas: Json): Json {
  const schema = schemaOf(eventBodies[type], 'output', schemas);
  return {
    operationId: `webhook.${type}`,
    tags: ['Webhooks'],
    summary: type,
    description: `${descriptionOfEvent(type)}\n\nRespond with any 2xx status within 15 seconds. Anything else counts as a failure, and the same request is retried, with up to 10 attempts over about three days. A request can arrive more than once and out of order: \`webhook-id\` is the same each time, and \`sequence\` increases with each event of a subject.`,
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example: exampleBody(type) } } },
    responses: {
      '2XX': { description: 'The event was received.' },
      410: { description: 'The endpoint no longer accepts events: the webhook is disabled.' },
      429: { description: 'Too many requests. The event is sent again, no earlier than `Retry-After`.' },
    },
  };
}

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
});

const headers = [
  header('webhook-id', 'The id of the event: the same in every attempt.', 'evt_01m7f8nyfm0000yyk596ngya1dq91k'),
  header('webhook-timestamp', 'The time of the attempt, in seconds since 1970.', '1794736931'),
  header(
    'webhook-signature',
    'As in Standard Webhooks 1.0: `v1,` followed by the HMAC-SHA256 of `id.timestamp.body` in base64. Two signatures, separated by a space, after the secret is rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  header(
    'traceparent',
    'W3C trace context, new for each attempt.',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ),
];
