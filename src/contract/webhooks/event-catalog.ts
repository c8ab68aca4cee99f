import { z } from 'zod';
import { newCallExample } from '../calls/examples.ts';
import { exampleOf, type Json, schemaOf } from '../json-schema.ts';
import { type EventType, eventTypes } from './event-types.ts';
import { descriptionOfEvent, type EventBody, eventBodies } from './events.ts';

export interface EventTypeEntry {
  readonly name: EventType;
  readonly description: string;
  /** The JSON Schema of the body. */
  readonly schema: Json;
  readonly example: EventBody;
}

/** An example of the body of each type, assembled from the examples of its fields. */
export function exampleBody(type: EventType): EventBody {
  const schemas: Json = {};
  const body = exampleOf(schemaOf(eventBodies[type], 'output', schemas), schemas) as EventBody & { data: Json };
  if (type !== 'call_started') return body;
  const ongoing = { ...newCallExample, status: 'ongoing', startedAt: body.timestamp, access: null };
  return { ...body, data: { call: { ...(body.data.call as Json), ...ongoing } } } as unknown as EventBody;
}

/** Every type of event with its body, from the schemas that the bodies are written with. */
export function eventCatalog(): readonly EventTypeEntry[] {
  return eventTypes.map((name) => ({
    name,
    description: descriptionOfEvent(name),
    schema: z.toJSONSchema(eventBodies[name]) as Json,
    example: exampleBody(name),
  }));
}
