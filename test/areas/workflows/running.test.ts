import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { phoneNumberId } from '../calls/phone/support.ts';
import { eventReceiver, newWorkspace, stepOf, useWorkflowService } from './support.ts';

onEachEngine('runs of workflows', (engine) => {
  const service = useWorkflowService(engine);

  it('takes steps of every type, each with its effect, in the order of the workflow', async () => {
    const receiver = await eventReceiver((response) => void response.end('{"lead":{"id":"lead-81"}}'));
    const { enabled, endedCall, runOf, call, agent, secret, until } = await newWorkspace(service);
    await secret('CRM_TOKEN', 'crm-token-0000');
    const { id: agentId } = await agent();
    const { id: workflowId } = await enabled([
      {
        id: 'crm',
        type: 'http_request',
        url: `${receiver.url}/{{call.externalId}}?run={{run.id}}`,
        headers: { Authorization: 'Bearer {{secrets.CRM_TOKEN}}' },
        body: { said: '{{transcript.text}}', page: '{{call.metadata.page}}', none: '{{call.from | default: null}}' },
      },
      { id: 'pause', type: 'wait', seconds: 3600 },
      {
        id: 'choose',
        type: 'condition',
        routes: [{ if: { field: 'steps.crm.output.body.lead.id', op: 'exists', value: false }, next: 'end' }],
        otherwise: 'note',
      },
      { id: 'note', type: 'update_call', metadata: { lead: '{{steps.crm.output.body.lead.id}}' }, externalId: 'done' },
      {
        id: 'call_back',
        type: 'create_call',
        call: { type: 'phone', agentId, agentVersion: 'latest', fromPhoneNumberId: phoneNumberId, to: '+819012345678' },
      },
    ]);
    const { id: callId } = await endedCall({ externalId: 'a/b', metadata: { page: { path: '/booking' } } });
    const waiting = await runOf(callId, 'waiting');
    assert.equal(waiting.steps.find(({ status }) => status === 'waiting')?.id, 'pause');
    service.time.advance(3_600_000);
    const run = await until(waiting.id, 'succeeded', 'failed');
    assert.deepEqual(
      run.steps.map(({ id, status, error }) => [id, status, error]),
      ['crm', 'pause', 'choose', 'note', 'call_back'].map((id) => [id, 'succeeded', null]),
    );
    assert.deepEqual([run.workflowId, run.workflowVersion, run.trigger, run.depth], [workflowId, 1, 'event', 1]);
    const [request] = receiver.requests;
    assert.equal(receiver.requests.length, 1);
    assert.equal(request?.path, `/hook/a%2Fb?run=${run.id}`);
    assert.equal(request?.headers.authorization, 'Bearer crm-token-0000');
    assert.equal(request?.headers['idempotency-key'], `${run.id}.crm`);
    const { said, page, none } = JSON.parse(request?.body ?? '');
    assert.equal(said, 'caller: Hello\nagent: Hello');
    assert.deepEqual([page, none], [{ path: '/booking' }, null]);
    assert.deepEqual(stepOf(run, 'crm').output, { statusCode: 200, body: { lead: { id: 'lead-81' } } });
    assert.deepEqual(stepOf(run, 'choose').output, { matched: null });
    const changed = await call(callId).call();
    assert.deepEqual([changed.metadata.lead, changed.externalId], ['lead-81', 'done']);
    const created = await call(String(stepOf(run, 'call_back').output?.callId)).call();
    assert.deepEqual([created.type, created.to, created.workflowRunId], ['phone', '+819012345678', run.id]);
    assert.deepEqual(
      service.lines.dialed.map((dial) => dial.callId),
      [created.id],
    );
  });
});
