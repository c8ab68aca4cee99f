import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a cleanup at exit, including exits by signal. Returns a function that cancels it. */
export function cleanUpOnExit(cleanUp: () => void): () => void {
  process.on('exit', cleanUp);
  const removers = signals.map((signal) => {
    // `process.exit` runs all exit handlers, unlike the default signal action.
    const stop = (): never => process.exit(128 + constants.signals[signal]);
    process.on(signal, stop);
    return () => process.off(signal, stop);
  });
  return () => {
    process.off('exit', cleanUp);
    for (const remove of removers) remove();
  };
}
