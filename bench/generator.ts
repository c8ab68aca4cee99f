import { join } from 'node:path';
import type { LoadAnswer, LoadOrder, LoadResult } from './load.ts';
import { benchFolder, node, type Started, start } from './processes.ts';

/** The load generator's process, which runs one order after the other. */
export class Generator {
  private readonly process: Started = start(node, [join(benchFolder, 'load.ts')], { hasChannel: true });
  private waiting: { resolve: (result: LoadResult) => void; reject: (error: Error) => void } | undefined;

  constructor() {
    const { child } = this.process;
    child.on('message', (answer: LoadAnswer) => {
      if ('fault' in answer) this.waiting?.reject(new Error(answer.fault));
      else this.waiting?.resolve(answer.result);
    });
    child.on('exit', () => this.waiting?.reject(new Error(`the load generator ended: ${this.process.complaints()}`)));
  }

  run(order: LoadOrder): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.process.child.send(order);
    });
  }
}
