import type { Logger } from 'pino';

/** Work that is done now and then beside the requests, and stopped with the service. */
export interface BackgroundTask {
  readonly name: string;
  readonly everyMs: number;
  /** Resolves to true where more is to be done at once. */
  readonly run: () => Promise<boolean>;
}

/** A fault rarely passes within a moment, and is not to fill the log. */
const pauseAfterFaultMs = 5000;

/** Runs each task in turns of its own, never two at a time; a fault is logged and the next turn tries again. */
export function startBackground(tasks: readonly BackgroundTask[], logger: Logger): () => Promise<void> {
  const stops = tasks.map((task) => {
    let timer: NodeJS.Timeout | undefined;
    let running = Promise.resolve();
    let isStopped = false;
    const turn = async (): Promise<void> => {
      let pauseMs = task.everyMs;
      try {
        if (await task.run()) pauseMs = 100;
      } catch (error) {
        const { name, message } = error as Error;
        logger.warn({ task: task.name, fault: { name, message } }, 'background work failed');
        pauseMs = Math.max(pauseMs, pauseAfterFaultMs);
      }
      if (!isStopped) schedule(pauseMs);
    };
    const schedule = (afterMs: number): void => {
      timer = setTimeout(() => {
        running = turn();
      }, afterMs);
      timer.unref();
    };
    schedule(task.everyMs);
    return async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    };
  });
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
