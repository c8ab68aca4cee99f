import { z } from 'zod';
import { patternIssues } from '../../contract/agents/patterns.ts';
import { isObject } from '../../contract/json-object.ts';
import { check, type Issue } from '../../core/issues.ts';

/** A subschema: an object, or true or false. */
export type Schema = boolean | SchemaObject;
export type SchemaObject = { readonly [keyword: string]: unknown };

/** The keywords that contain other schemas. */
export const oneSchema = [
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const;
export const listOfSchemas = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
export const mapOfSchemas = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'] as const;

/** References over more than one document, and what later drafts have replaced. */
const unsupported = [
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$recursiveAnchor',
  '$recursiveRef',
  'additionalItems',
  'dependencies',
] as const;

const type = z.enum(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const count = z.int().min(0);
const names = z.array(z.string());

/** The keywords that assert something themselves. The library takes any value for them, and then never complains. */
export const assertions = z
  .looseObject({
    $ref: z.string(),
    const: z.unknown(),
    dependentRequired: z.record(z.string(), names),
    enum: z.array(z.unknown()).min(1),
    exclusiveMaximum: z.number(),
    exclusiveMinimum: z.number(),
    format: z.string(),
    maxContains: count,
    maxItems: count,
    maxLength: count,
    maxProperties: count,
    maximum: z.number(),
    minContains: count,
    minItems: count,
    minLength: count,
    minProperties: count,
    minimum: z.number(),
    multipleOf: z.number().refine((value) => value > 0, 'must be greater than 0'),
    pattern: z.string(),
    required: names,
    type: z.union([type, z.array(type).min(1)], { error: `must be one of: ${type.options.join(', ')}, or a list` }),
    uniqueItems: z.boolean(),
  })
  .partial();

/** With references resolved. Without this limit, a few references to references would make millions of schemas. */
const maxSubschemas = 5000;

/** Everything that prevents a JSON Schema (draft 2020-12) from being used for arguments, each with its path. */
export function parametersIssues(root: SchemaObject): readonly Issue[] {
  const issues: Issue[] = [];
  const schemas = schemasIn(root, issues);
  if (root.type !== undefined && root.type !== 'object') issues.push({ path: ['type'], message: 'must be object' });
  issues.push(...patternIssuesIn(schemas));
  for (const { path, schema } of schemas.values()) {
    if (typeof schema === 'object' && typeof schema.$ref === 'string' && !schemas.has(schema.$ref)) {
      issues.push({ path: [...path, '$ref'], message: 'must refer to a schema in this one, such as #/$defs/name' });
    }
  }
  if (issues.length > 0) return issues;
  const size = sizeOf(root, schemas, new Map());
  if (size === 'recursive') return [{ path: [], message: 'must not contain a schema that refers to itself' }];
  return size > maxSubschemas ? [{ path: [], message: 'has too many references to other references' }] : [];
}

export interface PlacedSchema {
  readonly path: readonly PropertyKey[];
  readonly schema: Schema;
}

/** Every subschema, by the reference that leads to it: `#` for the whole, `#/properties/day`. */
export function schemasIn(root: SchemaObject, issues: Issue[] = []): Map<string, PlacedSchema> {
  const found = new Map<string, PlacedSchema>();
  const visit = (schema: unknown, path: readonly PropertyKey[]): void => {
    if (typeof schema !== 'boolean' && !isObject(schema)) {
      issues.push({ path, message: 'must be a schema: an object, true or false' });
      return;
    }
    found.set(['#', ...path.map(inReference)].join('/'), { path, schema });
    if (typeof schema === 'boolean') return;
    issues.push(...keywordIssues(schema).map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
    for (const { path: inner, schema: child } of childrenOf(schema)) visit(child, [...path, ...inner]);
  };
  visit(root, []);
  return found;
}

function keywordIssues(schema: SchemaObject): Issue[] {
  const result = check(assertions, schema);
  const issues = 'issues' in result ? [...result.issues] : [];
  const report = (name: string, message: string) => issues.push({ path: [name], message });
  for (const name of unsupported) if (Object.hasOwn(schema, name)) report(name, 'is not supported');
  for (const name of listOfSchemas) {
    const list = schema[name];
    if (list !== undefined && (!Array.isArray(list) || list.length === 0)) report(name, 'must be a list of schemas');
  }
  for (const name of mapOfSchemas) {
    if (schema[name] !== undefined && !isObject(schema[name])) report(name, 'must be an object of schemas');
  }
  return issues;
}

/** The schemas directly inside of one, those of malformed keywords left out. */
export function childrenOf(schema: SchemaObject): { path: PropertyKey[]; schema: unknown }[] {
  return [
    ...oneSchema.flatMap((name) => (schema[name] === undefined ? [] : [{ path: [name], schema: schema[name] }])),
    ...listOfSchemas.flatMap((name) => {
      const list = schema[name];
      return Array.isArray(list) ? list.map((child, index) => ({ path: [name, index], schema: child })) : [];
    }),
    ...mapOfSchemas.flatMap((name) => {
      const map = schema[name];
      return isObject(map) ? Object.entries(map).map(([key, child]) => ({ path: [name, key], schema: child })) : [];
    }),
  ];
}

/** In microseconds. An agent has up to twenty tools, and all of them are compiled when it is published. */
const maxPatternCost = 10_000;

/** Partners' patterns run on RE2, here as everywhere, because it matches in linear time. */
function patternIssuesIn(schemas: ReadonlyMap<string, PlacedSchema>): Issue[] {
  const patterns = [...schemas.values()].flatMap(({ path, schema }) => {
    if (typeof schema === 'boolean') return [];
    const own = typeof schema.pattern === 'string' ? [{ find: schema.pattern, path: [...path, 'pattern'] }] : [];
    const keys = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
    return [...own, ...keys.map((find) => ({ find, path: [...path, 'patternProperties', find] }))];
  });
  const rules = patterns.map(({ find }) => ({ find, isRegex: true }));
  return patternIssues(rules, maxPatternCost).map(({ path: [index], message }) => ({
    path: index === undefined ? [] : (patterns[Number(index)]?.path ?? []),
    message,
  }));
}

/** How many schemas there are once each reference is replaced by what it refers to. */
function sizeOf(
  schema: Schema,
  schemas: ReadonlyMap<string, PlacedSchema>,
  known: Map<Schema, number | 'recursive'>,
): number | 'recursive' {
  if (typeof schema === 'boolean') return 1;
  const before = known.get(schema);
  if (before !== undefined) return before;
  // Seen again before its size is known: it refers to itself.
  known.set(schema, 'recursive');
  const target = typeof schema.$ref === 'string' ? schemas.get(schema.$ref)?.schema : undefined;
  const inside = childrenOf(schema).filter(({ path: [name] }) => name !== '$defs' && name !== 'definitions');
  let size = 1;
  for (const part of [...inside.map((child) => child.schema as Schema), ...(target === undefined ? [] : [target])]) {
    const added = sizeOf(part, schemas, known);
    if (added === 'recursive') return 'recursive';
    size += added;
  }
  known.set(schema, size);
  return size;
}

/** A name in a reference: a JSON Pointer (RFC 6901). Names that would need percent-encoding cannot be referred to. */
function inReference(name: PropertyKey): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}
