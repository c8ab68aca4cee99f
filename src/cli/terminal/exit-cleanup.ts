import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls a function at every signal that ends a process, with the exit code. Returns a function that stops it. */
export function onSignal(handle: (exitCode: number) => void): () => void {
  const removers = signals.map((signal) => {
    const handler = (): void => handle(128 + constants.signals[signal]);
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const remove of removers) remove();
  };
}

/** Runs a cleanup at exit, including exits by signal. Returns a function that cancels it. */
export function cleanUpOnExit(cleanUp: () => void): () => void {
  process.on('exit', cleanUp);
  // `process.exit` runs all exit handlers, unlike the default signal action.
  const forget = onSignal((exitCode) => process.exit(exitCode));
  return () => {
    process.off('exit', cleanUp);
    forget();
  };
}
