/** Runs in a thread, with a connection of its own: finishes searches, one at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import type { DatabaseLocation } from '../../../config-values.ts';
import { AppError } from '../../../core/errors.ts';
import type { Reader } from '../../../storage/database.ts';
import { openReader } from '../../../storage/open.ts';
import { pageOfCalls } from './page.ts';
import { CallScan } from './scan.ts';
import type { SearchJob, SearchResult } from './thread.ts';

let reader: Reader | undefined;

parentPort?.on('message', async (job: SearchJob) => {
  parentPort?.postMessage('started');
  const result = await perform(job);
  parentPort?.postMessage(result, 'items' in result ? [result.items.buffer] : []);
});

async function perform({ search, progress }: SearchJob): Promise<SearchResult> {
  try {
    reader ??= openReader(workerData as DatabaseLocation);
    const found = await new CallScan(reader, search).finish(progress);
    const { items, next } = await pageOfCalls(reader, search, found);
    // Only memory that nothing else uses can be handed over.
    return { items: new Uint8Array(items), next };
  } catch (error) {
    const { message, cause } = error as Error;
    return { isUnavailable: error instanceof AppError, message: cause instanceof Error ? cause.message : message };
  }
}
