import { maxVariableBytes, maxVariables } from '../../contract/calls/values.ts';
import type { Warn } from '../text/variables.ts';
import type { Scalar, Variables } from '../variables.ts';

export interface Collected {
  /** What was known, with what was set. */
  readonly collected: Variables;
  /** What was given and is within the limits. */
  readonly set: Variables;
  /** The names of the others. */
  readonly rejected: readonly string[];
}

/** Adds variables to those of a call, as long as all of them together are within the limits of `variables`. */
export function collect(known: Variables, given: Variables): Collected {
  const all = { ...known, ...given };
  if (isCertainlyWithinLimits(all)) return { collected: all, set: given, rejected: [] };
  const sizes = new Map(Object.entries(known).map(([name, value]) => [name, sizeOf(name, value)]));
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const rejected: string[] = [];
  const set = Object.entries(given).filter(([name, value]) => {
    const size = sizeOf(name, value);
    const next = total - (sizes.get(name) ?? 0) + size;
    // The entries have a comma between them, and braces around them.
    const isWithin = next + 1 <= maxVariableBytes && (sizes.has(name) || sizes.size < maxVariables);
    if (isWithin) {
      total = next;
      sizes.set(name, size);
    } else rejected.push(name);
    return isWithin;
  });
  const accepted = Object.fromEntries(set);
  return { collected: { ...known, ...accepted }, set: accepted, rejected };
}

/** Reports variables that were not set, once for all of them. */
export function warnRejected(rejected: readonly string[], warn: Warn): void {
  if (rejected.length === 0) return;
  const [first = '', ...others] = rejected;
  const shown = first.length > 64 ? `${first.slice(0, 64)}…` : first;
  const names = others.length === 0 ? `the variable ${shown}` : `the variable ${shown} and ${others.length} more`;
  const limits = `${maxVariables} keys and ${maxVariableBytes / 1024} KiB as JSON`;
  warn('variable_not_set', `${names} could not be set: collected variables have at most ${limits}`);
}

/** Nearly always: a character has at most six bytes as JSON, and any other value at most 25. */
function isCertainlyWithinLimits(variables: Variables): boolean {
  let count = 0;
  let bytes = 2;
  for (const name in variables) {
    const value = variables[name];
    count += 1;
    bytes += 6 * (name.length + (typeof value === 'string' ? value.length : 0)) + 30;
  }
  return count <= maxVariables && bytes <= maxVariableBytes;
}

/** The bytes of an entry as JSON, with its colon and its comma. */
function sizeOf(name: string, value: Scalar): number {
  return Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(JSON.stringify(value)) + 2;
}
