export const agentScopes = {
  'agents:read': 'List, search and read agents.',
  'agents:write': 'Create, update, publish and delete agents.',
} as const;
