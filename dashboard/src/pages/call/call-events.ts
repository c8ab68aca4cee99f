import { useCallback, useEffect, useRef, useState } from 'react';
import type { TypedCallEvent, VoiceAgents } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

const pageSize = 200;
const waitSeconds = 20;
const retryMs = 3000;
const minWaitMs = 1000;

interface Place {
  readonly events: readonly TypedCallEvent[];
  /** Null at the start, and after the last event. */
  readonly cursor: string | null;
  readonly isAtEnd: boolean;
}

const start: Place = { events: [], cursor: null, isAtEnd: false };

export interface CallEvents {
  readonly events: readonly TypedCallEvent[];
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  loadMore(): void;
}

/**
 * The events of a call, in order. Of an open call all of them, followed to the end while the page is visible; otherwise
 * a page at a time. `onNews` is called after new events and after failures.
 */
export function useCallEvents(id: string, isOpen: boolean, onNews: () => void): CallEvents {
  // To its last event, which may arrive after the page knows that the call has ended.
  const [isFollowing] = useState(isOpen);
  const { calls } = useClient();
  const [place, setPlace] = useState(start);
  const [error, setError] = useState<Error | null>(null);
  const [isLoading, setIsLoading] = useState(false);
  const latest = useRef(place);
  const news = useRef(onNews);
  news.current = onNews;

  const read = useCallback(
    async (wait: number, signal?: AbortSignal) => {
      const next = await readPage(calls, id, latest.current, wait, signal);
      if (signal?.aborted) return;
      const hasNews = next.events.length > latest.current.events.length;
      latest.current = next;
      setPlace(next);
      setError(null);
      if (hasNews && wait > 0) news.current();
    },
    [calls, id],
  );

  useEffect(() => {
    if (!isFollowing) return;
    return whileVisible(async (signal) => {
      while (!latest.current.isAtEnd && !signal.aborted) {
        const before = latest.current.events.length;
        const askedAt = performance.now();
        try {
          await read(waitSeconds, signal);
          // A service that is shutting down does not wait: do not ask it without pause.
          const isHasty = latest.current.events.length === before && performance.now() - askedAt < minWaitMs;
          if (isHasty && !latest.current.isAtEnd) await delay(minWaitMs, signal);
        } catch (failure) {
          if (signal.aborted) return;
          setError(failure as Error);
          // It may have been deleted.
          news.current();
          await delay(retryMs, signal);
        }
      }
    });
  }, [isFollowing, read]);

  const loadMore = useCallback(async () => {
    setIsLoading(true);
    try {
      await read(0);
    } catch (failure) {
      setError(failure as Error);
    }
    setIsLoading(false);
  }, [read]);

  const isEmpty = place === start;
  useEffect(() => {
    if (!isFollowing && isEmpty) loadMore();
  }, [isFollowing, isEmpty, loadMore]);

  return {
    events: place.events,
    isPending: isEmpty && error === null,
    error,
    hasMore: !isFollowing && !place.isAtEnd,
    isLoading,
    loadMore,
  };
}

async function readPage(
  calls: VoiceAgents['calls'],
  id: string,
  { events, cursor }: Place,
  wait: number,
  signal: AbortSignal | undefined,
): Promise<Place> {
  const query = { limit: pageSize, cursor: cursor ?? undefined, waitSeconds: wait === 0 ? undefined : wait };
  const page = await calls.events.list(id, query, { signal });
  const last = events.at(-1)?.sequence ?? 0;
  // A page that was requested twice is not added twice.
  const added = page.items.filter(({ sequence }) => sequence > last);
  return {
    events: added.length === 0 ? events : [...events, ...added],
    cursor: page.nextCursor,
    isAtEnd: page.nextCursor === null,
  };
}

/** Runs the work while the page is visible: aborts it when it is hidden, and starts it again when it is back. */
function whileVisible(work: (signal: AbortSignal) => Promise<void>): () => void {
  let running: AbortController | null = null;
  const update = () => {
    const isVisible = document.visibilityState === 'visible';
    if (isVisible === (running !== null)) return;
    running?.abort();
    running = isVisible ? new AbortController() : null;
    if (running !== null) work(running.signal);
  };
  document.addEventListener('visibilitychange', update);
  update();
  return () => {
    document.removeEventListener('visibilitychange', update);
    running?.abort();
  };
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
