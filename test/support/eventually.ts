import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

const maxMs = 60_000;
const maxPauseMs = 50;

/** Waits until something is the case. Asks less often the longer it takes, because asking takes processor time. */
export async function eventually<Result>(
  read: () => Result | undefined | false | Promise<Result | undefined | false>,
  what = 'it',
): Promise<Result> {
  const start = performance.now();
  for (;;) {
    const found = await read();
    if (found !== undefined && found !== false) return found;
    const elapsedMs = performance.now() - start;
    assert.ok(elapsedMs < maxMs, `${what} did not happen within a minute`);
    await delay(Math.min(maxPauseMs, 2 + elapsedMs / 10));
  }
}
