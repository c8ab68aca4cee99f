import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Clears up also where a signal ends the process. The answer takes that back. */
export function clearUpAtSignal(clearUp: () => void): () => void {
  process.on('exit', clearUp);
  const removers = signals.map((signal) => {
    // Ends it in a way that lets everybody clear up.
    const stop = (): never => process.exit(128 + constants.signals[signal]);
    process.on(signal, stop);
    return () => process.off(signal, stop);
  });
  return () => {
    process.off('exit', clearUp);
    for (const remove of removers) remove();
  };
}
