import type { Campaign } from './campaign.ts';
import { overload } from './overload.ts';

/** All campaigns, in the order in which they run. */
export const campaigns: readonly Campaign[] = [overload];
