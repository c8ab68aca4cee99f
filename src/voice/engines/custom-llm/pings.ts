import type { Clock } from '../../clock.ts';

const everyMs = 2000;
const timeoutMs = 5000;

/** Asks a server whether it is still there, as long as it wants to be asked. */
export function createPings(clock: Clock, { send, missed }: { send(): void; missed(): void }) {
  let isRunning = false;
  let cancelPing = () => {};
  let cancelTimeout = () => {};
  const answered = (): void => {
    if (!isRunning) return;
    cancelTimeout();
    cancelTimeout = clock.after(timeoutMs, missed);
  };
  const ping = (): void => {
    send();
    cancelPing = clock.after(everyMs, ping);
  };
  return {
    start: () => {
      if (isRunning) return;
      isRunning = true;
      answered();
      ping();
    },
    stop: () => {
      isRunning = false;
      cancelPing();
      cancelTimeout();
    },
    answered,
  };
}
