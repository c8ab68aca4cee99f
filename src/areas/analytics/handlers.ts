import type { analyticsContract } from '../../contract/analytics/index.ts';
import type { Handlers } from '../../http/operations/handlers.ts';

export type AnalyticsHandlers = Handlers<(typeof analyticsContract.operations)[number]>;
