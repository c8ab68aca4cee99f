import type { Campaign } from './campaign.ts';
import { fuzz } from './fuzz.ts';

/** All campaigns, in the order in which they run. */
export const campaigns: readonly Campaign[] = [fuzz];
