import { type Alert, maxAlerts } from '../../contract/analytics/alert.ts';
import { analyticsContract } from '../../contract/analytics/index.ts';
import type { Queries } from '../../storage/database.ts';
import type { Llm } from '../../voice/llm.ts';
import { type Area, type CostOf, defineArea, type Kernel } from '../area.ts';
import { tagOf } from './alerts/alert.ts';
import { createEvaluation, type EvaluationParts } from './alerts/evaluation.ts';
import { alertRoutes } from './alerts/routes.ts';
import { type CallsBefore, createFilling } from './facts/filling.ts';
import { onCallMissed, onCallSettled } from './facts/store.ts';
import { createCosts } from './prices/costs.ts';
import { createRecalculation, type PricedCalls } from './prices/recalculation.ts';
import { priceRoutes } from './prices/routes.ts';
import { createPriceStore, storedPrices } from './prices/store.ts';
import { createQueries } from './query/threads.ts';
import { analyticsRoutes } from './routes.ts';
import { createStoredResources } from './stored-resources.ts';
import { createViews } from './views/views.ts';

const fillingEveryMs = 5000;

export interface AnalyticsDependencies {
  /** The language model that analyzes calls; null while none is connected. */
  readonly llmOf: (workspaceId: string) => Pick<Llm, 'provider' | 'sentModel'> | null;
  readonly callsBefore: CallsBefore;
  readonly pricedCalls: PricedCalls;
  readonly writeEvent: EvaluationParts['writeEvent'];
  readonly forgetSubject: (queries: Queries, workspaceId: string, id: string) => Promise<void>;
}

export interface Analytics {
  readonly area: Area;
  readonly costOf: CostOf;
}

/** Figures about calls. */
export function createAnalytics(kernel: Kernel, dependencies: AnalyticsDependencies): Analytics {
  const { database, newId, now, jobs } = kernel;
  const { llmOf, callsBefore, pricedCalls, writeEvent, forgetSubject } = dependencies;
  const queries = createQueries(database, now);
  const prices = createPriceStore(database);
  const { costOf, byPrices } = createCosts(prices, llmOf);
  const recalculation = createRecalculation({ database, jobs, store: prices, calls: pricedCalls, byPrices });
  const views = createViews(kernel);
  const store = createStoredResources<Alert>(database, {
    kind: database.documents.alert,
    table: 'analytics_alerts',
    idPrefix: 'alr',
    plural: 'alerts',
    maxCount: maxAlerts,
    tagOf,
  });
  const evaluation = createEvaluation({ database, jobs, store, query: queries.query, writeEvent, now });
  const area = defineArea(analyticsContract, {
    handlers: {
      ...analyticsRoutes(queries),
      ...views.handlers,
      ...alertRoutes({ store, evaluation, newId, now, forgetSubject }),
      ...priceRoutes(prices, recalculation.begin),
    },
    tasks: [
      { name: 'fill in figures of older calls', everyMs: fillingEveryMs, run: createFilling(database, callsBefore) },
    ],
    jobs: [recalculation.kind, evaluation.kind],
    documents: [views.documents, store.documents, ...storedPrices(database)],
    onCallSettled,
    onCallMissed,
    onClose: queries.close,
  });
  return { area, costOf };
}
