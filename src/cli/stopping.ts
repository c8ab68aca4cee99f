import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Has a signal clear up before it ends the process. The answer takes that back. */
export function clearUpAtSignal(clearUp: () => void): () => void {
  const listeners = signals.map((signal) => {
    const stop = (): never => {
      clearUp();
      return process.exit(128 + constants.signals[signal]);
    };
    process.on(signal, stop);
    return () => process.off(signal, stop);
  });
  return () => {
    for (const remove of listeners) remove();
  };
}
