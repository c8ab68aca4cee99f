import type { Database } from '../../src/storage/database.ts';

/** A database that a process can be cut off from, as if it were killed: nothing that it writes arrives any more. */
export function cuttable(database: Database): { database: Database; cut(): void } {
  let isCut = false;
  const proxy = new Proxy(database, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function' || name === 'close' || name === 'expectedWaitMs') return value;
      return (...given: unknown[]) => {
        if (isCut) throw new Error('this process is gone');
        return value.apply(target, given);
      };
    },
  });
  return {
    database: proxy,
    cut: () => {
      isCut = true;
    },
  };
}
