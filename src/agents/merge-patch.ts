type Json = unknown;

/** JSON Merge Patch (RFC 7396): objects are merged, null takes away, everything else replaces. Neither side is changed. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), value));
  }
  // By way of a map, because assigning a member called __proto__ would set the prototype instead.
  return Object.fromEntries(result);
}

export function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
