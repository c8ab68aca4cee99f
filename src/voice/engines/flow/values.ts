import { fill, fitted, type Room, variableNames, type Warn, warnUnknown } from '../../text/variables.ts';
import type { Scalar } from '../../variables.ts';

export type Lookup = (name: string) => Scalar | undefined;

const onlyName = /^\{\{([^{}]+)\}\}$/;

/**
 * A JSON value with stored values in place of names: `"{{guests}}"` alone keeps the type, as the number 2. Without a
 * value it is null, because a tool would take a visible `{{guests}}` for what the caller said. All of its texts share the
 * room.
 */
export function fillValue(value: unknown, lookup: Lookup, warn: Warn, room: Room): unknown {
  if (typeof value === 'string') {
    const name = onlyName.exec(value)?.[1]?.trim();
    if (name === undefined || name === '') return fill(value, lookup, warn, room);
    const found = lookup(name);
    if (found === undefined) warnUnknown(warn, name);
    return typeof found === 'string' ? fitted(found, room, warn) : (found ?? null);
  }
  if (Array.isArray(value)) return value.map((item) => fillValue(item, lookup, warn, room));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillValue(inner, lookup, warn, room)]));
}

export function namesInValue(value: unknown): string[] {
  if (typeof value === 'string') return variableNames(value);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(namesInValue);
}
