import { z } from 'zod';

export type Json = Record<string, unknown>;

const definitionPrefix = '#/$defs/';
export const componentPrefix = '#/components/schemas/';

/** The JSON Schema of a zod schema. Schemas with an id are added to `schemas` and referenced. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const {
    $schema: _,
    $defs: definitions = {},
    ...own
  } = moveReferences(z.toJSONSchema(schema, { io, override: restoreExamplesAndDefaults }));
  for (const [id, definition] of Object.entries(definitions as Json)) schemas[id] ??= definition;
  return own;
}

/** zod omits them for values that are preprocessed. */
function restoreExamplesAndDefaults({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: Json;
}): void {
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples !== undefined) jsonSchema.examples ??= examples;
  const { def } = zodSchema._zod;
  if (def.type === 'default') jsonSchema.default ??= def.defaultValue;
}

function moveReferences(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll(`"${definitionPrefix}`, `"${componentPrefix}`));
}

/** An example of the whole schema, assembled from the examples of its parts. */
export function exampleOf(schema: Json, schemas: Json): unknown {
  const examples = schema.examples as unknown[] | undefined;
  if (examples !== undefined) return examples[0];
  if ('const' in schema) return schema.const;
  if (typeof schema.$ref === 'string') {
    return exampleOf(schemas[schema.$ref.replace(componentPrefix, '')] as Json, schemas);
  }
  const variants = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(variants)) return exampleOf(variants[0] as Json, schemas);
  if (schema.type === 'array') return [exampleOf(schema.items as Json, schemas)];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property, schemas)]));
}
