import { operations } from './index.ts';

/** The interface in a page of plain text, for language models that are to use it. */
export function buildLlmsText(): string {
  const list = operations.map(
    ({ method, path, summary, scope, description }) =>
      `- \`${method} ${path}\`: ${summary}. ${scope === null ? 'Any key' : `Scope \`${scope}\``}. ${description}`,
  );
  return `# Voice Agent Service

> A self-hosted REST API that holds voice agents. JSON over HTTP, scoped to the workspace of the API key.

- Send the key as \`Authorization: Bearer <API_KEY>\` or as \`X-API-Key: <API_KEY>\`.
- Every error has the body \`{"error":{"code","message","details","requestId"}}\`. For \`VALIDATION_ERROR\`, \`details.fieldErrors\` maps each field to its messages: mend all of them, then send again.
- Lists: send \`pagination.nextCursor\` as \`cursor\`, with the same \`limit\`, until it is null. Never make or change a cursor.
- Send a new UUID as \`Idempotency-Key\` with every POST: a repeat under the same key has no second effect.
- To change an agent, read it, and send its \`ETag\` as \`If-Match\`. On 409 read it again.
- On 429 and 503 wait for \`Retry-After\` seconds.

## Operations

${list.join('\n')}

## More

- [OpenAPI 3.1](/openapi.json): every field with its meaning, range, default and example
- [Reference](/docs/): the same for people
`;
}
