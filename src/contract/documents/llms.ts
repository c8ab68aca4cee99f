import type { z } from 'zod';
import { agent } from '../agents/agent.ts';
import { createAgentBody } from '../agents/requests.ts';
import { operations } from '../index.ts';
import { componentPrefix, type Json, schemaOf } from '../json-schema.ts';

/** The API on one page of plain text, for language models. */
export function buildLlmsText(): string {
  const list = operations.map(
    ({ method, path, summary, scope, description }) =>
      `- \`${method} ${path}\`: ${summary}. ${scope === null ? 'Any key' : `Scope \`${scope}\``}. ${description}`,
  );
  return `# Voice Agent Service

> A self-hosted REST API for managing voice agents. JSON over HTTP, scoped to the workspace of the API key.

- Send the key as \`Authorization: Bearer <API_KEY>\` or as \`X-API-Key: <API_KEY>\`.
- Every error has the body \`{"error":{"code","message","details","requestId"}}\`. For \`VALIDATION_ERROR\`, \`details.fieldErrors\` maps each field to its messages: fix all of them, then send the request again.
- Lists: send \`pagination.nextCursor\` as \`cursor\`, with the same \`limit\`, until it is null. Cursors are opaque: never construct or modify one.
- Send a new UUID as \`Idempotency-Key\` with every POST: repeating the request with the same key has no further effect.
- To update an agent, read it and send its \`ETag\` as \`If-Match\`. On 409, read it again and retry.
- On 429 and 503, wait \`Retry-After\` seconds before retrying.

## Operations

${list.join('\n')}

## The fields of an agent

To create an agent, send \`name\`, \`voiceId\` and any other field; \`responseEngineType\`, \`prompt\` and \`llmModel\` are shorthand for the parts of \`responseEngine\`. The service sets \`id\`, \`workspaceId\`, \`version\`, \`isPublished\`, \`createdAt\` and \`updatedAt\`.

${agentFieldLines().join('\n')}

## More

- [OpenAPI 3.1](/openapi.json): every field with its description, range, default and example
- [API reference](/docs/): the same, human-readable
- [TypeScript SDK](/sdk.tgz): \`npm install <URL of this service>/sdk.tgz\`
- [AsyncAPI 3](/asyncapi.json): the WebSocket frames of a call, human-readable at [/docs/live](/docs/live)
`;
}

/** Every field of an agent on a line of its own, with its type, range and default. */
function agentFieldLines(): string[] {
  const schemas: Json = {};
  const resolve = (schema: Json): Json =>
    typeof schema.$ref === 'string'
      ? { ...resolve(schemas[schema.$ref.replace(componentPrefix, '')] as Json), ...schema, $ref: undefined }
      : schema;
  const rootOf = (given: z.ZodType, io: 'input' | 'output') => resolve(schemaOf(given, io, schemas));
  const created = propertiesOf(rootOf(createAgentBody, 'input'));
  const lines = (schema: Json, path: string): string[] =>
    Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
      const field = resolve(withoutNull(resolve(property)));
      const required = (schema.required ?? []) as string[];
      const facts = [
        typeOf(field),
        ...rangeOf(field),
        ...(isNullable(resolve(property)) ? ['or null'] : []),
        ...(required.includes(name) ? [] : ['optional']),
        ...defaultOf(path === '' ? created[name] : undefined),
      ];
      const description = String(resolve(property).description ?? field.description ?? '');
      const item = field.type === 'array' ? resolve((field.items ?? {}) as Json) : field;
      const inner = `${path}${name}${field.type === 'array' ? '[]' : ''}.`;
      return [`- \`${path}${name}\` (${facts.join(', ')}): ${description}`, ...lines(item, inner)];
    });
  return lines(rootOf(agent, 'output'), '');
}

function propertiesOf(schema: Json): Record<string, Json> {
  return (schema.properties ?? {}) as Record<string, Json>;
}

/** What a value is if it is not null. */
function withoutNull(schema: Json): Json {
  const parts = (schema.anyOf ?? []) as Json[];
  return parts.find(({ type }) => type !== 'null') ?? schema;
}

function isNullable(schema: Json): boolean {
  return ((schema.anyOf ?? []) as Json[]).some(({ type }) => type === 'null');
}

function typeOf({ type, enum: values }: Json): string {
  if (Array.isArray(values)) return `one of ${values.filter((value) => value !== null).join(', ')}`;
  return typeof type === 'string' ? type : 'any JSON';
}

function rangeOf({ minimum, maximum, minLength, maxLength, maxItems }: Json): string[] {
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`];
  if (minimum !== undefined) return [`from ${minimum}`];
  if (maxLength !== undefined) return [`${minLength ?? 0} to ${maxLength} characters`];
  return maxItems === undefined ? [] : [`up to ${maxItems} items`];
}

function defaultOf(schema: Json | undefined): string[] {
  return schema?.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`];
}
