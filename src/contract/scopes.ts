import { agentsContract } from './agents.ts';
import { auditContract } from './audit.ts';
import { keyScopes } from './key-scopes.ts';

/** Every scope that a key can hold. An operation requires exactly one. */
export const scopes = { ...agentsContract.scopes, ...keyScopes, ...auditContract.scopes } as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
