import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../core/merge-patch.ts';
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
function membersOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (value === undefined) return {};
  return isObject(value) ? value : null;
}

export type PatchResult = { readonly patch: Record<string, unknown> } | { readonly impossible: string };

class ImpossibleError extends Error {}

/**
 * The merge patch that turns an agent into the content of the file. Impossible if it has to set a null inside
 * `agentSettings`, because null removes a member in a merge patch (RFC 7396).
 */
export function patchBetween(from: Content, to: Content): PatchResult {
  try {
    return { patch: patchOf(from, to, []) };
  } catch (error) {
    if (!(error instanceof ImpossibleError)) throw error;
    return {
      impossible: `${error.message} cannot be set to null by an update: remove it, or create a new agent from another file`,
    };
  }
}

function patchOf(from: Readonly<Record<string, unknown>>, to: Readonly<Record<string, unknown>>, path: Path) {
  const patch = new Map<string, unknown>();
  for (const name of new Set([...Object.keys(to), ...Object.keys(from)])) {
    const [was, is] = [own(from, name), own(to, name)];
    if (isDeepStrictEqual(was, is)) continue;
    const place = [...path, name];
    if (is === undefined) patch.set(name, null);
    else if (isObject(is)) patch.set(name, patchOf(isObject(was) ? was : {}, is, place));
    // Outside of agentSettings, null is a regular value of the field and is patched as such.
    else if (is === null && place[0] === 'agentSettings') throw new ImpossibleError(fieldName(place));
    else patch.set(name, is);
  }
  // Collected in a map, because assigning a member called __proto__ would set the prototype.
  return Object.fromEntries(patch);
}

/** Own properties only, since every object inherits a `constructor`. */
function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
