import { analyticsContract } from '../../contract/analytics/index.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';

/** Figures about calls. */
export function createAnalytics(_kernel: Kernel): Area {
  return defineArea(analyticsContract, { handlers: {} });
}
