import { andThen, type Eventually } from '../eventually.ts';
import type { Database } from './database.ts';

export interface Keepable {
  /** How much memory it takes to keep it; infinite where it should not be kept. */
  readonly bytes: number;
  /** False where a part of it is gone. */
  isHeld(): boolean;
}

/**
 * Keeps what was read and made of it, for as long as nobody has changed anything in the database: no process of ours
 * and none beside it. Where the engine cannot tell, nothing is kept. Bounded: past `mostBytes` it begins anew.
 */
export function createKeptReads<T extends Keepable>(database: Database, mostBytes: number) {
  const kept = new Map<string, T>();
  let bytes = 0;
  let state: number | null = null;
  let outside: number | null = null;
  const clear = (): void => {
    kept.clear();
    bytes = 0;
  };

  return (name: string, read: () => Eventually<T>): Eventually<T> => {
    const current = database.stateNumber();
    if (current === null) return read();
    // Also by the other number: what others commit between the two is in the state already, while documents that were
    // kept before it, and from which `read` may take, still count until that number shows it.
    const currentOutside = database.outsideNumber();
    if (current !== state || currentOutside !== outside) {
      clear();
      state = current;
      outside = currentOutside;
    }
    const known = kept.get(name);
    if (known?.isHeld()) return known;
    return andThen(read(), (value) => {
      // What was read after a change must not be kept under the state before it.
      if (database.stateNumber() !== current || value.bytes > mostBytes) return value;
      if (bytes + value.bytes > mostBytes) clear();
      kept.set(name, value);
      bytes += value.bytes;
      return value;
    });
  };
}
