import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { send } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import type { Service } from '../../support/service.ts';

/** The workflows of the shop, for screenshots. */
export interface ShopWorkflows {
  /** Writes to a CRM, and decides. */
  readonly crmId: string;
  /** A run of it that has failed after several steps. */
  readonly failedRunId: string;
  /** A run that waits until the next morning. */
  readonly waitingRunId: string;
  close(): Promise<void>;
}

interface Opened {
  readonly key: string;
  readonly agentId: string;
}

/** A receiver that knows leads and has lost its notes, and workflows with runs about a call. */
export async function openShopWorkflows(
  service: Service,
  { key, agentId }: Opened,
  callId: string,
): Promise<ShopWorkflows> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/notes')) response.writeHead(404).end('{"error":"no such lead"}');
    else response.end('{"id":"lead-81","owner":"山本"}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const crm = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const ask = async (method: string, path: string, body: unknown) => {
    const { status, text, json } = await send(service, method, `/api/v1${path}`, { key, body });
    assert.ok(status < 300, text);
    return json;
  };
  const run = async (workflowId: string, status: string): Promise<string> => {
    const { id } = await ask('POST', `/workflows/${workflowId}/runs`, { callId });
    await eventually(async () => {
      const { json } = await send(service, 'GET', `/api/v1/workflow-runs/${id}`, { key });
      return json.status === status;
    }, `a run that is ${status}`);
    return id;
  };
  await ask('PUT', '/secrets/CRM_TOKEN', { value: 'token', hosts: ['127.0.0.1'] });
  const chat = await ask('POST', '/workflows', {
    name: 'チャットに投稿',
    trigger: { event: 'call_analyzed' },
    steps: [
      {
        id: 'tell',
        type: 'http_request',
        url: `${crm}/chat`,
        body: { text: '{{call.analysis.summary | default: "—"}}' },
      },
    ],
  });
  await ask('PATCH', `/workflows/${chat.id}`, { enabled: true });
  const callback = await ask('POST', '/workflows', {
    name: '翌朝の確認電話',
    description: '応答がなかった場合',
    trigger: { event: 'call_ended', filter: { field: 'status', op: 'eq', value: 'not_connected' } },
    steps: [
      { id: 'morning', type: 'wait', at: '10:00', timeZone: 'Asia/Tokyo' },
      { id: 'note', type: 'update_call', metadata: { calledBack: 'yes' } },
    ],
  });
  const crmWorkflow = await ask('POST', '/workflows', {
    name: 'CRMに登録',
    description: '予約できなかった通話を引き継ぐ',
    trigger: {
      event: 'call_analyzed',
      agentIds: [agentId],
      filter: {
        all: [
          { field: 'analysis.successful', op: 'eq', value: true },
          {
            any: [
              { field: 'durationMs', op: 'gte', value: 10_000 },
              { field: 'metadata.vip', op: 'exists', value: true },
            ],
          },
        ],
      },
    },
    steps: [
      {
        id: 'crm',
        type: 'http_request',
        url: `${crm}/leads`,
        headers: { Authorization: 'Bearer {{secrets.CRM_TOKEN}}' },
        body: {
          summary: '{{call.analysis.summary | default: ""}}',
          treatment: '{{call.analysis.data.treatment | default: null}}',
        },
        otherwise: 'tell',
      },
      {
        id: 'booked',
        type: 'condition',
        routes: [{ if: { field: 'analysis.data.treatment', op: 'eq', value: 'perm' }, next: 'end' }],
        otherwise: 'note',
      },
      {
        id: 'tell',
        type: 'http_request',
        url: `${crm}/chat`,
        body: { text: 'CRM: {{steps.crm.statusCode | default: "—"}}' },
        next: 'end',
      },
      {
        id: 'note',
        type: 'http_request',
        url: `${crm}/notes/{{call.id}}`,
        form: { note: '{{call.analysis.summary | default: "—"}}' },
      },
      { id: 'mark', type: 'update_call', metadata: { crm: 'done' } },
    ],
  });
  await ask('PATCH', `/workflows/${crmWorkflow.id}`, { enabled: true });
  for (let count = 0; count < 3; count += 1) await run(chat.id, 'succeeded');
  return {
    crmId: crmWorkflow.id,
    failedRunId: await run(crmWorkflow.id, 'failed'),
    waitingRunId: await run(callback.id, 'waiting'),
    close: async () => {
      receiver.close();
    },
  };
}
