/** More than a service uses at a time, and a bound: languages and time zones come from callers. */
const defaultMaxEntries = 64;

/**
 * Remembers the results of a pure function. For `Intl` objects, which take up to a millisecond to create, and for tables
 * that are derived from others: results are the same with and without it, so it is not state that anyone can observe.
 * What was remembered first is forgotten first: a lookup in an LRU cache took a fortieth of a simulation.
 */
export function memo<Value extends object>(
  create: (key: string) => Value,
  maxEntries = defaultMaxEntries,
): (key: string) => Value {
  const values = new Map<string, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = create(key);
    if (values.size >= maxEntries) values.delete(values.keys().next().value as string);
    values.set(key, value);
    return value;
  };
}
