import { exampleBody } from '../webhooks/event-catalog.ts';
import { type EventType, eventTypes } from '../webhooks/event-types.ts';
import { descriptionOfEvent, eventBodies } from '../webhooks/events.ts';
import { type Json, schemaOf } from './json-schema.ts';

/** The requests that the service sends to webhooks, as OpenAPI 3.1 describes them. */
export function describeWebhooks(schemas: Json): Json {
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
