import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../contract/json-object.ts';
import { fieldName } from './agent-file.ts';
import type { Content } from './content.ts';
import type { Path } from './document.ts';

/** A difference; a value is undefined if it is absent on that side. */
export interface FieldChange {
  readonly path: Path;
  readonly from: unknown;
  readonly to: unknown;
}

/** The differences, as deep as possible. Lists of plain values are compared as one value. */
export function changesBetween(from: unknown, to: unknown, path: Path = []): FieldChange[] {
  if (isDeepStrictEqual(from, to)) return [];
  const [inFrom, inTo] = [membersOf(from), membersOf(to)];
  if (inFrom !== null && inTo !== null) {
    const names = [...new Set([...Object.keys(inTo), ...Object.keys(inFrom)])];
    if (names.length > 0) {
      return names.flatMap((name) => changesBetween(own(inFrom, name), own(inTo, name), [...path, name]));
    }
  }
  if (Array.isArray(from) && Array.isArray(to) && [...from, ...to].every(isObject)) {
    const longest = Math.max(from.length, to.length);
    return Array.from({ length: longest }, (_, index) =>
      changesBetween(from[index], to[index], [...path, index]),
    ).flat();
  }
  return [{ path, from, to }];
}

/** An absent object has no members; null if the value is not an object. */
function membersOf(value: unknown): Members | null {
  if (value === undefined) return {};
  return isObject(value) ? value : null;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The merge patch that turns an agent into the content of the file. Impossible if it has to set a null inside
 * `agentSettings`, because null removes a member in a merge patch (RFC 7396).
 */
export function patchBetween(
  from: Content,
  to: Content,
): { readonly patch: Record<string, unknown> } | { readonly impossible: string } {
  const nulls: Path[] = [];
  const patch = patchOf(from, to, [], nulls);
  if (nulls[0] === undefined) return { patch };
  const field = fieldName(nulls[0]);
  return {
    impossible: `${field} cannot be set to null by an update: remove it, or create a new agent from another file`,
  };
}

function patchOf(from: Members, to: Members, path: Path, nulls: Path[]): Record<string, unknown> {
  const patch = new Map<string, unknown>();
  for (const name of new Set([...Object.keys(to), ...Object.keys(from)])) {
    const [was, is] = [own(from, name), own(to, name)];
    if (isDeepStrictEqual(was, is)) continue;
    const place = [...path, name];
    // Outside of agentSettings, null is a regular value of the field and is patched as such.
    if (is === null && place[0] === 'agentSettings') nulls.push(place);
    patch.set(name, isObject(is) ? patchOf(isObject(was) ? was : {}, is, place, nulls) : (is ?? null));
  }
  // Collected in a map, because assigning a member called __proto__ would set the prototype.
  return Object.fromEntries(patch);
}

/** Own properties only, since every object inherits a `constructor`. */
function own(object: Members, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
