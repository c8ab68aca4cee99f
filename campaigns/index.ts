import type { Campaign } from './campaign.ts';
import { clock } from './clock/index.ts';
import { model } from './model/index.ts';
import { paging } from './paging/index.ts';

/** All campaigns, in the order in which they run. */
export const campaigns: readonly Campaign[] = [model, paging, clock];
