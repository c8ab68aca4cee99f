/** In a file of its own: the contract of API keys lists the scopes of all areas, and these are among them. */
export const keyScopes = {
  'keys:read': 'List and read the API keys of the workspace.',
  'keys:write': 'Create, rotate and revoke API keys of the workspace.',
} as const;
