import { z } from 'zod';
import type { Prices } from '../../../contract/analytics/prices.ts';
import { isOfUsualYear, wrongYear } from '../../../contract/analytics/ranges.ts';
import { notFound, validationFailed } from '../../../core/errors.ts';
import { isSameJson } from '../../../core/merge-patch.ts';
import type { Queries } from '../../../storage/database.ts';
import type { AnalyticsHandlers } from '../handlers.ts';
import type { PriceStore } from './store.ts';

type Handlers = Pick<AnalyticsHandlers, 'analytics.prices.list' | 'analytics.prices.put' | 'analytics.prices.delete'>;

const instant = z.iso.datetime({ offset: true });

/** Undefined unless it is a time. */
function timeIn(text: string): number | undefined {
  return instant.safeParse(text).success ? Date.parse(text) : undefined;
}

function requireTime(text: string): number {
  const time = timeIn(text);
  if (time === undefined) {
    throw validationFailed({ validFrom: ['must be a time such as 2026-12-01T00:00:00Z, with any offset'] });
  }
  if (!isOfUsualYear(text)) throw validationFailed({ validFrom: [wrongYear] });
  return time;
}

/** `onChange`: the prices from a time on have changed in the transaction. */
export function priceRoutes(
  store: PriceStore,
  onChange: (queries: Queries, workspaceId: string, validFrom: number) => Promise<void>,
): Handlers {
  return {
    'analytics.prices.list': async ({ caller }) => ({
      body: { items: await store.list(caller.workspaceId), pagination: { nextCursor: null } },
    }),

    'analytics.prices.put': async ({ caller: { workspaceId }, params, body, queries }) => {
      const time = requireTime(params.validFrom);
      const prices: Prices = { currency: body.currency, validFrom: new Date(time).toISOString(), items: body.items };
      await store.lockAll(queries, workspaceId);
      const before = await store.find(queries, workspaceId, time);
      if (!isSameJson(before, prices)) {
        await store.put(queries, workspaceId, prices);
        await onChange(queries, workspaceId, time);
      }
      return { body: prices, resourceId: prices.validFrom };
    },

    'analytics.prices.delete': async ({ caller: { workspaceId }, params, queries }) => {
      await store.lockAll(queries, workspaceId);
      const time = timeIn(params.validFrom);
      const found = time === undefined ? undefined : await store.find(queries, workspaceId, time);
      if (time === undefined || found === undefined) throw notFound('price document');
      await store.remove(queries, workspaceId, time);
      await onChange(queries, workspaceId, time);
      return { body: { validFrom: found.validFrom, deleted: true }, resourceId: found.validFrom };
    },
  };
}
