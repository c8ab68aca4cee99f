import { parentPort, workerData } from 'node:worker_threads';
import type { DatabaseLocation } from '../../config-values.ts';
import { AppError } from '../../core/errors.ts';
import type { Reader, ReaderConnection } from '../database.ts';
import { openReader } from '../open.ts';
import type { ReadReply } from './reader-threads.ts';

/**
 * The other side of `reader-threads.ts`: runs in the thread. Each job reads from one snapshot. Memory that is in
 * `transfer` is handed over instead of copied, so nothing else may use it.
 */
export function serveReads<Job, Result>(
  read: (reader: Reader, job: Job) => Promise<{ readonly result: Result; readonly transfer?: ArrayBuffer[] }>,
): void {
  let connection: ReaderConnection | undefined;
  parentPort?.on('message', async (job: Job) => {
    parentPort?.postMessage('started');
    try {
      connection ??= openReader(workerData as DatabaseLocation);
      const { result, transfer = [] } = await connection.snapshot((reader) => read(reader, job));
      reply({ result }, transfer);
    } catch (error) {
      const { message, cause } = error as Error;
      reply({ isUnavailable: error instanceof AppError, message: cause instanceof Error ? cause.message : message });
    }
  });

  function reply(message: ReadReply<Result>, transfer: ArrayBuffer[] = []): void {
    parentPort?.postMessage(message, transfer);
  }
}
