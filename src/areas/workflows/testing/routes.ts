import { setImmediate } from 'node:timers/promises';
import { type Call, terminalStatuses } from '../../../contract/calls/call.ts';
import type { Definition } from '../../../contract/workflows/definition.ts';
import type { TestWorkflow, WorkflowTest } from '../../../contract/workflows/test-operation.ts';
import { stateConflict, unprocessable } from '../../../core/errors.ts';
import { isId } from '../../../core/ids.ts';
import { throwIssues } from '../../../core/issues.ts';
import { StoredJson } from '../../../core/stored-json.ts';
import type { AllowedNetworks } from '../../../net/networks.ts';
import type { Database } from '../../../storage/database.ts';
import { type DefinitionCheck, requireAllowedAddresses } from '../definition/definition-check.ts';
import type { WorkflowHandlers } from '../handlers.ts';
import type { CallsOfRuns } from '../running/execution.ts';
import { StepFailure } from '../step-failure.ts';
import { explainTrigger } from '../steps/filters.ts';
import type { WorkflowStore } from '../store.ts';
import { readsTranscript } from '../templates/renderer.ts';
import { transcriptText } from '../templates/transcript.ts';
import { TestRun, type Transcript } from './test-run.ts';

export interface TestRouteParts {
  readonly database: Database;
  readonly store: WorkflowStore;
  readonly calls: Pick<CallsOfRuns, 'find' | 'turns'>;
  readonly allowedNetworks: AllowedNetworks;
  readonly checkDefinition: DefinitionCheck;
  readonly now: () => number;
}

/** Longer work lets other requests go on in between. */
const maxTurnMs = 4;

/** What a workflow would do after a call, by the code that runs use, and by reading alone. */
export function testRoutes(parts: TestRouteParts): Pick<WorkflowHandlers, 'workflows.test'> {
  const { database, store, calls, allowedNetworks, checkDefinition, now } = parts;

  /** The definition to test, and the call to test it on. */
  const readSubjects = async (
    workspaceId: string,
    { callId, workflowId, definition }: TestWorkflow,
  ): Promise<Subjects> => {
    if (definition !== undefined) requireAllowedAddresses(definition, allowedNetworks, ['definition']);
    const call = isId('call', callId) ? await calls.find(database, workspaceId, callId) : undefined;
    requireTerminal(call);
    const saved = workflowId === undefined ? undefined : await store.find(database, workspaceId, workflowId);
    const tested = definition ?? saved?.workflow;
    if (call === undefined || tested === undefined) {
      throw unprocessable({
        ...(call === undefined && { callId: ['is not a call of the workspace'] }),
        ...(tested === undefined && { workflowId: ['is not a workflow of the workspace'] }),
      });
    }
    if (definition !== undefined) await checkDefinition(database, workspaceId, definition, ['definition']);
    return { definition: tested, workflowId: workflowId ?? testWorkflowId, call };
  };

  const readTranscript = async ({ steps }: Definition, call: Call): Promise<Transcript> => {
    if (!steps.some(readsTranscript)) return { text: null, failure: null };
    try {
      return { text: await transcriptText(calls.turns(database, call)), failure: null };
    } catch (error) {
      if (error instanceof StepFailure) return { text: null, failure: error };
      throw error;
    }
  };

  return {
    'workflows.test': async ({ caller: { workspaceId }, body }) => {
      const { definition, workflowId, call } = await readSubjects(workspaceId, body);
      requireKnownSteps(definition, body.mocks);
      const transcript = await readTranscript(definition, call);
      const { matched, conditions } = explainTrigger(definition.trigger, call);
      const run = new TestRun({
        steps: definition.steps,
        call,
        transcript,
        workflowId,
        nowMs: now(),
        mocks: body.mocks,
      });
      const mayGoOn = turns();
      for (; !run.isOver; await mayGoOn()) run.step();
      // Up to 8 MiB, so that it is not one piece of work either.
      const bytes = [Buffer.from(`${JSON.stringify({ matched, filter: conditions }).slice(0, -1)},"steps":[`)];
      for (const [index, step] of run.steps.entries()) {
        bytes.push(Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(step)}`));
        await mayGoOn();
      }
      bytes.push(Buffer.from(`],"end":"${run.end}"}`));
      return { body: new StoredJson<WorkflowTest>(bytes) };
    },
  };
}

/** Resolves at once, or lets other requests go on first if the work has taken long. */
function turns(): () => Promise<void> {
  let startMs = performance.now();
  return async () => {
    if (performance.now() - startMs < maxTurnMs) return;
    await setImmediate();
    startMs = performance.now();
  };
}

interface Subjects {
  readonly definition: Definition;
  readonly workflowId: string;
  readonly call: Call;
}

/** `workflow.id` of a definition that is not saved. */
const testWorkflowId = 'wfl_test';

function requireTerminal(call: Call | undefined): void {
  if (call === undefined || (terminalStatuses as readonly string[]).includes(call.status)) return;
  throw stateConflict('call', { status: call.status, allowed: terminalStatuses });
}

function requireKnownSteps({ steps }: Definition, mocks: TestWorkflow['mocks']): void {
  const unknown = Object.keys(mocks).filter((id) => !steps.some((step) => step.id === id));
  const issues = unknown.map((id) => ({ path: ['mocks', id], message: 'is not a step of the workflow' }));
  throwIssues(issues);
}
