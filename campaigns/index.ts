import type { Campaign } from './campaign.ts';
import { fuzz } from './fuzz.ts';
import { wire } from './wire.ts';

/** All campaigns, in the order in which they run. */
export const campaigns: readonly Campaign[] = [fuzz, wire];
