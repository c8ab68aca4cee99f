import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { isObject } from '../../contract/json-object.ts';
import { check, type Issue, type Issues, maxIssues } from '../../core/issues.ts';
import { BodyError, type BodyRules, findUnstorable, parseJsonBody, textIssue } from './body.ts';
import type { Parameter } from './query.ts';
import { unwrapped } from './schema.ts';

/** What to do with names that are not known: they are reported as issues, or collected. */
export interface UnknownNames {
  readonly isStrict: boolean;
  readonly ignored: PropertyKey[][];
}

/** The query values, with whole numbers converted. */
export function readParameters(
  schema: z.ZodObject,
  wholeNumbers: ReadonlySet<string>,
  given: ReadonlyMap<string, Parameter>,
  unknown: UnknownNames,
  issues: Issues,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const invalid = new Set<string>();
  const report = (name: string, message: string): void => {
    invalid.add(name);
    issues.add({ path: [name], message });
  };
  for (const [name, parameter] of given) {
    if (!Object.hasOwn(schema.shape, name)) {
      if (unknown.isStrict) report(name, 'is not a parameter of this operation');
      else unknown.ignored.push([name]);
      continue;
    }
    if ('issue' in parameter) {
      report(name, parameter.issue);
      continue;
    }
    const issue = textIssue(parameter.value);
    if (issue !== undefined) report(name, issue);
    // Digits only: Number() would also accept signs, spaces, exponents and hexadecimal numbers.
    else if (wholeNumbers.has(name) && !/^\d{1,15}$/.test(parameter.value))
      report(name, 'must be an integer, written in digits only');
    values[name] = wholeNumbers.has(name) ? Number(parameter.value) : parameter.value;
  }
  return parseWith(schema, values, issues, invalid);
}

const minBytesToCount = 16 * 1024;

/** `sent` is the body as it was sent; empty if it is not a JSON object. */
export async function readBody(
  schema: z.ZodObject,
  source: { readonly headers: IncomingHttpHeaders; receiveBody(): Promise<Buffer> },
  rules: BodyRules,
  unknown: UnknownNames,
  issues: Issues,
): Promise<Readonly<Record<'sent' | 'value', Record<string, unknown>>>> {
  try {
    const bytes = await source.receiveBody();
    const body = parseJsonBody(source.headers, bytes, rules);
    for (const issue of findUnstorable(body)) issues.add(issue);
    for (const path of unknownFields(schema, body)) {
      if (unknown.isStrict) issues.add({ path, message: 'is not a known field' });
      else unknown.ignored.push(path);
    }
    // A short body cannot contain enough items to be worth counting first.
    const inner = bytes.length < minBytesToCount ? [] : issuesOfInnerLists(schema, body);
    if (inner.length < maxIssues) return { sent: body, value: parseWith(schema, body, issues, new Set()) };
    for (const issue of inner) issues.add(issue);
    return { sent: body, value: {} };
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    issues.add({ path: [], message: error.message });
    return { sent: {}, value: {} };
  }
}

/** `alreadyInvalid`: fields that already have an issue; further schema issues about them are skipped. */
function parseWith(
  schema: z.ZodObject,
  value: unknown,
  issues: Issues,
  alreadyInvalid: ReadonlySet<string>,
): Record<string, unknown> {
  const result = check(schema, value);
  if ('value' in result) return result.value;
  for (const issue of result.issues) {
    if (!alreadyInvalid.has(String(issue.path[0]))) issues.add(issue);
  }
  return {};
}

/** The names of the parameters that are more than a text, according to the public JSON Schema. */
export interface ParameterTypes {
  readonly wholeNumbers: ReadonlySet<string>;
  readonly lists: ReadonlySet<string>;
}

export function parameterTypesOf(query: z.ZodObject): ParameterTypes {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  const ofType = (type: string) =>
    new Set(Object.keys(properties).filter((name) => (properties[name] as { type?: unknown }).type === type));
  return { wholeNumbers: ofType('integer'), lists: ofType('array') };
}

/** Paths in the body that the schema does not define, at any depth, up to the number that is reported. */
function unknownFields(schema: z.ZodObject, body: Record<string, unknown>): PropertyKey[][] {
  const found: PropertyKey[][] = [];
  /** The current path, mutated during the traversal. */
  const path: PropertyKey[] = [];
  const visitMembers = (known: z.ZodObject, value: Record<string, unknown>): void => {
    for (const key of Object.keys(value)) {
      if (found.length >= maxIssues) return;
      path.push(key);
      if (Object.hasOwn(known.shape, key)) visit(unwrapped(known.shape[key]), value[key]);
      else found.push([...path]);
      path.pop();
    }
  };
  const visit = (known: unknown, value: unknown): void => {
    if (known instanceof z.ZodObject && isObject(value)) visitMembers(known, value);
    if (known instanceof z.ZodDiscriminatedUnion && isObject(value)) visit(optionOf(known, value), value);
    if (!(known instanceof z.ZodArray) || !Array.isArray(value)) return;
    // Hoisted out of the loop: unwrapping a schema takes longer than checking a small item.
    const element = unwrapped(known.element);
    const isOfObjects = element instanceof z.ZodObject;
    if (!isOfObjects && !(element instanceof z.ZodArray || element instanceof z.ZodDiscriminatedUnion)) return;
    for (let index = 0; index < value.length && found.length < maxIssues; index += 1) {
      const item: unknown = value[index];
      path.push(index);
      if (!isOfObjects) visit(element, item);
      else if (isObject(item)) visitMembers(element, item);
      path.pop();
    }
  };
  visitMembers(schema, body);
  return found;
}

/** The schema that a value of a union names; undefined if it names none. */
function optionOf({ def }: z.ZodDiscriminatedUnion, value: Record<string, unknown>): unknown {
  return def.options.find((option) => {
    const name = option instanceof z.ZodObject ? option.shape[def.discriminator] : undefined;
    return name instanceof z.ZodLiteral && name.values.has(value[def.discriminator] as string);
  });
}

/**
 * Issues with strings in nested lists, such as the options of findings, up to the number that is reported. Each list
 * has a limit, but together they may hold as many strings as fit into a body, and the schema takes half a second to
 * report that many.
 */
function issuesOfInnerLists(schema: z.ZodObject, body: Record<string, unknown>): Issue[] {
  const issues: Issue[] = [];
  for (const [field, list] of listsOf(schema)) {
    const element = unwrapped(list.element);
    const items = body[field];
    if (!(element instanceof z.ZodObject) || !isWithinMax(list, items)) continue;
    for (const [name, innerList] of listsOf(element)) {
      for (const [index, item] of items.entries()) {
        const texts = isObject(item) ? item[name] : undefined;
        if (isWithinMax(innerList, texts)) addIssues(issues, innerList.element, texts, [field, index, name]);
        if (issues.length >= maxIssues) return issues;
      }
    }
  }
  return issues;
}

function addIssues(issues: Issue[], schema: z.core.$ZodType, texts: readonly unknown[], path: PropertyKey[]): void {
  const text = unwrapped(schema);
  if (!(text instanceof z.ZodString)) return;
  const { minLength = 0, maxLength = 0 } = text.meta() ?? {};
  for (const [index, item] of texts.entries()) {
    if (issues.length >= maxIssues) return;
    // Fast path for valid items; the schema decides about the rest.
    if (typeof item === 'string' && item.length >= Number(minLength) && item.length <= Number(maxLength)) continue;
    const result = check(text, item);
    if ('issues' in result) issues.push(...result.issues.map(({ message }) => ({ path: [...path, index], message })));
  }
}

function listsOf(schema: z.ZodObject): [string, z.ZodArray][] {
  return Object.entries(schema.shape).flatMap(([name, field]): [string, z.ZodArray][] => {
    const list = unwrapped(field);
    return list instanceof z.ZodArray ? [[name, list]] : [];
  });
}

/** A list that is too long is reported as such, without its items. */
function isWithinMax(list: z.ZodArray, value: unknown): value is unknown[] {
  if (!Array.isArray(value)) return false;
  const limits = (list.def.checks ?? []).map((one) => one._zod.def as { readonly maximum?: number });
  return limits.every(({ maximum = Number.POSITIVE_INFINITY }) => value.length <= maximum);
}
