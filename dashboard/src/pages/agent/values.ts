import type { Agent, CreateAgent, UpdateAgent } from '../../../../sdk/src/index.ts';
import { type Field, type FieldName, fields } from './fields.ts';

/** The values of the form by field. Undefined: not set. */
export type Values = Readonly<Record<FieldName, unknown>>;

/** Input that is not valid yet, such as an incomplete number or JSON. */
export class Unreadable {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The defaults of the service. */
export function defaultOf({ rules }: Field): unknown {
  if (rules.default !== undefined) return rules.default;
  return rules.isNullable ? null : undefined;
}

export function defaultValues(): Values {
  return build((field) => (field.rules.isRequired ? '' : defaultOf(field)));
}

export function valuesOf(agent: Agent): Values {
  return build(({ name }) => at(agent, name.split('.')));
}

/** The values of an agent that names only what differs from the defaults, such as one in a file. */
export function valuesFrom(agent: unknown): Values {
  return build((field) => at(agent, field.name.split('.')) ?? (field.rules.isRequired ? '' : defaultOf(field)));
}

function build(makeValue: (field: Field) => unknown): Values {
  return Object.fromEntries(fields.map((field) => [field.name, makeValue(field)])) as Values;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unreadable);
}

export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (one instanceof Unreadable && other instanceof Unreadable) return one.text === other.text;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(own(one, name), own(other, name)));
}

/** Own properties only, since every object inherits a `constructor`. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function changedFields(before: Values, after: Values): readonly Field[] {
  return fields.filter(({ name }) => !isSame(before[name], after[name]));
}

/** The body of a new agent: required fields, and those that differ from the default. */
export function createBody(values: Values): CreateAgent {
  const body = {};
  for (const field of fields) {
    const value = values[field.name];
    const isTold = field.rules.isRequired || !isSame(value, defaultOf(field));
    // Null means "not set" in a response.
    if (isTold && value !== undefined && value !== null) put(body, field.name, value);
  }
  return body as CreateAgent;
}

/** The changes as a JSON Merge Patch with the structure of the agent. */
export function patchBetween(before: Values, after: Values): UpdateAgent {
  const patch = {};
  for (const { name } of changedFields(before, after)) put(patch, name, mergePatch(before[name], after[name]));
  return patch as UpdateAgent;
}

/** Plain assignment would set the prototype for a name such as `__proto__`. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

function put(target: Record<string, unknown>, name: string, value: unknown): void {
  const path = name.split('.');
  const last = path.pop() as string;
  let inner = target;
  for (const part of path) {
    if (!isObject(inner[part])) define(inner, part, {});
    inner = inner[part] as Record<string, unknown>;
  }
  define(inner, last, value);
}

/** The merge patch that turns one value into the other (RFC 7396). */
function mergePatch(before: unknown, after: unknown): unknown {
  if (after === undefined) return null;
  if (!isObject(before) || !isObject(after)) return after;
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [own(before, name), own(after, name)];
    if (!isSame(was, is)) define(patch, name, mergePatch(was, is));
  }
  return patch;
}

/** Whether a merge patch can express the change: it cannot set a null inside an object. */
export function canBePatched(before: unknown, after: unknown): boolean {
  if (!isObject(after)) return true;
  return Object.entries(after).every(([name, value]) => {
    const was = isObject(before) ? own(before, name) : undefined;
    return isSame(was, value) || (value !== null && canBePatched(was, value));
  });
}

/** All values that are set, to copy them to another agent. */
export function fullPatch(values: Values): UpdateAgent {
  const patch = {};
  for (const { name } of fields) if (values[name] !== undefined) put(patch, name, values[name]);
  return patch as UpdateAgent;
}
