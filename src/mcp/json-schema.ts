import type { Tool as ToolDescription } from '@modelcontextprotocol/server';
import { z } from 'zod';

export type JsonSchema = ToolDescription['inputSchema'];

/** The input schema, without `$ref`, which not every client supports. */
export function inputSchemaOf(schema: z.ZodObject): JsonSchema {
  return convert(schema, 'input');
}

/**
 * The output schema. Clients drop results that do not match it, so it allows additional fields: a newer service may send
 * some that this version does not know.
 */
export function outputSchemaOf(schema: z.ZodObject): JsonSchema {
  return open(convert(schema, 'output')) as JsonSchema;
}

function convert(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, $defs: definitions = {}, ...own } = z.toJSONSchema(schema, { io });
  return inline(own, definitions) as JsonSchema;
}

function inline(value: unknown, definitions: Readonly<Record<string, unknown>>): unknown {
  return mapObjects(value, (object) => {
    const { $ref: reference, ...rest } = object;
    if (typeof reference !== 'string') return object;
    return { ...(inline(definitions[reference.replace('#/$defs/', '')], definitions) as object), ...rest };
  });
}

function open(value: unknown): unknown {
  return mapObjects(value, ({ additionalProperties, ...rest }) =>
    additionalProperties === undefined || additionalProperties === false ? rest : { ...rest, additionalProperties },
  );
}

type Json = Record<string, unknown>;

/** Top-down, so that replacement objects are visited as well. */
function mapObjects(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(change(value as Json)).map(([name, part]) => [name, mapObjects(part, change)]),
  );
}
