import { analyticsContract } from '../../contract/analytics/index.ts';
import type { Llm } from '../../voice/llm.ts';
import { type Area, type CostOf, defineArea, type Kernel } from '../area.ts';
import { createCosts } from './prices/costs.ts';
import { createRecalculation, type PricedCalls } from './prices/recalculation.ts';
import { priceRoutes } from './prices/routes.ts';
import { createPriceStore, storedPrices } from './prices/store.ts';
import { createViews } from './views/views.ts';

export interface AnalyticsDependencies {
  /** The language model that analyzes calls; null while none is connected. */
  readonly llm: Pick<Llm, 'provider' | 'sentModel'> | null;
  readonly pricedCalls: PricedCalls;
}

export interface Analytics {
  readonly area: Area;
  readonly costOf: CostOf;
}

/** Figures about calls. */
export function createAnalytics(kernel: Kernel, { llm, pricedCalls }: AnalyticsDependencies): Analytics {
  const { database, jobs } = kernel;
  const prices = createPriceStore(database);
  const { costOf, byPrices } = createCosts(prices, llm);
  const recalculation = createRecalculation({ database, jobs, store: prices, calls: pricedCalls, byPrices });
  const views = createViews(kernel);
  const area = defineArea(analyticsContract, {
    handlers: { ...views.handlers, ...priceRoutes(prices, recalculation.begin) },
    documents: [views.documents, ...storedPrices(database)],
    jobs: [recalculation.kind],
  });
  return { area, costOf };
}
