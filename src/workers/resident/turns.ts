import { type Task, TaskQueue } from './task-queue.ts';

interface Group extends Task {
  readonly waiting: (() => void)[];
}

/** Shares a thread between groups, such as workspaces, that have much to do: each does a little in turn. */
export class Turns {
  readonly #queue = new TaskQueue();
  readonly #groups = new Map<string, Group>();

  /** Resolves when it is the group's turn, which ends with its next `await`. */
  turn(name: string): Promise<void> {
    return new Promise((resolve) => {
      const group = this.#groups.get(name) ?? this.#added(name);
      group.waiting.push(resolve);
      if (group.waiting.length === 1) this.#queue.add(group);
    });
  }

  #added(name: string): Group {
    const waiting: (() => void)[] = [];
    const group: Group = {
      waiting,
      isUrgent: () => false,
      run: () => {
        waiting.shift()?.();
        if (waiting.length > 0) this.#queue.add(group);
        else this.#groups.delete(name);
      },
    };
    this.#groups.set(name, group);
    return group;
  }
}
