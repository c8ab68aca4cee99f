export const analyticsScopes = {
  'analytics:read': 'Query figures about calls.',
  'analytics:write': 'Change views, alerts and prices.',
} as const;
