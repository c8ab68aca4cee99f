/** All scopes. An operation requires at most one; a key can have any combination. */
export const scopes = {
  'agents:read': 'List, search and read agents.',
  'agents:write': 'Create, update, publish and delete agents.',
  'keys:read': 'List and read the API keys of the workspace.',
  'keys:write': 'Create, rotate and revoke API keys of the workspace.',
  'audit:read': 'Read the audit trail of the workspace.',
} as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
