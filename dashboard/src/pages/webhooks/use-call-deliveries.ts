import { useQuery } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

const refreshMs = 5000;
/** The maximum number of deliveries of one webhook, around the time of the events. */
const maxRead = 1000;

export interface CallDeliveries {
  readonly items: readonly WebhookDelivery[];
  readonly urls: ReadonlyMap<string, string | null>;
}

/** The deliveries of the events of a call, of all webhooks, newest first. */
export function useCallDeliveries(callId: string) {
  const client = useClient();
  return useQuery({
    queryKey: ['webhooks', 'call', callId],
    queryFn: async ({ signal }): Promise<CallDeliveries> => {
      const { items: events } = await client.events.list({ subjectId: callId, limit: 200 }, { signal });
      const urls = new Map<string, string | null>();
      const items: WebhookDelivery[] = [];
      const first = events.at(-1)?.timestamp;
      if (first === undefined) return { items, urls };
      const ids = new Set(events.map(({ id }) => id));
      const last = new Date(Date.parse(events[0]?.timestamp ?? first) + 1).toISOString();
      const read = async (webhook: Webhook, query: Parameters<typeof client.webhooks.deliveries.list>[1]) => {
        let count = 0;
        for await (const delivery of client.webhooks.deliveries.list(
          webhook.id,
          { limit: 200, ...query },
          { signal },
        )) {
          if (ids.has(delivery.eventId)) items.push(delivery);
          count += 1;
          if (count >= maxRead) break;
        }
      };
      for await (const webhook of client.webhooks.list({ limit: 200 }, { signal })) {
        urls.set(webhook.id, webhook.url);
        // Deliveries are created together with their event, except those that send it again.
        await read(webhook, { trigger: 'event', createdAfter: first, createdBefore: last });
        await read(webhook, { trigger: ['resend', 'replay'], createdAfter: first });
      }
      items.sort((one, other) => (one.id < other.id ? 1 : -1));
      return { items, urls };
    },
    refetchInterval: refreshMs,
  });
}
