export const knowledgeScopes = {
  'knowledge:read': 'List, read and search knowledge bases and their documents.',
  'knowledge:write':
    'Create, change and delete knowledge bases and documents; fetches addresses and sends texts to the embeddings provider.',
} as const;
