import type { Clock } from '../../../voice/clock.ts';

/** Rejects with the reason of the signal. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, () => {
    signal.removeEventListener('abort', onAbort);
    resolve();
  });
  const onAbort = (): void => {
    cancel();
    reject(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  return promise;
}
