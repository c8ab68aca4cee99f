import { Child, type ChildProgram } from '../../../workers/children/child.ts';
import { Pool, type PoolLimits } from '../../../workers/pool.ts';
import { programFile } from '../../../workers/program-file.ts';
import type { Extraction, FailedExtraction } from './extraction.ts';
import { failure } from './failure.ts';
import type { ExtractionJob } from './job.ts';
import { decodeExtraction, decodeSplit } from './transfer.ts';

/** As many as there are jobs at once in a process, which wait their turn before they come here. */
const defaultLimits: PoolLimits = {
  runners: 2,
  runnersPerWorkspace: 2,
  waiting: 100,
  maxWaitMs: 300_000,
  maxMs: 120_000,
  idleMs: 60_000,
};

const program: ChildProgram = {
  file: programFile('./worker', import.meta.url),
  name: 'documents',
  maxHeapMb: 400,
  maxResidentMb: 512,
  // The text takes 6 MB at most; headings and offsets take as much again.
  maxResultBytes: 64 * 1024 * 1024,
};

/** Extraction in child processes, which are kept for the next document. */
export function createExtraction(limits: Partial<PoolLimits> = {}): Extraction {
  const pool = new Pool<ExtractionJob, Uint8Array>(program.name, (onExit) => new Child(program, onExit), {
    ...defaultLimits,
    ...limits,
  });
  let isClosed = false;

  const perform = async (workspaceId: string, job: ExtractionJob, signal: AbortSignal) => {
    try {
      const result = await pool.perform(workspaceId, job, signal);
      if (result === 'time')
        return failure('timeout', `Reading the document takes longer than ${pool.limits.maxMs / 1000} s.`);
      return result === 'memory'
        ? failure('internal', 'Reading the document takes more memory than there is.')
        : result;
    } catch (error) {
      signal.throwIfAborted();
      if (isClosed) throw error;
      return failure('internal', 'The process that reads documents has ended.');
    }
  };

  return {
    async extract(workspaceId, input, signal) {
      const result = await perform(workspaceId, { do: 'extract', input }, signal);
      return isFailure(result) ? result : decodeExtraction(result);
    },
    async split(workspaceId, input, signal) {
      const result = await perform(workspaceId, { do: 'split', input }, signal);
      return isFailure(result) ? result : decodeSplit(result, input.text);
    },
    async close() {
      isClosed = true;
      await pool.close();
    },
  };
}

function isFailure(result: Uint8Array | FailedExtraction): result is FailedExtraction {
  return 'ok' in result;
}
