// Generated from the files beside it by "npm run generate".
import type { Migration } from '../migration.ts';
import { firstTables } from './0001-first-tables.ts';
import { lifeOfAnAgent } from './0002-life-of-an-agent.ts';
import { nameIndex } from './0003-name-index.ts';
import { shorterAuditLog } from './0004-shorter-audit-log.ts';
import { largeAgents } from './0005-large-agents.ts';
import { requestFigures } from './0006-request-figures.ts';
import { jobs } from './0007-jobs.ts';
import { secrets } from './0008-secrets.ts';
import { calls } from './0009-calls.ts';
import { webhooks } from './0010-webhooks.ts';
import { liveCalls } from './0011-live-calls.ts';
import { webhookSending } from './0012-webhook-sending.ts';
import { analysis } from './0013-analysis.ts';
import { webhookFailures } from './0014-webhook-failures.ts';
import { fairClaims } from './0015-fair-claims.ts';
import { documentVersions } from './0016-document-versions.ts';
import { sealedJobs } from './0017-sealed-jobs.ts';
import { phone } from './0018-phone.ts';
import { phoneCalls } from './0019-phone-calls.ts';
import { knowledge } from './0020-knowledge.ts';
import { knowledgeOfCalls } from './0021-knowledge-of-calls.ts';
import { analytics } from './0022-analytics.ts';
import { viewsAlertsPrices } from './0023-views-alerts-prices.ts';
import { workflows } from './0024-workflows.ts';
import { providerCredentials } from './0025-provider-credentials.ts';
import { callTexts } from './0026-call-texts.ts';
import { twoReleases } from './0027-two-releases.ts';

/** In order. A released migration never changes; changes are new migrations. */
export const migrations: readonly Migration[] = [
  firstTables,
  lifeOfAnAgent,
  nameIndex,
  shorterAuditLog,
  largeAgents,
  requestFigures,
  jobs,
  secrets,
  calls,
  webhooks,
  liveCalls,
  webhookSending,
  analysis,
  webhookFailures,
  fairClaims,
  documentVersions,
  sealedJobs,
  phone,
  phoneCalls,
  knowledge,
  knowledgeOfCalls,
  analytics,
  viewsAlertsPrices,
  workflows,
  providerCredentials,
  callTexts,
  twoReleases,
];
