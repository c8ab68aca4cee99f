import type { Logger } from 'pino';

/**
 * A task that every process runs at an interval, from its start on: for what is of the process, such as waking its own
 * readers, and for cleaning up in small steps, which several processes may do at once. What must happen once for all
 * processes, at set times, or also after a downtime is a job with a recurrence (kind.ts).
 */
export interface ScheduledTask {
  readonly name: string;
  readonly everyMs: number;
  /** Resolves to true if there is more to do immediately. */
  readonly run: () => Promise<boolean>;
}

/** Errors rarely go away immediately, and must not flood the log. */
const pauseAfterErrorMs = 5000;

/** Runs each task at its interval, never concurrently with itself. Errors are logged, and the next run tries again. */
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
