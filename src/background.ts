import type { Logger } from 'pino';

/** Work that is done now and then beside the requests, and stopped with the service. */
export interface BackgroundTask {
  readonly name: string;
  readonly everyMs: number;
  /** Resolves to true where more is to be done at once. */
  readonly run: () => Promise<boolean>;
}

/** Runs each task in turns of its own, never two at a time; a fault is logged and the next turn tries again. */
export function startBackground(tasks: readonly BackgroundTask[], logger: Logger): () => Promise<void> {
  const stops = tasks.map((task) => {
    let timer: NodeJS.Timeout | undefined;
    let running = Promise.resolve();
    let isStopped = false;
    const turn = async (): Promise<void> => {
      let isMoreToDo = false;
      try {
        isMoreToDo = await task.run();
      } catch (error) {
        const { name, message } = error as Error;
        logger.warn({ task: task.name, fault: { name, message } }, 'background work failed');
      }
      if (!isStopped) schedule(isMoreToDo ? 100 : task.everyMs);
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
