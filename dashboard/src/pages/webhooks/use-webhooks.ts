import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery } from '../../../../sdk/src/index.ts';
import { NotFoundError } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';
import { eventsToReplay, hasUrl } from './health.ts';

const refreshMs = 5000;
const pageSize = 50;
/** What the success rate is about. */
export const recentCount = 100;
/** A count beyond this is shown as "more than". */
export const maxCounted = 1000;

export function useWebhooks() {
  const { webhooks } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: async ({ signal }) => {
      const found: Webhook[] = [];
      for await (const webhook of webhooks.list({ limit: 200 }, { signal })) if (hasUrl(webhook)) found.push(webhook);
      return found;
    },
    refetchInterval: refreshMs,
  });
}

export function useWebhook(id: string) {
  const { webhooks } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => webhooks.get(id, { signal }),
    refetchInterval: refreshMs,
  });
}

/** The webhook of an agent, or null if it has none. */
export function useAgentWebhook(agentId: string) {
  const { webhooks } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'agent', agentId],
    queryFn: async ({ signal }) => (await webhooks.list({ agentId, limit: 1 }, { signal })).items[0] ?? null,
    refetchInterval: refreshMs,
  });
}

/** The newest deliveries, for the health of a webhook. */
export function useRecentDeliveries(webhookId: string) {
  const { webhooks } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'recent', webhookId],
    queryFn: async ({ signal }) =>
      (await webhooks.deliveries.list(webhookId, { limit: recentCount }, { signal })).items,
    refetchInterval: refreshMs,
  });
}

export function useDeliveries(webhookId: string, status: WebhookDelivery['status'] | null) {
  const { webhooks } = useClient();
  const list = useInfiniteQuery({
    queryKey: ['webhooks', 'deliveries', webhookId, status],
    queryFn: async ({ pageParam, signal }) => {
      const query = pageParam === null ? { status: status ?? undefined } : { cursor: pageParam };
      const page = await webhooks.deliveries.list(webhookId, { limit: pageSize, ...query }, { signal });
      return { items: page.items, nextCursor: page.nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  return { ...list, items: list.data?.pages.flatMap(({ items }) => items) ?? [] };
}

export function useDelivery(webhookId: string, id: string) {
  const { webhooks } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'delivery', id],
    queryFn: ({ signal }) => webhooks.deliveries.get(webhookId, id, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? refreshMs : false),
  });
}

/** The event of a delivery; null once it is no longer kept. */
export function useEvent(id: string) {
  const { events } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'event', id],
    queryFn: async ({ signal }) => {
      try {
        return await events.get(id, { signal });
      } catch (error) {
        if (error instanceof NotFoundError) return null;
        throw error;
      }
    },
  });
}

export type ReplayChoice = 'missed' | 'failed' | 'skipped' | 'all';

export const replayStatuses: Readonly<Record<Exclude<ReplayChoice, 'all'>, ('failed' | 'skipped')[]>> = {
  missed: ['failed', 'skipped'],
  failed: ['failed'],
  skipped: ['skipped'],
};

/** How many events a replay would send, up to a maximum: the service counts exactly only when it starts one. */
export function useReplayCount(webhook: Webhook, since: string, choice: ReplayChoice) {
  const { webhooks, events } = useClient();
  return useQuery({
    queryKey: ['webhooks', 'replay', webhook.id, since, choice],
    queryFn: async ({ signal }) => {
      if (choice === 'all') {
        const type = webhook.events.includes('*') ? undefined : (webhook.events as never);
        let count = 0;
        for await (const event of events.list({ createdAfter: since, type, limit: 200 }, { signal })) {
          if (event.body !== null && event.subject.id !== webhook.id) count += 1;
          if (count > maxCounted) break;
        }
        return count;
      }
      const found: WebhookDelivery[] = [];
      const query = { createdAfter: since, limit: 200 };
      for await (const delivery of webhooks.deliveries.list(webhook.id, query, { signal })) {
        found.push(delivery);
        if (found.length > 2 * maxCounted) break;
      }
      return eventsToReplay(found, replayStatuses[choice]);
    },
    gcTime: 0,
  });
}
