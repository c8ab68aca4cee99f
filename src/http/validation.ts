import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type FieldErrors, validationFailed } from '../errors.ts';
import { BodyFault, type Fault, findUnstorable, parseJsonBody, textFault } from './body.ts';
import type { Parameter } from './query.ts';

/** A request with a thousand faults is told of these many; the rest would only be a way to make us send a lot. */
const mostFaults = 100;

/** Collects every fault of a request, to tell them all at once. */
export class Faults {
  readonly #messages = new Map<string, string[]>();
  #count = 0;

  add({ path, message }: Fault): void {
    if (++this.#count > mostFaults) return;
    const [field = '', ...inner] = path.map(String);
    const text = inner.length === 0 ? message : `${inner.join('.')}: ${message}`;
    const messages = this.#messages.get(field);
    if (messages === undefined) this.#messages.set(field, [text]);
    else if (!messages.includes(text)) messages.push(text);
  }

  throwIfAny(): void {
    if (this.#count === 0) return;
    const whole = this.#messages.get('') ?? [];
    this.#messages.delete('');
    throw validationFailed(Object.fromEntries(this.#messages) as FieldErrors, whole);
  }
}

/** The query's values, with those that the schema wants as whole numbers turned into such. */
export function readParameters(
  schema: z.ZodObject,
  wholeNumbers: ReadonlySet<string>,
  given: ReadonlyMap<string, Parameter>,
  isStrict: boolean,
  faults: Faults,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const faulty = new Set<string>();
  const blame = (name: string, message: string): void => {
    faulty.add(name);
    faults.add({ path: [name], message });
  };
  for (const [name, parameter] of given) {
    if (!Object.hasOwn(schema.shape, name)) {
      if (isStrict) blame(name, 'is not a parameter of this operation');
      continue;
    }
    if ('fault' in parameter) {
      blame(name, parameter.fault);
      continue;
    }
    const fault = textFault(parameter.value);
    if (fault !== undefined) blame(name, fault);
    // Plain digits only: Number() alone would also take signs, spaces, exponents and hexadecimals.
    else if (wholeNumbers.has(name) && !/^\d{1,15}$/.test(parameter.value))
      blame(name, 'must be a whole number in plain digits');
    values[name] = wholeNumbers.has(name) ? Number(parameter.value) : parameter.value;
  }
  return parseWith(schema, values, faults, faulty);
}

export function readBody(
  schema: z.ZodObject,
  request: { readonly headers: IncomingHttpHeaders; readonly body: unknown },
  isStrict: boolean,
  faults: Faults,
): Record<string, unknown> {
  try {
    const body = parseJsonBody(request.headers, request.body as Buffer | undefined);
    for (const fault of findUnstorable(body)) faults.add(fault);
    if (isStrict) for (const path of unknownFields(schema, body)) faults.add({ path, message: 'is not a known field' });
    return parseWith(schema, body, faults, new Set());
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error;
    faults.add({ path: [], message: error.message });
    return {};
  }
}

/** `alreadyFaulty`: fields whose fault has been told; what the schema makes of them adds nothing. */
function parseWith(
  schema: z.ZodObject,
  value: unknown,
  faults: Faults,
  alreadyFaulty: ReadonlySet<string>,
): Record<string, unknown> {
  const result = schema.safeParse(value, { error: (issue) => messageFor(issue as z.core.$ZodRawIssue) });
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    if (!alreadyFaulty.has(String(issue.path[0]))) faults.add(issue);
  }
  return {};
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function messageFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return issue.origin === 'array'
        ? `must have at least ${issue.minimum} items`
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'array' ? `must have at most ${issue.maximum} items` : `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of: ${issue.values.join(', ')}`;
    default:
      return issue.message ?? 'is not valid';
  }
}

/** The names of the object's parameters that are whole numbers, by the JSON Schema that callers see. */
export function wholeNumberNames(jsonSchema: { properties?: Record<string, unknown> }): Set<string> {
  const names = Object.entries(jsonSchema.properties ?? {})
    .filter(([, property]) => (property as { type?: unknown }).type === 'integer')
    .map(([name]) => name);
  return new Set(names);
}

/** Paths in `value` of which the schema knows nothing, however deep. */
function unknownFields(schema: unknown, value: unknown, path: readonly PropertyKey[] = []): PropertyKey[][] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unknownFields(schema.unwrap(), value, path);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownFields(schema.element, item, [...path, index]));
  }
  if (schema instanceof z.ZodObject && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) =>
      Object.hasOwn(schema.shape, key) ? unknownFields(schema.shape[key], inner, [...path, key]) : [[...path, key]],
    );
  }
  return [];
}
