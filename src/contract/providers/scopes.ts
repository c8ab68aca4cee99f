export const providerScopes = {
  'providers:write':
    'Set, verify and delete the keys and addresses that the workspace uses at providers of speech and language models.',
} as const;
