import {
  createAgent,
  deleteAgent,
  diffAgent,
  duplicateAgent,
  getAgent,
  getAgentVersion,
  listAgents,
  listAgentVersions,
  publishAgent,
  restoreAgentVersion,
  updateAgent,
} from './agents.ts';
import { createApiKey, deleteApiKey, getApiKey, listApiKeys, revokeApiKey, rotateApiKey, whoami } from './api-keys.ts';
import { listAuditLog } from './audit.ts';
import type { Operation } from './operation.ts';
import { getFigures } from './traffic.ts';

/** Every operation of the public API. Operations that are not in this list are not served. */
export const operations = [
  listAgents,
  createAgent,
  getAgent,
  updateAgent,
  deleteAgent,
  duplicateAgent,
  publishAgent,
  listAgentVersions,
  getAgentVersion,
  restoreAgentVersion,
  diffAgent,
  createApiKey,
  listApiKeys,
  getApiKey,
  rotateApiKey,
  revokeApiKey,
  deleteApiKey,
  whoami,
  listAuditLog,
  getFigures,
] as const satisfies readonly Operation[];

export type OperationId = (typeof operations)[number]['id'];
export type OperationWithId<Id extends OperationId> = Extract<(typeof operations)[number], { id: Id }>;
