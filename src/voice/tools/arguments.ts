import { type OutputUnit, validate as validateWithLibrary } from '@cfworker/json-schema';
import { RE2JS } from 're2js';
import { isObject } from '../../contract/json-object.ts';
import type { Issue } from '../../core/issues.ts';
import {
  assertions,
  listOfSchemas,
  mapOfSchemas,
  oneSchema,
  type PlacedSchema,
  type Schema,
  type SchemaObject,
  schemasIn,
} from './json-schema.ts';

const maxArgumentBytes = 32 * 1024;
const maxIssues = 20;

/** In draft 2020-12 a format asserts nothing by itself. These do here, because a model often gets them wrong. */
const assertedFormats = new Set(['date', 'date-time', 'email', 'uuid']);

/** Keywords whose issues repeat the one that is reported for the part itself. */
const wrappers = new Set([
  'additionalProperties',
  'allOf',
  'dependentSchemas',
  'if',
  'items',
  'patternProperties',
  'prefixItems',
  'properties',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

export type ArgumentCheck = (given: unknown) => readonly Issue[];

/** The check of arguments against a schema in which `parametersIssues` finds nothing. */
export function compileParameters(root: SchemaObject): ArgumentCheck {
  const schemas = schemasIn(root);
  const patterns = new Map<string, RE2JS>();
  const isMatch = (pattern: string, text: string): boolean => {
    const compiled = patterns.get(pattern) ?? RE2JS.compile(pattern);
    patterns.set(pattern, compiled);
    return compiled.test(text);
  };
  return (given) => {
    if (!isObject(given)) return [{ path: [], message: 'must be an object' }];
    if (Buffer.byteLength(JSON.stringify(given)) > maxArgumentBytes) {
      return [{ path: [], message: 'must be at most 32 KiB as JSON' }];
    }
    const texts = textsIn(given);
    const literal = (pattern: string) => literalPattern(texts.filter((text) => isMatch(pattern, text)));
    const schema = expanded(root, schemas, literal);
    const { valid, errors } = validateWithLibrary(given, schema as object, '2020-12', undefined, false);
    return valid ? [] : issuesOf(errors);
  };
}

/**
 * The schema for the library: references are resolved, and only known keywords are left.
 *
 * The library matches patterns with JavaScript's engine, in which a partner's pattern could run for minutes and block
 * every call. So RE2 decides which texts of the arguments match a pattern, and the library gets one with exactly those.
 */
function expanded(
  schema: Schema,
  schemas: ReadonlyMap<string, PlacedSchema>,
  literal: (pattern: string) => string,
): Schema {
  if (typeof schema === 'boolean') return schema;
  const inner = (child: unknown) => expanded(child as Schema, schemas, literal);
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(assertions.shape)) if (Object.hasOwn(schema, name)) result[name] = schema[name];
  for (const name of oneSchema) if (schema[name] !== undefined) result[name] = inner(schema[name]);
  for (const name of listOfSchemas) {
    if (schema[name] !== undefined) result[name] = (schema[name] as readonly unknown[]).map(inner);
  }
  for (const name of mapOfSchemas) {
    if (schema[name] === undefined || name === '$defs' || name === 'definitions') continue;
    const entries = Object.entries(schema[name] as SchemaObject);
    result[name] = Object.fromEntries(
      entries.map(([key, child], index) => [
        // Patterns that match the same texts would be the same key: a group that matches nothing tells them apart.
        name === 'patternProperties' ? literal(key) + '(?:)'.repeat(index) : key,
        inner(child),
      ]),
    );
  }
  if (typeof schema.pattern === 'string') result.pattern = literal(schema.pattern);
  if (!assertedFormats.has(String(schema.format))) delete result.format;
  const target = schemas.get(String(schema.$ref));
  if (schema.$ref !== undefined && target !== undefined) {
    delete result.$ref;
    result.allOf = [inner(target.schema), ...((result.allOf as unknown[]) ?? [])];
  }
  return result;
}

/** Every string in the arguments, and the names in them. */
function textsIn(given: unknown): string[] {
  const texts = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string') texts.add(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      for (const [name, part] of Object.entries(value)) {
        texts.add(name);
        visit(part);
      }
    }
  };
  visit(given);
  return [...texts];
}

/** A pattern that matches these texts and no others. */
function literalPattern(texts: readonly string[]): string {
  if (texts.length === 0) return '(?!)';
  return `^(?:${texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')})$`;
}

function issuesOf(errors: readonly OutputUnit[]): Issue[] {
  const issues = new Map<string, Issue>();
  for (const { instanceLocation, keyword, error } of errors) {
    if (wrappers.has(keyword)) continue;
    const path = instanceLocation.split('/').slice(1).map(nameIn);
    const message = keyword === 'false' ? 'is not allowed' : messageOf(error);
    issues.set(`${instanceLocation} ${message}`, { path, message });
  }
  // Some keywords report nothing for the part itself.
  if (issues.size === 0) issues.set('', { path: [], message: 'does not match the parameters of the tool' });
  return [...issues.values()].slice(0, maxIssues);
}

/** The library writes sentences about an "instance"; an issue continues the name of a field. */
function messageOf(error: string): string {
  const text = error.replace(/^(Instance|String) /, '').replace(/\.$/, '');
  return text.startsWith('type ') ? `has the ${text.replace(' is invalid. Expected', ', expected')}` : text;
}

/** Locations are JSON Pointers in a URI fragment. */
function nameIn(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
