import { isDeepStrictEqual } from 'node:util';
import { isObject } from './merge-patch.ts';

/** One step in the words of JSON Patch (RFC 6902); `from` is what was there, which a patch ignores. */
export interface Change {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly from?: unknown;
  readonly value?: unknown;
}

/** The changes within one member come with no more than this of paths. */
const maxPathLength = 1024 * 1024;

/**
 * What has to change in `before` to make it `after`, member by member. Lists are replaced whole, and so are objects whose
 * changes would be mostly paths: each repeats the names of all that it is in, and names may be as long as a document.
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

/** Only what is the object's own: every object seems to have a `constructor`. */
function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
