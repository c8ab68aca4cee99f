/** Every scope a key can hold. An operation names exactly one; a key holds any set of them. */
export const scopes = {
  'agents:read': 'List, search and read agents.',
  'agents:write': 'Create and change agents.',
  'keys:read': 'List and read the API keys of the workspace.',
  'keys:write': 'Create, rotate and revoke API keys of the workspace.',
  'audit:read': 'Read the audit trail of the workspace.',
} as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
