import { setTimeout as delay } from 'node:timers/promises';
import { createAlert } from '../../src/contract/analytics/alerts.ts';
import { putPrices } from '../../src/contract/analytics/prices.ts';
import { createView } from '../../src/contract/analytics/views.ts';
import type { Reply, RequestOptions } from '../connection.ts';
import { deadUrl, documentBody, type Target } from './requests.ts';

/** Requests of a workspace, all of which succeed. */
export interface Requests {
  must(method: string, path: string, options?: RequestOptions): Promise<Reply>;
}

/** Workflows with runs, knowledge bases with documents, and saved figures. They do not change by themselves. */
export interface HeldResources {
  /** The first has two versions. */
  readonly workflowIds: readonly string[];
  /** One that has failed after an attempt, one that has succeeded, and one that waits for a month. */
  readonly runIds: readonly string[];
  /** The first has the documents. */
  readonly baseIds: readonly string[];
  readonly documentIds: readonly string[];
  /** The chunks of the first document. */
  readonly chunkIds: readonly string[];
  readonly viewIds: readonly string[];
  readonly alertIds: readonly string[];
  /** Times from which prices apply. The first is the same in all workspaces. */
  readonly pricesFrom: readonly string[];
}

export const sharedPricesFrom = '2026-12-01T00:00:00.000Z';

const trigger = { event: 'call_ended', filter: { field: 'metadata.start', op: 'eq', value: 'yes' } };
const sending = { id: 'send', type: 'http_request', url: deadUrl, body: { id: '{{call.id}}' }, maxAttempts: 1 };
const waiting = { id: 'pause', type: 'wait', seconds: 30 * 86_400 };
const failsAfterAnAttempt = [sending];
const succeeds = [
  { ...sending, otherwise: 'note' },
  { id: 'note', type: 'update_call', metadata: { seen: 'yes' } },
];

export async function holdResources(api: Requests, mark: string, callId: string): Promise<HeldResources> {
  const workflowIds = [await newWorkflow(api, failsAfterAnAttempt, mark), await newWorkflow(api, [waiting], mark)];
  await api.must('PATCH', `/api/v1/workflows/${workflowIds[0]}`, { body: { description: mark } });
  const runIds = [await newRun(api, workflowIds[0] as string, callId)];
  // The next version.
  await api.must('PATCH', `/api/v1/workflows/${workflowIds[0]}`, { body: { steps: succeeds } });
  runIds.push(await newRun(api, workflowIds[0] as string, callId));
  runIds.push(await newRun(api, workflowIds[1] as string, callId));
  const baseIds = [await newBase(api, mark), await newBase(api, mark)];
  const first = baseIds[0] as string;
  const text = Array.from({ length: 60 }, (_, number) => `${mark}: parcel ${number} is returned within 30 days.`);
  const documentIds = [
    await newDocument(api, first, { name: mark, text: text.join('\n\n') }),
    await newDocument(api, first, documentBody),
  ];
  const chunks = await api.must('GET', `/api/v1/knowledge-bases/${first}/documents/${documentIds[0]}/chunks?limit=3`);
  const pricesFrom = [sharedPricesFrom, new Date(Date.now() - 86_400_000 * (mark.length + 1)).toISOString()];
  for (const time of pricesFrom) await putPricesFrom(api, time);
  return {
    ...{ workflowIds, runIds, baseIds, documentIds, pricesFrom },
    chunkIds: (json(chunks).items as { id: string }[]).map(({ id }) => id),
    viewIds: [await newView(api, mark), await newView(api, mark)],
    alertIds: [await newAlert(api, mark), await newAlert(api, mark)],
  };
}

export function json(reply: Reply) {
  return JSON.parse(reply.body.toString('utf8'));
}

/** What an operation on one of them needs, and the path by which the resource is deleted afterwards. */
export interface MadeResource {
  readonly id: string;
  readonly documentId?: string;
  readonly path: string;
}

export async function newResourceFor(
  api: Requests,
  { kind, operation }: Pick<Target, 'kind' | 'operation'>,
  callId: () => Promise<string>,
): Promise<MadeResource | null> {
  switch (kind) {
    case 'wfl': {
      const id = await newWorkflow(api, failsAfterAnAttempt, 'made');
      return { id, path: `/api/v1/workflows/${id}` };
    }
    case 'run': {
      // The others are for runs that are over.
      const steps = operation.id === 'workflows.runs.cancel' ? [waiting] : failsAfterAnAttempt;
      const workflowId = await newWorkflow(api, steps, 'made');
      return { id: await newRun(api, workflowId, await callId()), path: `/api/v1/workflows/${workflowId}` };
    }
    case 'kb': {
      const id = await newBase(api, 'made');
      const documentId = operation.path.includes('{documentId}') ? await newDocument(api, id, documentBody) : '';
      return { id, documentId, path: `/api/v1/knowledge-bases/${id}` };
    }
    case 'viw': {
      const id = await newView(api, 'made');
      return { id, path: `/api/v1/analytics/views/${id}` };
    }
    case 'alr': {
      const id = await newAlert(api, 'made');
      return { id, path: `/api/v1/analytics/alerts/${id}` };
    }
    default:
      return null;
  }
}

export async function putPricesFrom(api: Requests, time: string): Promise<void> {
  await api.must('PUT', `/api/v1/analytics/prices/${encodeURIComponent(time)}`, { body: putPrices.bodyExample });
}

/** Nothing of the run changes later by itself. */
export async function runSettled(api: Requests, id: string): Promise<void> {
  const moving = ['pending', 'running'];
  while (moving.includes(json(await api.must('GET', `/api/v1/workflow-runs/${id}`)).status)) await delay(10);
}

export async function documentSettled(api: Requests, baseId: string, id: string): Promise<void> {
  const path = `/api/v1/knowledge-bases/${baseId}/documents/${id}`;
  for (;;) {
    const { status, error } = json(await api.must('GET', path));
    if (status === 'ready') return;
    if (status === 'failed') throw new Error(`a document has failed: ${JSON.stringify(error)}`);
    await delay(10);
  }
}

async function newWorkflow(api: Requests, steps: readonly object[], name: string): Promise<string> {
  return json(await api.must('POST', '/api/v1/workflows', { body: { name, trigger, steps } })).id;
}

async function newRun(api: Requests, workflowId: string, callId: string): Promise<string> {
  const { id } = json(await api.must('POST', `/api/v1/workflows/${workflowId}/runs`, { body: { callId } }));
  await runSettled(api, id);
  return id;
}

async function newBase(api: Requests, name: string): Promise<string> {
  return json(await api.must('POST', '/api/v1/knowledge-bases', { body: { name } })).id;
}

async function newDocument(api: Requests, baseId: string, body: object): Promise<string> {
  const { id } = json(await api.must('POST', `/api/v1/knowledge-bases/${baseId}/documents`, { body }));
  await documentSettled(api, baseId, id);
  return id;
}

async function newView(api: Requests, name: string): Promise<string> {
  return json(await api.must('POST', '/api/v1/analytics/views', { body: { ...createView.bodyExample, name } })).id;
}

async function newAlert(api: Requests, name: string): Promise<string> {
  const body = { ...createAlert.bodyExample, name, enabled: false };
  return json(await api.must('POST', '/api/v1/analytics/alerts', { body })).id;
}
