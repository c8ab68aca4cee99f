import { setImmediate as nextIteration } from 'node:timers/promises';

/** How long a transaction may keep the rest of the process waiting at a time: on SQLite its statements block it. */
const maxSliceMs = 3;

/** To be called after every statement, or every few steps, of long work. Lets others go on when it is their turn. */
export function createPauses(): () => Promise<void> {
  let sliceStart = performance.now();
  return async () => {
    if (performance.now() - sliceStart < maxSliceMs) return;
    await nextIteration();
    sliceStart = performance.now();
  };
}
