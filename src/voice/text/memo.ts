import { LRUCache } from 'lru-cache';

/** More than a service uses at a time, and a bound: languages and time zones come from callers. */
const maxEntries = 64;

/**
 * Remembers the results of a pure function. For `Intl` objects, which take up to a millisecond to create, and for tables
 * that are derived from others: results are the same with and without it, so it is not state that anyone can observe.
 */
export function memo<Value extends object>(create: (key: string) => Value): (key: string) => Value {
  let cache: LRUCache<string, Value> | undefined;
  return (key) => {
    cache ??= new LRUCache({ max: maxEntries });
    let value = cache.get(key);
    if (value === undefined) {
      value = create(key);
      cache.set(key, value);
    }
    return value;
  };
}
