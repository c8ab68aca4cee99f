import { notAccepting, serviceUnavailable } from '../../../core/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { programFile } from '../../../workers/program-file.ts';
import { ResidentThread } from '../../../workers/resident/resident-thread.ts';
import type { SearchThreadData, ThreadReply, ThreadRequest } from './messages.ts';
import type { KnowledgeSearch } from './search.ts';

export interface SearchOptions {
  readonly maxMemoryMb: number;
}

/** Loading the largest base takes a third of this. */
const maxSearchMs = 15_000;
/** What waits beyond these is rejected: in total, and of one workspace. */
const maxWaiting = 2000;
const maxWaitingPerWorkspace = 500;
/** The index is in typed arrays, outside of these limits; words and ids are within. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

/** Searches in a thread of its own, which starts with the first request. */
export function createKnowledgeSearch(database: Database, { maxMemoryMb }: SearchOptions) {
  const maxBytes = maxMemoryMb * 1024 * 1024;
  const workerData: SearchThreadData = { location: database.location, maxBytes, maxSearchMs };
  const file = programFile('./worker', import.meta.url);
  const program = { file, name: 'knowledge search', workerData, hasEnvironment: true, resourceLimits };
  const thread = new ResidentThread<ThreadRequest, never, ThreadReply>(program);
  const waiting = new Map<string, number>();
  let waitingTotal = 0;

  const ask = async (request: ThreadRequest): Promise<unknown> => {
    const failed = (error: Error): never => {
      throw serviceUnavailable('Knowledge bases cannot be searched.', error);
    };
    return resultOf(await inTime(thread.request(request)).catch(failed));
  };

  const askInTurn = async (workspaceId: string, request: ThreadRequest): Promise<unknown> => {
    const before = waiting.get(workspaceId) ?? 0;
    if (before >= maxWaitingPerWorkspace || waitingTotal >= maxWaiting) {
      throw notAccepting('Too many searches are running.');
    }
    waiting.set(workspaceId, before + 1);
    waitingTotal += 1;
    try {
      return await ask(request);
    } finally {
      waitingTotal -= 1;
      const left = (waiting.get(workspaceId) as number) - 1;
      if (left === 0) waiting.delete(workspaceId);
      else waiting.set(workspaceId, left);
    }
  };

  /** A failure is reported by the next search. */
  const tell = (type: 'load' | 'changed' | 'removed', workspaceId: string, baseId: string): void => {
    thread.request({ type, workspaceId, baseId }).catch(() => {});
  };

  const search = {
    search: (request) => askInTurn(request.workspaceId, { type: 'search', request }),
    explain: (request) => askInTurn(request.workspaceId, { type: 'explain', request }),
    load: (workspaceId, baseIds) => {
      for (const baseId of baseIds) tell('load', workspaceId, baseId);
    },
    // It may take longer than a search.
    preload: async () => resultOf(await thread.request({ type: 'preload' })),
    changed: (workspaceId, baseId) => tell('changed', workspaceId, baseId),
    removed: (workspaceId, baseId) => tell('removed', workspaceId, baseId),
    memoryBytes: () => ask({ type: 'memory' }),
    close: () => thread.close(),
  } as KnowledgeSearch;
  return search;
}

function resultOf(reply: ThreadReply): unknown {
  if ('result' in reply) return reply.result;
  throw serviceUnavailable(
    reply.isUnavailable ? 'The database is unavailable.' : 'Knowledge bases cannot be searched.',
    new Error(reply.message),
  );
}

/** The thread gives up by then, too; this is for one that does not answer at all. */
async function inTime<T>(reply: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('The search takes too long.')), maxSearchMs);
  try {
    return await Promise.race([reply, promise]);
  } finally {
    clearTimeout(timer);
  }
}
