/** Runs in a thread: holds the knowledge bases that are in use, and searches them. */
import { workerData } from 'node:worker_threads';
import { AppError } from '../../../core/errors.ts';
import { openReader } from '../../../storage/open.ts';
import { serveRequests } from '../../../workers/resident/serve-requests.ts';
import { Turns } from '../../../workers/resident/turns.ts';
import { BaseCache } from './base-cache.ts';
import type { SearchThreadData, ThreadReply, ThreadRequest } from './messages.ts';
import { Searching } from './searching.ts';

const { location, maxBytes, maxSearchMs } = workerData as SearchThreadData;
/** Of the memory, by default about 50,000 chunks: they take some ten seconds of a processor. */
const preloadedShare = 0.25;

const turns = new Turns();
const cache = new BaseCache({ connection: openReader(location), turns, maxBytes });
const searching = new Searching(cache, openReader(location), turns);

async function resultOf(request: ThreadRequest): Promise<unknown> {
  const deadline = performance.now() + maxSearchMs;
  switch (request.type) {
    case 'search':
      return searching.search(request.request, deadline);
    case 'explain':
      return searching.explain(request.request, deadline);
    case 'load':
      return void (await cache.get(request.workspaceId, request.baseId));
    case 'preload':
      return searching.preload(preloadedShare * maxBytes);
    case 'changed':
      return cache.changed(request.workspaceId, request.baseId, preloadedShare * maxBytes);
    case 'removed':
      return cache.forget(request.workspaceId, request.baseId);
    case 'memory':
      return cache.bytes;
  }
}

serveRequests<ThreadRequest, ThreadReply>(async (request) => {
  try {
    return { result: await resultOf(request) };
  } catch (error) {
    const { message, cause } = error as Error;
    const detail = cause instanceof Error ? cause.message : message;
    return { isUnavailable: error instanceof AppError, message: detail };
  }
});
