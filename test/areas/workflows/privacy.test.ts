import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allRows } from '../../backup/support.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { eventReceiver, type Given, newWorkspace, stepOf, useWorkflowService } from './support.ts';

const secret = 'very-secret"token/0000';

onEachEngine('what is kept of runs', (engine) => {
  const service = useWorkflowService(engine);
  const everything = async (): Promise<string> => JSON.stringify(await allRows(service.databaseUrl));

  it('never contains a secret, also if the receiver repeats it', async () => {
    const receiver = await eventReceiver((response, { headers, path }) => {
      response.end(JSON.stringify({ repeated: headers['x-token'], path, [String(headers['x-token'])]: [1] }));
    });
    const { enabled, endedCall, runOf, secret: put } = await newWorkspace(service);
    await put('TOKEN', secret);
    await enabled([
      {
        id: 'send',
        type: 'http_request',
        url: `${receiver.url}/{{secrets.TOKEN}}?token={{secrets.TOKEN}}`,
        headers: { 'X-Token': '{{secrets.TOKEN}}' },
        body: { text: 'hello' },
      },
      { id: 'next', type: 'http_request', url: receiver.url, body: { repeated: '{{steps.send.output.body}}' } },
    ]);
    const { id } = await endedCall();
    const run = await runOf(id, 'succeeded', 'failed');
    assert.equal(run.status, 'succeeded');
    const [request, second] = receiver.requests;
    assert.equal(request?.headers['x-token'], secret);
    assert.equal(
      request?.path,
      `/hook/${encodeURIComponent(secret).replaceAll('%2F', '/')}?token=${encodeURIComponent(secret)}`,
    );
    const { output, request: shown, attempts } = stepOf(run, 'send');
    assert.equal(shown?.headers['X-Token'], '{{secrets.TOKEN}}');
    assert.equal(shown?.url, `${receiver.url}/{{secrets.TOKEN}}?token={{secrets.TOKEN}}`);
    assert.equal((output?.body as Given | undefined)?.repeated, '[SECRET]');
    assert.match(attempts[0]?.responseBody ?? '', /\[SECRET\]/);
    const places = [JSON.stringify(run), second?.body ?? '', await everything(), JSON.stringify(service.log)];
    for (const place of places) {
      assert.equal(place.includes('very-secret'), false);
      assert.equal(place.includes('token/0000'), false);
    }
  });

  it('takes the value that a secret has when a request is sent, and fails if there is none any more', async () => {
    const receiver = await eventReceiver((response) => void response.writeHead(503).end());
    const { enabled, endedCall, runOf, run, secret: put, until, request, patch } = await newWorkspace(service);
    await put('TOKEN', 'old-token-0000');
    const headers = { 'X-Token': '{{secrets.TOKEN}}' };
    const { id: workflowId } = await enabled([{ id: 'send', type: 'http_request', url: receiver.url, headers }]);
    const used = await request('DELETE', '/secrets/TOKEN');
    assert.deepEqual([used.status, used.json.error.details.usedBy], [409, [workflowId]]);
    const { id } = await endedCall();
    const { id: runId } = await runOf(id, 'waiting');
    await put('TOKEN', 'new-token-0000');
    service.time.advance(11_000);
    await eventually(async () => stepOf(await run(runId), 'send').attempts.length === 2);
    assert.deepEqual(
      receiver.requests.map((sent) => sent.headers['x-token']),
      ['old-token-0000', 'new-token-0000'],
    );
    await patch(workflowId, { enabled: false });
    assert.equal((await request('DELETE', '/secrets/TOKEN')).status, 200);
    await until(runId, 'waiting');
    service.time.advance(66_000);
    const failed = await until(runId, 'failed');
    assert.deepEqual([failed.reason, stepOf(failed, 'send').attempts.length], ['secret_not_available', 2]);
    const enabling = await request('PATCH', `/workflows/${workflowId}`, { enabled: true });
    assert.deepEqual([enabling.status, Object.keys(enabling.json.error.details.fieldErrors)], [422, ['steps']]);
  });

  it('is redacted for a call without personal data, and only statuses for one with basic attributes', async () => {
    const mail = 'taro.yamada@example.com';
    const receiver = await eventReceiver((response) => void response.end(JSON.stringify({ owner: mail, open: 3 })));
    const { enabled, endedCall, runOf } = await newWorkspace(service);
    await enabled([
      { id: 'send', type: 'http_request', url: receiver.url, body: { text: '{{transcript.text | default: "none"}}' } },
      { id: 'next', type: 'http_request', url: receiver.url, body: { open: '{{steps.send.output.body.open}}' } },
    ]);
    const redacted = await endedCall({ dataStorageSetting: 'everything_except_pii' }, `My address is ${mail}`);
    const run = await runOf(redacted.id, 'succeeded', 'failed');
    assert.equal(run.status, 'succeeded');
    assert.equal((stepOf(run, 'send').output?.body as Given | undefined)?.open, 3);
    assert.match(stepOf(run, 'send').request?.body ?? '', /caller: My address is \[/);
    assert.ok((stepOf(run, 'send').attempts[0]?.responseBody ?? '').includes('['));
    const basic = await endedCall({ dataStorageSetting: 'basic_attributes_only' }, `My address is ${mail}`);
    const failed = await runOf(basic.id, 'succeeded', 'failed');
    assert.deepEqual(stepOf(failed, 'send').output, { statusCode: 200 });
    assert.equal(stepOf(failed, 'send').attempts[0]?.responseBody, null);
    assert.deepEqual([failed.status, failed.reason], ['failed', 'template_error']);
    assert.equal((await everything()).includes(mail), false);
    assert.equal(
      receiver.requests
        .map(({ body }) => body)
        .join()
        .includes(mail),
      false,
    );
  });

  for (const removal of ['redacted', 'deleted'] as const) {
    it(`is nothing of a call that was ${removal}: open runs are canceled, and nothing is sent afterwards`, async () => {
      const receiver = await eventReceiver((response) => void response.end('{"planted":"pineapple"}'));
      const { enabled, endedCall, runOf, until, call, start } = await newWorkspace(service);
      const { id: workflowId } = await enabled([
        {
          id: 'send',
          type: 'http_request',
          url: `${receiver.url}/{{call.metadata.fruit}}`,
          body: { fruit: '{{call.metadata.fruit}}' },
        },
        { id: 'pause', type: 'wait', seconds: 60 },
        { id: 'again', type: 'http_request', url: receiver.url, body: { fruit: '{{call.metadata.fruit}}' } },
      ]);
      const { id } = await endedCall({ metadata: { fruit: 'pineapple' } });
      const ended = await runOf(id, 'waiting');
      service.time.advance(60_000);
      await until(ended.id, 'succeeded');
      const open = await until((await start(workflowId, id)).id, 'waiting');
      assert.equal(receiver.requests.length, 3);
      const answer = removal === 'redacted' ? await call(id).redact('basic_attributes_only') : await call(id).delete();
      assert.equal(answer.status, 200, answer.text);
      service.time.advance(120_000);
      const [canceled, kept] = [await until(open.id, 'canceled'), await until(ended.id, 'succeeded')];
      assert.deepEqual([canceled.reason, canceled.steps[1]?.status], ['content_removed', 'canceled']);
      for (const run of [canceled, kept]) {
        assert.ok(run.steps.every(({ request, output }) => request === null && output === null));
        const attempts = run.steps.flatMap((step) => step.attempts);
        assert.ok(
          attempts.length > 0 && attempts.every(({ url, responseBody }) => url === null && responseBody === null),
        );
      }
      const rows = await allRows(service.databaseUrl);
      const ofRuns = JSON.stringify([rows.workflow_runs, rows.workflow_steps, rows.workflow_attempts]);
      assert.equal(ofRuns.includes('pineapple'), false);
      assert.equal(receiver.requests.length, 3);
    });
  }

  it('has no new run of a call whose content was removed', async () => {
    const { create, endedCall, call, request } = await newWorkspace(service);
    const { id: workflowId } = await create([{ id: 'pause', type: 'wait', seconds: 60 }]);
    const { id } = await endedCall();
    await call(id).redact('basic_attributes_only');
    const path = `/workflows/${workflowId}/runs`;
    assert.equal((await request('POST', path, { callId: id })).status, 422);
    await call(id).delete();
    assert.equal((await request('POST', path, { callId: id })).status, 422);
  });
});
