import { backup } from './backup/index.ts';
import type { Campaign } from './campaign.ts';

/** All campaigns, in the order in which they run. */
export const campaigns: readonly Campaign[] = [backup];
