import { join } from 'node:path';
import type { LoadOrder, LoadReply, LoadResult } from './load.ts';
import { benchFolder, node, type Started, start } from './processes.ts';

/** The process of the load generator, which runs one order after another. */
export class Generator {
  private readonly process: Started = start(node, [join(benchFolder, 'load.ts')], { hasChannel: true });
  private waiting: { resolve: (result: LoadResult) => void; reject: (error: Error) => void } | undefined;

  constructor() {
    const { child } = this.process;
    child.on('message', (reply: LoadReply) => {
      if ('error' in reply) this.waiting?.reject(new Error(reply.error));
      else this.waiting?.resolve(reply.result);
    });
    child.on('exit', () => this.waiting?.reject(new Error(`the load generator ended: ${this.process.errorOutput()}`)));
  }

  run(order: LoadOrder): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.process.child.send(order);
    });
  }
}
