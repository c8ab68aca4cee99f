import { MessageChannel } from 'node:worker_threads';

export interface Task {
  /** Runs before those that are not urgent. */
  isUrgent(): boolean;
  run(): void | Promise<void>;
}

/** Runs tasks of a thread one at a time, and lets it receive messages in between. */
export class TaskQueue {
  readonly #tasks = new Set<Task>();
  /** A message to itself. */
  readonly #channel = new MessageChannel();
  #isRunning = false;

  constructor() {
    this.#channel.port1.on('message', () => void this.#runNext());
    // The messages of the process keep the thread alive, and nothing else.
    this.#channel.port1.unref();
  }

  /** A task that waits already is not added again. */
  add(task: Task): void {
    this.#tasks.add(task);
    if (!this.#isRunning) this.#continue();
  }

  remove(task: Task): void {
    this.#tasks.delete(task);
  }

  #continue(): void {
    this.#isRunning = true;
    this.#channel.port2.postMessage(null);
  }

  async #runNext(): Promise<void> {
    const waiting = [...this.#tasks];
    const next = waiting.find((task) => task.isUrgent()) ?? waiting[0];
    if (next !== undefined) {
      this.#tasks.delete(next);
      await next.run();
    }
    if (this.#tasks.size > 0) this.#continue();
    else this.#isRunning = false;
  }
}
