/** The field metadata of the dashboard's form, derived from the OpenAPI document. */
import { type OpenApiDocument, referencePrefix, type Schema } from './sdk-types.ts';

/** Create has short names for the parts of the engine, and only they have its defaults. */
const shortNames: Readonly<Record<string, string>> = {
  type: 'responseEngineType',
  prompt: 'prompt',
  model: 'llmModel',
};

interface Field {
  readonly type: string;
  readonly description: string;
  readonly [property: string]: unknown;
}

/**
 * The whole file, before formatting. The parts of `responseEngine` are separate fields, because they are merged
 * individually.
 */
export function dashboardFields({ components }: OpenApiDocument): string {
  const { Agent, CreateAgent, UpdateAgent } = withoutReferences(components.schemas);
  const fields: Record<string, Field> = {};
  for (const [name, { not }] of Object.entries(UpdateAgent?.properties ?? {})) {
    if (not !== undefined) continue;
    const schema = propertyOf(Agent, name);
    if (name === 'responseEngine') {
      for (const [part, inner] of Object.entries(schema.properties ?? {})) {
        const given = CreateAgent?.properties?.[shortNames[part] ?? ''];
        fields[`${name}.${part}`] = { ...described(inner), ...presence(schema, part), ...defaultOf(given) };
      }
    } else {
      const given = CreateAgent?.properties?.[name];
      const isRequired = CreateAgent?.required?.includes(name) ? { isRequired: true } : {};
      fields[name] = { ...described(schema), ...presence(Agent, name), ...defaultOf(given), ...isRequired };
    }
  }
  const head = '// Generated from openapi.json by "npm run generate": do not edit.\n';
  return `${head}\nexport const contractFields = ${JSON.stringify(fields)} as const;\n`;
}

type Schemas = Readonly<Record<string, Schema>>;

/** The schemas of agents with the named parts in place. What stands next to a reference has precedence. */
function withoutReferences(schemas: Schemas): Schemas {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref: reference, ...rest } = value as Schema;
    const named = reference === undefined ? {} : schemas[reference.replace(referencePrefix, '')];
    return Object.fromEntries(Object.entries({ ...named, ...rest }).map(([name, part]) => [name, resolve(part)]));
  };
  const names = ['Agent', 'CreateAgent', 'UpdateAgent'];
  return Object.fromEntries(names.map((name) => [name, resolve(schemas[name]) as Schema]));
}

function propertyOf(schema: Schema | undefined, name: string): Schema {
  const property = schema?.properties?.[name];
  if (property === undefined) throw new Error(`an agent has no ${name}, which can be written`);
  return property;
}

/** Absent until it is set, and removed by null. */
function presence(schema: Schema | undefined, name: string): { isOptional?: true } {
  return schema?.required?.includes(name) ? {} : { isOptional: true };
}

function defaultOf(schema: Schema | undefined): { default?: unknown } {
  return schema?.default === undefined ? {} : { default: schema.default };
}

function described(schema: Schema): Field {
  const inner = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  const { enum: options, minimum, maximum, minLength, maxLength, maxItems, items, properties, required } = inner;
  return {
    type: typeof inner.type === 'string' ? inner.type : 'any',
    description: schema.description ?? '',
    ...(schema.anyOf === undefined ? {} : { isNullable: true }),
    ...(options === undefined ? {} : { options }),
    ...Object.fromEntries(
      Object.entries({ minimum, maximum, minLength, maxLength, maxItems }).filter(([, bound]) => bound !== undefined),
    ),
    ...(items === undefined ? {} : { item: described(items) }),
    ...(properties === undefined ? {} : { parts: partsOf(properties, required ?? []) }),
  };
}

function partsOf(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Record<string, Field> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { ...described(schema), ...(required.includes(name) ? {} : { isOptional: true }), ...exampleOf(schema) },
    ]),
  );
}

/** The initial value of a part when its object is first set. */
function exampleOf(schema: Schema & { readonly examples?: readonly unknown[] }): { example?: unknown } {
  return schema.examples === undefined ? {} : { example: schema.examples[0] };
}
