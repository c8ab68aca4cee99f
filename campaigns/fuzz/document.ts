import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/**
 * The subset of JSON Schema that the document uses. Any other keyword aborts the campaign, because it would not be
 * checked.
 */
export interface Schema {
  readonly type?: SchemaType | readonly SchemaType[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

/** An operation as described in openapi.json. */
export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly pattern: RegExp;
  /** The path up to the first parameter, which identifies the type of its ids. */
  readonly collection: string;
  readonly parameters: readonly Parameter[];
  readonly body: {
    readonly schema: Schema;
    readonly mediaTypes: readonly string[];
    readonly isRequired: boolean;
  } | null;
  readonly statuses: ReadonlySet<number>;
  /** The headers of a success, in lower case. */
  readonly successHeaders: readonly string[];
}

interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;
}

interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const checked = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'propertyNames',
  'items',
  'anyOf',
  'not',
  'enum',
  'pattern',
];
const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
const withoutEffect = ['description', 'examples', 'default', 'format', 'title'];
const knownKeywords = new Set([...checked, ...bounds, ...withoutEffect]);

export function readDocument(): DocumentedOperation[] {
  const file = join(import.meta.dirname, '..', '..', 'openapi.json');
  const document = JSON.parse(readFileSync(file, 'utf8')) as RawDocument;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(document, path, method, operation)),
  );
}

function describe(document: RawDocument, path: string, method: string, raw: RawOperation): DocumentedOperation {
  const content = Object.entries(raw.requestBody?.content ?? {});
  const schema = content[0]?.[1].schema;
  const statuses = Object.keys(raw.responses).map(Number);
  const success = raw.responses[String(statuses.find((status) => status < 300))];
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`),
    collection: path.replace(/\/\{.*$/, ''),
    parameters: (raw.parameters ?? []).map((given) => {
      const parameter = '$ref' in given ? sharedParameter(document, given.$ref) : given;
      return { ...parameter, schema: resolve(document, parameter.schema) };
    }),
    body:
      schema === undefined
        ? null
        : {
            schema: resolve(document, schema),
            mediaTypes: content.map(([type]) => type),
            isRequired: raw.requestBody?.required === true,
          },
    statuses: new Set(statuses),
    successHeaders: Object.keys(success?.headers ?? {}).map((name) => name.toLowerCase()),
  };
}

function sharedParameter(document: RawDocument, reference: string): Parameter {
  const parameter = document.components.parameters[reference.replace('#/components/parameters/', '')];
  if (parameter === undefined) throw new Error(`openapi.json refers to ${reference}, which is not there`);
  return parameter;
}

/** The schema with all references resolved. */
function resolve(document: RawDocument, schema: Schema): Schema {
  const { $ref: reference } = schema as { $ref?: string };
  if (reference !== undefined) {
    const target = document.components.schemas[reference.replace('#/components/schemas/', '')];
    if (target === undefined) throw new Error(`openapi.json refers to ${reference}, which is not there`);
    return resolve(document, target);
  }
  const { const: only, oneOf } = schema as { const?: unknown; oneOf?: readonly Schema[] };
  if (only !== undefined) return resolve(document, withoutKeyword(schema, 'const', { enum: [only] }));
  // The options differ in a constant, so that at most one of them matches.
  if (oneOf !== undefined) return resolve(document, withoutKeyword(schema, 'oneOf', { anyOf: oneOf }));
  for (const keyword of Object.keys(schema))
    if (!knownKeywords.has(keyword)) throw new Error(`the fuzz does not know the keyword ${keyword} of openapi.json`);
  const { properties, additionalProperties, propertyNames, items, anyOf, not } = schema;
  return {
    ...schema,
    ...(additionalProperties && { additionalProperties: resolve(document, additionalProperties) }),
    ...(propertyNames && { propertyNames: resolve(document, propertyNames) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, resolve(document, property)]),
      ),
    }),
    ...(items && { items: resolve(document, items) }),
    ...(anyOf && { anyOf: anyOf.map((option) => resolve(document, option)) }),
    ...(not && { not: resolve(document, not) }),
  };
}

/** The same schema, said with another keyword. */
function withoutKeyword(schema: Schema, keyword: string, others: Schema): Schema {
  const rest = Object.entries(schema).filter(([name]) => name !== keyword);
  return { ...Object.fromEntries(rest), ...others };
}

/** Whether the schema accepts a value. */
export function allows(schema: Schema, value: unknown): boolean {
  if (schema.not !== undefined && allows(schema.not, value)) return false;
  if (schema.anyOf !== undefined && !schema.anyOf.some((option) => allows(option, value))) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(type, value))) return false;
  if (typeof value === 'number') return isWithin(value, schema.minimum, schema.maximum);
  if (typeof value === 'string') {
    if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) return false;
    return isWithin(codePoints(value), schema.minLength, schema.maxLength);
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!isWithin(value.length, schema.minItems, schema.maxItems)) return false;
    return items === undefined || value.every((item) => allows(items, item));
  }
  if (typeof value === 'object' && value !== null) {
    if (schema.required?.some((name) => !Object.hasOwn(value, name))) return false;
    const { properties = {}, propertyNames = {}, additionalProperties: others } = schema;
    return Object.entries(value).every(([name, each]) => {
      if (Object.hasOwn(properties, name)) return allows(properties[name] as Schema, each);
      return others === undefined || (others !== false && allows(others, each) && allows(propertyNames, name));
    });
  }
  return true;
}

export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function isOfType(type: SchemaType, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isWithin(value: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return value >= least && value <= most;
}
