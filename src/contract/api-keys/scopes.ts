export const keyScopes = {
  'keys:read': 'List and read the API keys of the workspace.',
  'keys:write': 'Create, rotate and revoke API keys of the workspace.',
} as const;
