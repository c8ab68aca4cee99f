export const secretScopes = {
  'secrets:read': 'List the names of secrets that tools use.',
  'secrets:write': 'Set and delete secrets that tools use.',
} as const;
