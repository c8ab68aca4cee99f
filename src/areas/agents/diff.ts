import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../contract/json-object.ts';

/** One operation in JSON Patch (RFC 6902) terms. `from` is the previous value, which is not part of the RFC. */
export interface Change {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly from?: unknown;
  readonly value?: unknown;
}

/** The maximum total length of paths for the changes within one field. */
const maxPathLength = 1024 * 1024;

/**
 * The changes from `before` to `after`, field by field. Lists are replaced as a whole, and so are objects whose
 * changes would consist mostly of paths: each path repeats all parent names, and a name may be as long as a document.
 */
export function diff(before: Record<string, unknown>, after: Record<string, unknown>, path = ''): Change[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].flatMap((name): Change[] => {
    const place = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const [was, is] = [own(before, name), own(after, name)];
    if (was === undefined) return [{ op: 'add', path: place, value: is }];
    if (is === undefined) return [{ op: 'remove', path: place, from: was }];
    if (isObject(was) && isObject(is)) {
      const within = diff(was, is, place);
      if (within.reduce((length, change) => length + change.path.length, 0) <= maxPathLength) return within;
    }
    return isDeepStrictEqual(was, is) ? [] : [{ op: 'replace', path: place, from: was, value: is }];
  });
}

/** Own properties only: every object inherits a `constructor`. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
