import { operations } from '../index.ts';
import { agentFieldLines } from './llms-fields.ts';

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
