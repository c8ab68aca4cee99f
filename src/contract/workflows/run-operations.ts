import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { commaSeparated, queryTime } from '../query.ts';
import { text } from '../text.ts';
import { run, runId, runStatuses } from './run.ts';
import { none, oneWorkflow } from './workflow-operations.ts';

const oneRun = { params: z.object({ id: runId }), query: none, body: null } as const;
const callExample = 'call_01m7f8np1p0000f5kznwj47tan9zt2';
const newRunExample = { status: 'pending', trigger: 'manual', eventId: null, startedAt: null, completedAt: null };

export const createRun = defineOperation({
  ...oneWorkflow,
  id: 'workflows.runs.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/workflows/{id}/runs',
  scope: 'workflows:write',
  risk: 'sensitive',
  summary: 'Run a workflow for a call',
  description:
    'Starts a run of the newest version for a call that is over, whatever `trigger` and `enabled` say. Its requests have new keys: for a workflow that was wrong.',
  body: z
    .object({
      callId: text({ min: 1, max: 64 }).meta({ description: 'The call.', examples: [callExample] }),
    })
    .meta({ id: 'CreateWorkflowRun', description: 'The call of a new run.' }),
  bodyExample: { callId: callExample },
  success: { status: 201, description: 'The new run.', body: run, example: newRunExample },
});

export const listRuns = defineOperation({
  id: 'workflows.runs.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/workflow-runs',
  scope: 'workflows:read',
  risk: 'sensitive',
  summary: 'List runs of workflows',
  description: 'Returns the runs of the workspace, newest first. Filters combine with AND.',
  params: none,
  query: z.object({
    ...pageParameters,
    workflowId: text({ min: 1, max: 64 })
      .optional()
      .meta({ description: 'Only runs of this workflow.', examples: ['wfl_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
    callId: text({ min: 1, max: 64 })
      .optional()
      .meta({ description: 'Only runs about this call.', examples: [callExample] }),
    status: commaSeparated(z.enum(runStatuses))
      .optional()
      .meta({ description: 'Only runs with these statuses.', examples: [['failed']] }),
    createdAfter: queryTime
      .optional()
      .meta({ description: 'Only runs created at this time or later.', examples: ['2026-12-18T00:00:00Z'] }),
    createdBefore: queryTime
      .optional()
      .meta({ description: 'Only runs created before this time.', examples: ['2026-12-19T00:00:00Z'] }),
  }),
  body: null,
  success: pageSuccess('WorkflowRunPage', run, 'A page of runs.'),
});

export const getRun = defineOperation({
  ...oneRun,
  id: 'workflows.runs.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/workflow-runs/{id}',
  scope: 'workflows:read',
  risk: 'sensitive',
  summary: 'Get a run of a workflow',
  description: 'Returns a run with its steps, requests and attempts.',
  success: { status: 200, description: 'The run.', body: run },
});

export const resumeRun = defineOperation({
  ...oneRun,
  id: 'workflows.runs.resume',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/workflow-runs/{id}/resume',
  scope: 'workflows:write',
  risk: 'sensitive',
  summary: 'Resume a failed run',
  description:
    'Continues a failed run at its failed step, with the same version, the same requests and the same keys, and as many attempts as at first. 409 unless the run has failed, and if its workflow or the content of its call was removed.',
  success: { status: 200, description: 'The run.', body: run, example: { status: 'pending', completedAt: null } },
});

export const cancelRun = defineOperation({
  ...oneRun,
  id: 'workflows.runs.cancel',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/workflow-runs/{id}/cancel',
  scope: 'workflows:write',
  risk: 'sensitive',
  summary: 'Cancel a run',
  description:
    'Cancels a run. A request that is in flight finishes and is recorded; nothing follows it. A run that has ended stays as it is.',
  success: { status: 200, description: 'The run.', body: run, example: { status: 'canceled', reason: 'by_user' } },
});
