import type { Clock } from '../../clock.ts';

/** The call ended or was redirected while something was waiting. */
export class Interrupted extends Error {}

/** A promise that ends early, with `Interrupted`, when the signal is aborted. `start` returns what cleans up. */
export function untilAborted<Value>(
  signal: AbortSignal,
  start: (resolve: (value: Value) => void, reject: (error: Error) => void) => (() => void) | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new Interrupted());
      return;
    }
    let cleanUp: (() => void) | undefined;
    let isFinished = false;
    const finish = (): void => {
      isFinished = true;
      signal.removeEventListener('abort', onAbort);
      cleanUp?.();
    };
    const onAbort = (): void => {
      finish();
      reject(new Interrupted());
    };
    signal.addEventListener('abort', onAbort);
    cleanUp = start(
      (value) => {
        finish();
        resolve(value);
      },
      (error) => {
        finish();
        reject(error);
      },
    );
    // The wait may have finished before there was anything to clean up.
    if (isFinished) cleanUp?.();
  });
}

export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return untilAborted<void>(signal, (resolve) => clock.after(ms, () => resolve()));
}

/** The first of a promise and a time, which gives `otherwise`. */
export function within<Value, Otherwise>(
  clock: Clock,
  ms: number,
  promise: Promise<Value>,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(otherwise));
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error) => {
        cancel();
        reject(error);
      },
    );
  });
}
