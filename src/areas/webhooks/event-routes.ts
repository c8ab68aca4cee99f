import { eventCatalog } from '../../contract/webhooks/event-catalog.ts';
import { notFound, validationFailed } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import { StoredJson } from '../../core/stored-json.ts';
import { WaitingLimit, type WaitingReaders } from '../../http/waiting-readers.ts';
import type { Reads } from '../../storage/database.ts';
import type { EventFilters, EventPage, EventStore } from './event-store.ts';
import type { WebhookHandlers } from './handlers.ts';

type Handlers = Pick<WebhookHandlers, 'events.list' | 'events.get' | 'events.types.list'>;

/** How many empty stretches a request looks through before it returns an empty page. */
const maxStretches = 10;

const maxReadersPerKey = 10;

export function eventRoutes(reads: Reads, store: EventStore, readers: WaitingReaders): Handlers {
  const waitingLimit = new WaitingLimit(
    maxReadersPerKey,
    `More than ${maxReadersPerKey} requests of this API key are waiting for events.`,
  );
  let catalog: StoredJson<never> | undefined;

  /** The next events, oldest first. Long stretches without a matching event are skipped. */
  const readOn = async (
    workspaceId: string,
    after: number,
    limit: number,
    filters: EventFilters,
  ): Promise<EventPage> => {
    let page = await store.after(workspaceId, after, limit, filters);
    for (let count = 1; count < maxStretches && page.isEmpty && !page.isAtEnd; count += 1) {
      page = await store.after(workspaceId, page.position, limit, filters);
    }
    return page;
  };

  return {
    'events.list': async ({ caller, query, position, nextPage, startWaiting }) => {
      const { limit, cursor: _, order, waitSeconds, ...filters } = query;
      const { workspaceId, keyId } = caller;
      if (order === 'desc') {
        if (waitSeconds > 0) throw validationFailed({ waitSeconds: ['is possible with order=asc only'] });
        const before = position === null ? null : Number(position.after);
        return nextPage(await store.before(workspaceId, before, limit, filters));
      }
      const hasEnd = filters.createdBefore !== undefined;
      const ended = (page: EventPage): EventPage => (hasEnd && page.isAtEnd ? { ...page, next: null } : page);
      const first = await readOn(workspaceId, position === null ? 0 : Number(position.after), limit, filters);
      if (!first.isEmpty || !first.isAtEnd || waitSeconds === 0 || hasEnd) return nextPage(ended(first));
      const release = waitingLimit.admit(keyId);
      try {
        const signal = startWaiting();
        const until = performance.now() + waitSeconds * 1000;
        let page = first;
        // Events of other types end the wait of the readers, too.
        while (page.isEmpty && !signal.aborted && performance.now() < until) {
          await readers.wait(workspaceId, page.position, until - performance.now(), signal);
          page = await readOn(workspaceId, page.position, limit, filters);
        }
        return nextPage(page);
      } finally {
        release();
      }
    },

    'events.get': async ({ caller, params: { id } }) => {
      const body = isId('evt', id) ? await store.get(reads, caller.workspaceId, id) : undefined;
      if (body === undefined) throw notFound('event');
      return { body };
    },

    'events.types.list': () => {
      catalog ??= new StoredJson(JSON.stringify({ items: eventCatalog(), pagination: { nextCursor: null } }));
      return { body: catalog };
    },
  };
}
