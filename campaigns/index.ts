import type { Campaign } from './campaign.ts';
import { drain } from './drain.ts';
import { storage } from './storage.ts';

/** All campaigns, in the order in which they run. */
export const campaigns: readonly Campaign[] = [storage, drain];
