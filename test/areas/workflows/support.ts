import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Call } from '../../../src/contract/calls/call.ts';
import type { Run } from '../../../src/contract/workflows/run.ts';
import type { Workflow } from '../../../src/contract/workflows/workflow.ts';
import { type Answer, send } from '../../support/client.ts';
import type { Engine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { type Service, startService } from '../../support/service.ts';
import { phoneAgent, TestLines } from '../calls/phone/support.ts';
import { newChat, on, TestClock } from '../calls/support.ts';

export { eventReceiver } from '../webhooks/receiving.ts';

export interface WorkflowService extends Service {
  readonly time: TestClock;
  readonly lines: TestLines;
}

/** A service that takes the steps of runs soon, with a clock that tests can move. */
export async function startWorkflowService(
  engine: Engine,
  options: Parameters<typeof startService>[1] = {},
): Promise<WorkflowService> {
  const time = new TestClock();
  const lines = new TestLines();
  const service = await startService(engine, {
    now: time.now,
    workflowRunning: { pollMs: 20 },
    ...options,
    calls: { phone: lines, ...options.calls },
  });
  return Object.assign(service, { time, lines });
}

export function useWorkflowService(
  engine: Engine,
  options: Parameters<typeof startWorkflowService>[1] = {},
): WorkflowService {
  const service = {} as WorkflowService;
  before(async () => {
    Object.assign(service, await startWorkflowService(engine, options));
  });
  after(() => service.close());
  return service;
}

/** On every call that ends, also those with a draft, which tests have. */
export const onEnd = { event: 'call_ended', includeDrafts: true } as const;

export type Given = Readonly<Record<string, unknown>>;

export async function newWorkspace(service: WorkflowService) {
  const { key, workspaceId } = await service.newKey();
  return { ...workspaceOf(service, key), workspaceId };
}

/** A workspace of a service, as its API shows it. */
export function workspaceOf(service: WorkflowService, key: string) {
  const request = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    send(service, method, `/api/v1${path}`, { key, headers, ...(body === undefined ? {} : { body }) });
  const expect = async (status: number, answer: Promise<Answer>): Promise<Answer['json']> => {
    const { status: actual, text, json } = await answer;
    assert.equal(actual, status, text);
    return json;
  };
  const create = (steps: readonly Given[], trigger: Given = onEnd): Promise<Workflow> =>
    expect(201, request('POST', '/workflows', { name: 'Follow-up', trigger, steps }));
  const patch = (id: string, body: unknown): Promise<Workflow> =>
    expect(200, request('PATCH', `/workflows/${id}`, body));
  const runs = async (query = ''): Promise<Run[]> =>
    (await expect(200, request('GET', `/workflow-runs${query}`))).items;
  const run = (id: string): Promise<Run> => expect(200, request('GET', `/workflow-runs/${id}`));
  return {
    key,
    request,
    create,
    patch,
    runs,
    run,

    /** A workflow that events start from now on. */
    enabled: async (steps: readonly Given[], trigger: Given = onEnd): Promise<Workflow> =>
      patch((await create(steps, trigger)).id, { enabled: true }),

    /** A chat that has ended. */
    endedCall: async (call: Given = {}, said = 'Hello'): Promise<Call> => {
      const { id } = await newChat(service, key, { call });
      const chat = on(service, key, id);
      assert.equal((await chat.say(said)).status, 200);
      assert.equal((await chat.end()).status, 200);
      return chat.call();
    },

    call: (id: string) => on(service, key, id),

    /** One that can be called by phone. */
    agent: () => phoneAgent(service, key),

    secret: (name: string, value: string, hosts = ['127.0.0.1']) =>
      expect(200, request('PUT', `/secrets/${name}`, { value, hosts })),

    /** The run of a call, once it has one of these statuses. */
    runOf: (callId: string, ...statuses: readonly Run['status'][]): Promise<Run> =>
      eventually(async () => {
        const [found] = await runs(`?callId=${callId}`);
        return found !== undefined && statuses.includes(found.status) && found;
      }, `the run (${statuses})`),

    /** A run once it has one of these statuses. */
    until: (id: string, ...statuses: readonly Run['status'][]): Promise<Run> =>
      eventually(async () => {
        const found = await run(id);
        return statuses.includes(found.status) && found;
      }, `the run (${statuses})`),

    start: (workflowId: string, callId: string): Promise<Run> =>
      expect(201, request('POST', `/workflows/${workflowId}/runs`, { callId })),
  };
}

export function stepOf(run: Run, id: string): Run['steps'][number] {
  const step = run.steps.find((each) => each.id === id);
  assert.ok(step, `the run has the step ${id}`);
  return step;
}
