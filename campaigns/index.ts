import type { Campaign } from './campaign.ts';
import { secrets } from './secrets/campaign.ts';
import { tenants } from './tenants/campaign.ts';

/** All campaigns, in the order in which they run. */
export const campaigns: readonly Campaign[] = [tenants, secrets];
