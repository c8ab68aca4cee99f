import { defineContract } from '../area.ts';
import { cancelRun, createRun, getRun, listRuns, resumeRun } from './run-operations.ts';
import { workflowScopes } from './scopes.ts';
import { testWorkflow } from './test-operation.ts';
import {
  createWorkflow,
  deleteWorkflow,
  getWorkflow,
  listWorkflows,
  listWorkflowVersions,
  resumeWorkflow,
  updateWorkflow,
} from './workflow-operations.ts';

export const workflowsContract = defineContract({
  tag: { name: 'Workflows', description: 'What happens after a call, and every attempt of it.' },
  idPrefixes: ['wfl', 'run'],
  scopes: workflowScopes,
  operations: [
    listWorkflows,
    createWorkflow,
    getWorkflow,
    updateWorkflow,
    deleteWorkflow,
    listWorkflowVersions,
    testWorkflow,
    resumeWorkflow,
    createRun,
    listRuns,
    getRun,
    resumeRun,
    cancelRun,
  ],
});
