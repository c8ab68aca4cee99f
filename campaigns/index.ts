import type { Campaign } from './campaign.ts';
import { crash } from './crash/crash.ts';
import { overload } from './overload.ts';
import { repeat } from './repeat/repeat.ts';

/** All campaigns, in the order in which they run. */
export const campaigns: readonly Campaign[] = [crash, repeat, overload];
