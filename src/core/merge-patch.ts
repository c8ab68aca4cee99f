import { isObject } from '../contract/json-object.ts';

type Json = unknown;

/**
 * JSON Merge Patch (RFC 7396): objects are merged, null removes, everything else replaces. The arguments are not
 * mutated.
 */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    if (value === null) delete result[name];
    else set(result, name, mergePatch(Object.hasOwn(result, name) ? result[name] : undefined, value));
  }
  return result;
}

function set(object: Record<string, Json>, name: string, value: Json): void {
  // Assigning to __proto__ would set the prototype instead of a property.
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/** Whether both are equal as JSON, regardless of the order of members. */
export function isSameJson(one: Json, other: Json): boolean {
  // Treats -0 as 0, as JSON does.
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((item, index) => isSameJson(item, other[index]))
    );
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}
