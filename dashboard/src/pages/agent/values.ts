import type { Agent, CreateAgent, UpdateAgent } from '../../../../sdk/src/index.ts';
import { type Field, type FieldName, fields } from './fields.ts';

/** What the form holds, field by field. Undefined: not set. */
export type Values = Readonly<Record<FieldName, unknown>>;

/** What was typed and is not yet what it has to be: half a number, JSON without its end. */
export class Unreadable {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What the service takes where nothing is given. */
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

/** Every object seems to have a `constructor`: only what is its own counts. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function changedFields(before: Values, after: Values): readonly Field[] {
  return fields.filter(({ name }) => !isSame(before[name], after[name]));
}

/** A new agent: what has to be given, and what is not as the service would have it by itself. */
export function createBody(values: Values): CreateAgent {
  const body = {};
  for (const field of fields) {
    const value = values[field.name];
    const isTold = field.rules.isRequired || !isSame(value, defaultOf(field));
    // Null is what an agent has where nothing was given.
    if (isTold && value !== undefined && value !== null) put(body, field.name, value);
  }
  return body as CreateAgent;
}

/** Only what has changed, in the shape of the agent, as a JSON Merge Patch. */
export function patchBetween(before: Values, after: Values): UpdateAgent {
  const patch = {};
  for (const { name } of changedFields(before, after)) put(patch, name, mergePatch(before[name], after[name]));
  return patch as UpdateAgent;
}

/** Not by assignment, which does something else with `__proto__`. */
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

/** What makes the one of the other (RFC 7396): null takes away, objects are merged, everything else replaces. */
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

/** Whether a merge patch can say it: it has no word for a null inside an object that was not there before. */
export function canBePatched(before: unknown, after: unknown): boolean {
  if (!isObject(after)) return true;
  return Object.entries(after).every(([name, value]) => {
    const was = isObject(before) ? own(before, name) : undefined;
    return isSame(was, value) || (value !== null && canBePatched(was, value));
  });
}

/** Everything that is set, to give another agent the same. */
export function fullPatch(values: Values): UpdateAgent {
  const patch = {};
  for (const { name } of fields) if (values[name] !== undefined) put(patch, name, values[name]);
  return patch as UpdateAgent;
}
