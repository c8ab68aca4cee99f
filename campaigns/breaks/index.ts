import { breaks as analytics } from './analytics.ts';
import { breaks as backup } from './backup.ts';
import type { Break } from './break.ts';
import { breaks as calls } from './calls.ts';
import { breaks as clock } from './clock.ts';
import { breaks as crash } from './crash.ts';
import { breaks as dial } from './dial.ts';
import { breaks as drain } from './drain.ts';
import { breaks as fraud } from './fraud.ts';
import { breaks as fuzz } from './fuzz.ts';
import { breaks as hostile } from './hostile.ts';
import { breaks as instances } from './instances.ts';
import { breaks as jobs } from './jobs.ts';
import { breaks as knowledge } from './knowledge.ts';
import { breaks as model } from './model.ts';
import { breaks as overload } from './overload.ts';
import { breaks as paging } from './paging.ts';
import { breaks as personalData } from './personal-data.ts';
import { breaks as phrases } from './phrases.ts';
import { breaks as rejoin } from './rejoin.ts';
import { breaks as repeat } from './repeat.ts';
import { breaks as secrets } from './secrets.ts';
import { breaks as storage } from './storage.ts';
import { breaks as tenants } from './tenants.ts';
import { breaks as voice } from './voice.ts';
import { breaks as webhooks } from './webhooks.ts';
import { breaks as wire } from './wire.ts';
import { breaks as workflows } from './workflows.ts';

/** All breaks, by the campaign that detects them. */
export const allBreaks: Readonly<Record<string, readonly Break[]>> = {
  backup,
  calls,
  clock,
  crash,
  dial,
  drain,
  fraud,
  fuzz,
  hostile,
  instances,
  jobs,
  knowledge,
  model,
  overload,
  paging,
  'personal-data': personalData,
  analytics,
  phrases,
  rejoin,
  repeat,
  secrets,
  storage,
  tenants,
  voice,
  webhooks,
  wire,
  workflows,
};
