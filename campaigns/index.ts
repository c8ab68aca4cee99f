import { analytics } from './analytics/campaign.ts';
import { backup } from './backup/campaign.ts';
import { calls } from './calls/campaign.ts';
import type { Campaign } from './campaign.ts';
import { clock } from './clock/campaign.ts';
import { crash } from './crash/campaign.ts';
import { dial } from './dial/campaign.ts';
import { drain } from './drain/campaign.ts';
import { fraud } from './fraud/campaign.ts';
import { fuzz } from './fuzz/campaign.ts';
import { hostile } from './hostile/campaign.ts';
import { instances } from './instances/campaign.ts';
import { jobs } from './jobs/campaign.ts';
import { knowledge } from './knowledge/campaign.ts';
import { model } from './model/campaign.ts';
import { overload } from './overload/campaign.ts';
import { paging } from './paging/campaign.ts';
import { personalData } from './personal-data/campaign.ts';
import { phrases } from './phrases/campaign.ts';
import { rejoin } from './rejoin/campaign.ts';
import { repeat } from './repeat/campaign.ts';
import { secrets } from './secrets/campaign.ts';
import { storage } from './storage/campaign.ts';
import { tenants } from './tenants/campaign.ts';
import { voice } from './voice/campaign.ts';
import { webhooks } from './webhooks/campaign.ts';
import { wire } from './wire/campaign.ts';
import { workflows } from './workflows/campaign.ts';

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
  jobs,
  calls,
  dial,
  rejoin,
  instances,
  fraud,
  webhooks,
  workflows,
  personalData,
  analytics,
  knowledge,
  voice,
  phrases,
  hostile,
];
