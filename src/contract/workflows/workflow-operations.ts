import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { queryBoolean } from '../query.ts';
import { text } from '../text.ts';
import { createWorkflowBody, updateWorkflowBody, workflow, workflowId, workflowVersion } from './workflow.ts';

/** What newcomers want first: a message in a chat channel. */
const chatMessage = {
  name: '通話のお知らせ',
  trigger: { event: 'call_analyzed', filter: { field: 'analysis.successful', op: 'eq', value: false } },
  steps: [
    {
      id: 'tell',
      type: 'http_request',
      url: 'https://hooks.chat.example.com/services/voice',
      body: { text: '{{call.analysis.summary | default: "要約はありません"}}' },
    },
  ],
};

export const none = z.object({});
export const oneWorkflow = { params: z.object({ id: workflowId }), query: none, body: null } as const;
const etag = { ETag: 'The entity tag of the workflow. Runs do not change it.' };

export const listWorkflows = defineOperation({
  id: 'workflows.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/workflows',
  scope: 'workflows:read',
  risk: 'standard',
  summary: 'List workflows',
  description: 'Returns the workflows of the workspace, newest first. Filters combine with AND.',
  params: none,
  query: z.object({
    ...pageParameters,
    enabled: queryBoolean
      .optional()
      .meta({ description: 'Only workflows that are enabled, or only those that are not.', examples: [true] }),
    agentId: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'Only workflows that calls of this agent can start, including those of all agents.',
        examples: ['agt_01m7f8nkmj0000v37e3s3e28jt97kb'],
      }),
  }),
  body: null,
  success: pageSuccess('WorkflowPage', workflow, 'A page of workflows.'),
});

export const createWorkflow = defineOperation({
  id: 'workflows.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/workflows',
  scope: 'workflows:write',
  risk: 'sensitive',
  summary: 'Create a workflow',
  description:
    'Creates a workflow, which is disabled: update `enabled` once it is ready. Every issue of the definition is reported at once, with its path in `trigger` or `steps`. A workspace can have up to 100 workflows (422).',
  params: none,
  query: none,
  body: createWorkflowBody,
  bodyExample: chatMessage,
  success: {
    status: 201,
    description: 'The new workflow.',
    body: workflow,
    headers: etag,
    example: { enabled: false, disabledReason: null },
  },
});

export const getWorkflow = defineOperation({
  ...oneWorkflow,
  id: 'workflows.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/workflows/{id}',
  scope: 'workflows:read',
  risk: 'standard',
  summary: 'Get a workflow',
  description: 'Returns a workflow.',
  success: { status: 200, description: 'The workflow.', body: workflow, headers: etag },
});

export const updateWorkflow = defineOperation({
  ...oneWorkflow,
  id: 'workflows.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/workflows/{id}',
  scope: 'workflows:write',
  risk: 'sensitive',
  summary: 'Update a workflow',
  description:
    'Changes the given fields. A change of `trigger` or `steps` is a new version, which applies to runs that start afterwards.',
  body: updateWorkflowBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { enabled: true },
  condition: 'If-Match',
  success: { status: 200, description: 'The workflow.', body: workflow, headers: etag },
});

export const deleteWorkflow = defineOperation({
  ...oneWorkflow,
  id: 'workflows.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/workflows/{id}',
  scope: 'workflows:write',
  risk: 'destructive',
  summary: 'Delete a workflow',
  description: 'Deletes a workflow. Its open runs are canceled; all its runs can still be read.',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The workflow has been deleted.',
    body: z
      .strictObject({
        id: workflowId.max(64),
        deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
      })
      .meta({ id: 'DeletedWorkflow', description: 'Confirms the deletion.' }),
  },
});

export const listWorkflowVersions = defineOperation({
  ...oneWorkflow,
  id: 'workflows.versions.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/workflows/{id}/versions',
  scope: 'workflows:read',
  risk: 'standard',
  summary: 'List the versions of a workflow',
  description: 'Returns the versions of a workflow, newest first.',
  query: z.object(pageParameters),
  success: pageSuccess('WorkflowVersionPage', workflowVersion, 'A page of versions.'),
});

const requestTime = z.iso.datetime({
  offset: true,
  error: ({ input }) =>
    input === undefined ? 'is required' : 'must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z',
});

export const maxResumedRuns = 10_000;

export const resumeWorkflow = defineOperation({
  ...oneWorkflow,
  id: 'workflows.resume',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/workflows/{id}/resume',
  scope: 'workflows:write',
  risk: 'sensitive',
  summary: 'Resume failed runs',
  description:
    'Continues the runs that failed in this time, each at its failed step, with the same requests and keys: for a receiver that was down. Up to 10,000 runs, the oldest first; repeat the request for the others.',
  body: z
    .object({
      since: requestTime.meta({
        description: 'Runs that failed at this time or later.',
        examples: ['2026-12-18T09:00:00Z'],
      }),
      until: requestTime.optional().meta({
        description: 'Runs that failed before this time. Absent: until now.',
        examples: ['2026-12-18T10:00:00Z'],
      }),
    })
    .meta({ id: 'ResumeWorkflow', description: 'Which runs to resume.' }),
  bodyExample: { since: '2026-12-18T09:00:00Z' },
  success: {
    status: 200,
    description: 'The runs continue.',
    body: z
      .strictObject({
        matched: z
          .int()
          .min(0)
          .meta({ description: 'The number of runs that continue.', examples: [42] }),
      })
      .meta({ id: 'ResumedRuns', description: 'How many runs continue.' }),
  },
});
