import { analyticsContract } from '../../contract/analytics/index.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { type CallsBefore, createFilling } from './facts/filling.ts';
import { onCallSettled } from './facts/store.ts';
import { createQueries } from './query/threads.ts';
import { analyticsRoutes } from './routes.ts';

const fillingEveryMs = 5000;

export interface AnalyticsDependencies {
  readonly callsBefore: CallsBefore;
}

/** Figures about calls. */
export function createAnalytics({ database, now }: Kernel, { callsBefore }: AnalyticsDependencies): Area {
  const queries = createQueries(database, now);
  return defineArea(analyticsContract, {
    handlers: analyticsRoutes(queries),
    tasks: [
      { name: 'fill in figures of older calls', everyMs: fillingEveryMs, run: createFilling(database, callsBefore) },
    ],
    onCallSettled,
    onClose: queries.close,
  });
}
