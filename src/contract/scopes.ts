// Generated from the files beside it by "npm run generate".
import { agentScopes } from './agents/scopes.ts';
import { analyticsScopes } from './analytics/scopes.ts';
import { keyScopes } from './api-keys/scopes.ts';
import { auditScopes } from './audit/scopes.ts';
import { callScopes } from './calls/scopes.ts';
import { knowledgeScopes } from './knowledge/scopes.ts';
import { phoneScopes } from './phone/scopes.ts';
import { providerScopes } from './providers/scopes.ts';
import { secretScopes } from './secrets/scopes.ts';
import { webhookScopes } from './webhooks/scopes.ts';
import { workflowScopes } from './workflows/scopes.ts';

/**
 * Every scope that a key can hold. An operation requires at most one. Each area has its own in a file without schemas:
 * API keys list the scopes of all areas, and the command line shows them without loading the rest of the contract.
 */
export const scopes = {
  ...agentScopes,
  ...keyScopes,
  ...auditScopes,
  ...callScopes,
  ...secretScopes,
  ...webhookScopes,
  ...phoneScopes,
  ...knowledgeScopes,
  ...analyticsScopes,
  ...workflowScopes,
  ...providerScopes,
} as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
