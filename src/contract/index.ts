// Generated from the files beside it by "npm run generate".
import { agentsContract } from './agents/index.ts';
import { analysisContract } from './analysis/index.ts';
import { analyticsContract } from './analytics/index.ts';
import { apiKeysContract } from './api-keys/index.ts';
import { auditContract } from './audit/index.ts';
import { callsContract } from './calls/index.ts';
import { figuresContract } from './figures/index.ts';
import { knowledgeContract } from './knowledge/index.ts';
import { phoneContract } from './phone/index.ts';
import { providersContract } from './providers/index.ts';
import { secretsContract } from './secrets/index.ts';
import { simulationsContract } from './simulations/index.ts';
import { webhooksContract } from './webhooks/index.ts';
import { workflowsContract } from './workflows/index.ts';

/** Every area of the public interface, in the order of the reference. New ones are added at the end. */
export const contracts = [
  agentsContract,
  apiKeysContract,
  auditContract,
  figuresContract,
  callsContract,
  providersContract,
  analysisContract,
  simulationsContract,
  secretsContract,
  webhooksContract,
  phoneContract,
  knowledgeContract,
  analyticsContract,
  workflowsContract,
] as const;

type PublicOperation = (typeof contracts)[number]['operations'][number];

/** Every operation of the public API. Operations that are not in this list are not served. */
export const operations: readonly PublicOperation[] = contracts.flatMap<PublicOperation>(
  (contract) => contract.operations,
);

export type OperationId = PublicOperation['id'];
export type OperationWithId<Id extends OperationId> = Extract<PublicOperation, { id: Id }>;
