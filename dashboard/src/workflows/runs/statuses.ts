import type { WorkflowRun } from '../../../../sdk/src/index.ts';

export type RunStatus = WorkflowRun['status'];

export const runStatuses: readonly RunStatus[] = [
  'pending',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'canceled',
  'skipped',
];
const openRunStatuses: readonly RunStatus[] = ['pending', 'running', 'waiting'];

export function isOpenRun({ status }: Pick<WorkflowRun, 'status'>): boolean {
  return openRunStatuses.includes(status);
}
