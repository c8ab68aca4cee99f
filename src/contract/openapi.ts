import { z } from 'zod';
import type { AreaContract } from './area.ts';
import { codes, documentedStatuses, errorBody, errorCodes } from './errors.ts';
import { contracts } from './index.ts';
import { isRepeatable, type Operation } from './operation.ts';

/** The version of the interface, which is a preview. The package has a version of its own. */
export const interfaceVersion = '0.0.1';

type Json = Record<string, unknown>;

const introduction = `One service that holds voice agents and runs them. Everything happens in the workspace of the API key.

**Keys.** Send the key as \`Authorization: Bearer <API_KEY>\`, or as \`X-API-Key: <API_KEY>\` where that header is hard to set. Each operation names the one scope it requires.

**Errors.** Every answer that is not a success has the same body: a \`code\` for programs, a \`message\` for people, \`details\` by code and the \`requestId\`. A request with several issues gets all of them in one response.

**Changes.** Send the \`ETag\` that you read as \`If-Match\`, and no change of anybody is lost. Send an \`Idempotency-Key\` with every POST, and it can be repeated without a second effect.

**Lists.** Send \`pagination.nextCursor\` of a page as \`cursor\` to get the next, until it is null.

**Unknown fields** are ignored. Send \`Prefer: handling=strict\` to have them refused instead.`;

/** The whole interface as an OpenAPI 3.1 document, from the same schemas that check requests and responses. */
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
      summary: 'Create, find, change and publish voice agents.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: areas.map(({ tag }) => tag),
    paths,
    components: {
      schemas,
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
          description: 'The same key, for environments where bearer authorization is hard to set.',
        },
      },
      headers: {
        RequestId: {
          description: 'The id of this request, as in the log and in error bodies. A sane one of yours is kept.',
          schema: { type: 'string', examples: ['req_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] },
        },
        RateLimitPolicy: {
          description: 'How many requests (`q`) a key has in a window of `w` seconds.',
          schema: { type: 'string', examples: ['"default";q=600000;w=60'] },
        },
        RateLimit: {
          description: 'How many requests are left (`r`), and in how many seconds (`t`) the window starts again.',
          schema: { type: 'string', examples: ['"default";r=599999;t=60'] },
        },
      },
    },
  };
}

function describe(operation: Operation, tag: string, scopes: Readonly<Record<string, string>>, schemas: Json): Json {
  return {
    operationId: operation.id,
    'x-route-id': operation.id,
    'x-risk-class': operation.risk,
    'x-required-scope': operation.scope,
    tags: [tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${scopeNote(operation, scopes)}`,
    security: [{ bearer: scopeList(operation) }, { apiKey: scopeList(operation) }],
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
      ...(operation.condition === 'If-None-Match' ? { 304: notModified } : {}),
      ...describeErrors(operation),
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

function scopeNote({ scope }: Operation, scopes: Readonly<Record<string, string>>): string {
  return scope === null ? 'Any valid key will do.' : `Required scope: \`${scope}\` (${scopes[scope]})`;
}

function headerParametersOf(operation: Operation): Json[] {
  return [
    ...(operation.condition === undefined ? [] : [conditionParameters[operation.condition]]),
    ...(isRepeatable(operation) ? [idempotencyParameter] : []),
    preferParameter,
  ];
}

const conditionParameters = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` that you read: the change is made only where nothing has changed since, and is 409 otherwise.',
    schema: { type: 'string', examples: ['"Zx3kq1b8f0VtN5sYp2LrWc7uHdA"'] },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` that you have: the answer is 304, without a body, where it is still the same.',
    schema: { type: 'string', examples: ['"Zx3kq1b8f0VtN5sYp2LrWc7uHdA"'] },
  },
};

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat: whatever is sent again under the same key within 24 hours has no further effect and gets the first answer again, with `Idempotent-Replayed: true`. 1 to 255 printable ASCII characters; take a new UUID for each request.',
  schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['5f6f3c0e-6a5d-4c5b-9a51-7f1f3f0f9f10'] },
};

const preferParameter = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`handling=strict` refuses fields and parameters that the operation does not know (RFC 7240).',
  schema: { type: 'string', examples: ['handling=strict'] },
};

const commonHeaders = {
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
};

function describeSuccess({ success }: Operation, schemas: Json): Json {
  const own = Object.entries(success.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const { body, media } = success;
  const schema = body === null ? null : schemaOf(body, 'output', schemas);
  return {
    description: success.description,
    headers: { ...commonHeaders, ...Object.fromEntries(own) },
    content: {
      ...(schema === null ? {} : { 'application/json': { schema, example: exampleOf(schema, schemas) } }),
      ...(media === undefined ? {} : { [media.type]: { schema: { type: 'string', description: media.description } } }),
    },
  };
}

function describeErrors(operation: Operation): Json {
  const responses = Object.entries(documentedStatuses).map(([status, words]) => {
    const own = codes.filter((code) => errorCodes[code].status === Number(status));
    const [first] = own;
    const meanings = own.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`);
    const error = {
      code: first,
      message: first === undefined ? words : errorCodes[first].meaning,
      ...exampleDetails(status, operation),
      requestId: 'req_01m2k7qv3h0000x4t9w8c5n1r6ybdz',
    };
    const mayRetry = ['409', '429', '503'].includes(status);
    const response = {
      description: [words, ...meanings].join('\n\n'),
      headers: {
        'X-Request-Id': commonHeaders['X-Request-Id'],
        ...(mayRetry ? { 'Retry-After': retryAfter } : {}),
      },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error } } },
    };
    return [status, response];
  });
  return Object.fromEntries(responses);
}

const notModified = {
  description: 'Not modified: you have this already. No body.',
  headers: { 'X-Request-Id': commonHeaders['X-Request-Id'] },
};

const retryAfter = {
  description: 'After how many seconds the same request may succeed.',
  schema: { type: 'integer', examples: [1] },
};

function exampleDetails(status: string, operation: Operation): Json {
  if (status === '403') return { details: { requiredScope: operation.scope ?? 'agents:read', routeId: operation.id } };
  if (status === '409') return { details: { currentEtag: '"Zx3kq1b8f0VtN5sYp2LrWc7uHdA"' } };
  if (status !== '400') return {};
  const field = operation.body === null ? 'limit' : 'name';
  return { details: { fieldErrors: { [field]: [field === 'limit' ? 'must be at most 200' : 'must not be empty'] } } };
}

function parametersOf(object: z.ZodObject, place: 'path' | 'query', schemas: Json): Json[] {
  const { required = [] } = z.toJSONSchema(object, { io: 'input' });
  return Object.entries(object.shape).map(([name, schema]) => {
    const { description, ...rest } = schemaOf(schema as z.ZodType, 'input', schemas);
    return { name, in: place, required: required.includes(name), description, schema: rest };
  });
}

/** The JSON Schema of a zod schema; those that have an id are put among `schemas` and referred to. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const { $schema: _, $defs: definitions = {}, ...own } = moveReferences(z.toJSONSchema(schema, { io }));
  for (const [id, definition] of Object.entries(definitions as Json)) schemas[id] ??= definition;
  return own;
}

function moveReferences(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** An example of the whole, put together from the examples of its parts. */
function exampleOf(schema: Json, schemas: Json): unknown {
  const examples = schema.examples as unknown[] | undefined;
  if (examples !== undefined) return examples[0];
  if (typeof schema.$ref === 'string') {
    return exampleOf(schemas[schema.$ref.replace('#/components/schemas/', '')] as Json, schemas);
  }
  if (schema.type === 'array') return [exampleOf(schema.items as Json, schemas)];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property, schemas)]));
}
