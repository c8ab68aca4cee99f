export const workflowScopes = {
  'workflows:read': 'Read workflows and their runs, which contain content of calls.',
  'workflows:write':
    'Create, change, test, run and cancel workflows, which send content of calls to other systems and create calls.',
} as const;
