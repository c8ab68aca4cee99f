import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { check, type Faults, maxFaults } from '../../core/issues.ts';
import { BodyFault, type BodyRules, findUnstorable, parseJsonBody, textFault } from './body.ts';
import { faultsOfInnerLists } from './inner-lists.ts';
import type { Parameter } from './query.ts';
import { isObject, unwrapped } from './schema.ts';

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

const minBytesToCount = 16 * 1024;

export async function readBody(
  schema: z.ZodObject,
  source: { readonly headers: IncomingHttpHeaders; receiveBody(): Promise<Buffer> },
  rules: BodyRules,
  isStrict: boolean,
  faults: Faults,
): Promise<Record<string, unknown>> {
  try {
    const bytes = await source.receiveBody();
    const body = parseJsonBody(source.headers, bytes, rules);
    for (const fault of findUnstorable(body)) faults.add(fault);
    if (isStrict) for (const path of unknownFields(schema, body)) faults.add({ path, message: 'is not a known field' });
    // A short body cannot hold so many that they have to be counted first.
    const inner = bytes.length < minBytesToCount ? [] : faultsOfInnerLists(schema, body);
    if (inner.length < maxFaults) return parseWith(schema, body, faults, new Set());
    for (const fault of inner) faults.add(fault);
    return {};
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

/** Paths in `value` of which the schema knows nothing, however deep; no more of them than are reported. */
function unknownFields(schema: z.ZodObject, body: Record<string, unknown>): PropertyKey[][] {
  const found: PropertyKey[][] = [];
  /** Where the visit is, one and the same list all along. */
  const path: PropertyKey[] = [];
  const visitMembers = (known: z.ZodObject, value: Record<string, unknown>): void => {
    for (const key of Object.keys(value)) {
      if (found.length >= maxFaults) return;
      path.push(key);
      if (Object.hasOwn(known.shape, key)) visit(unwrapped(known.shape[key]), value[key]);
      else found.push([...path]);
      path.pop();
    }
  };
  const visit = (known: unknown, value: unknown): void => {
    if (known instanceof z.ZodObject && isObject(value)) visitMembers(known, value);
    if (!(known instanceof z.ZodArray) || !Array.isArray(value)) return;
    // Once for all items: to ask a schema for its kind takes longer than to look at a small item.
    const element = unwrapped(known.element);
    const isOfObjects = element instanceof z.ZodObject;
    if (!isOfObjects && !(element instanceof z.ZodArray)) return;
    for (let index = 0; index < value.length && found.length < maxFaults; index += 1) {
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
