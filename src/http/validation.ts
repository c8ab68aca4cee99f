import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { check, type Faults } from '../faults.ts';
import { BodyFault, type BodyRules, findUnstorable, parseJsonBody, textFault } from './body.ts';
import type { Parameter } from './query.ts';

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

export async function readBody(
  schema: z.ZodObject,
  source: { readonly headers: IncomingHttpHeaders; receiveBody(): Promise<Buffer> },
  rules: BodyRules,
  isStrict: boolean,
  faults: Faults,
): Promise<Record<string, unknown>> {
  try {
    const body = parseJsonBody(source.headers, await source.receiveBody(), rules);
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
  const result = check(schema, value);
  if ('value' in result) return result.value;
  for (const fault of result.faults) {
    if (!alreadyFaulty.has(String(fault.path[0]))) faults.add(fault);
  }
  return {};
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
