import { backup } from './backup/index.ts';
import type { Campaign } from './campaign.ts';
import { clock } from './clock/index.ts';
import { crash } from './crash/crash.ts';
import { drain } from './drain.ts';
import { fuzz } from './fuzz.ts';
import { model } from './model/index.ts';
import { overload } from './overload.ts';
import { paging } from './paging/index.ts';
import { repeat } from './repeat/repeat.ts';
import { secrets } from './secrets/campaign.ts';
import { storage } from './storage.ts';
import { tenants } from './tenants/campaign.ts';
import { wire } from './wire.ts';

/** All campaigns, in the order in which they run. */
export const campaigns: readonly Campaign[] = [
  crash,
  repeat,
  model,
  fuzz,
  wire,
  tenants,
  paging,
  storage,
  overload,
  drain,
  clock,
  secrets,
  backup,
];
