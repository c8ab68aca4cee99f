import type { Logger } from 'pino';

/** Work at an interval, beside the requests. */
export interface ScheduledTask {
  readonly name: string;
  readonly everyMs: number;
  /** Resolves to true if there is more to do at once. */
  readonly run: () => Promise<boolean>;
}

/** An error rarely goes away within a moment, and must not fill the log. */
const pauseAfterErrorMs = 5000;

/** Runs each task on its own interval, never twice at the same time. An error is logged, and the next run tries again. */
export function startSchedule(tasks: readonly ScheduledTask[], logger: Logger): () => Promise<void> {
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
        logger.warn({ task: task.name, err: { type: name, message } }, 'scheduled task failed');
        pauseMs = Math.max(pauseMs, pauseAfterErrorMs);
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
