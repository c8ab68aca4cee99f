import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryDelayMs } from '../../../src/areas/workflows/running/schedule.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { eventReceiver, newWorkspace, stepOf, useWorkflowService } from './support.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

onEachEngine('requests of workflows', (engine) => {
  const service = useWorkflowService(engine);
  const request = (url: string, fields: object = {}) => ({
    id: 'send',
    type: 'http_request',
    url,
    headers: { 'X-Page': '{{call.metadata.page}}' },
    body: { page: '{{call.metadata.page}}', at: '{{now}}' },
    ...fields,
  });

  it('are sent again after 500 and 500 with the same bytes and the same key, until the receiver answers 200', async () => {
    const receiver = await eventReceiver((response, _request, index) => {
      response.writeHead(index < 2 ? 500 : 200).end(`answer ${index}`);
    });
    const { enabled, endedCall, runOf, call, run: read } = await newWorkspace(service);
    await enabled([request(receiver.url)]);
    const { id: callId } = await endedCall({ metadata: { page: '/booking' } });
    const first = await runOf(callId, 'waiting');
    const { nextAttemptAt, error } = stepOf(first, 'send');
    const waitMs = Date.parse(String(nextAttemptAt)) - service.time.now();
    assert.ok(waitMs > 0 && waitMs <= 11_000, String(waitMs));
    assert.deepEqual(error, { code: 'http_error', message: 'The receiver answered 500.' });
    // What was rendered stays, whatever becomes of the call.
    await call(callId).patch({ metadata: { page: '/changed' } });
    for (const [count, ms] of [
      [2, 11_000],
      [3, 66_000],
    ] as const) {
      service.time.advance(ms);
      await eventually(async () => stepOf(await read(first.id), 'send').attempts.length === count, `attempt ${count}`);
    }
    const run = await read(first.id);
    assert.equal(run.status, 'succeeded');
    const step = stepOf(run, 'send');
    assert.deepEqual(
      step.attempts.map(({ number, outcome, statusCode, responseBody, url }) => [
        number,
        outcome,
        statusCode,
        responseBody,
        url,
      ]),
      [
        [1, 'http_error', 500, 'answer 0', receiver.url],
        [2, 'http_error', 500, 'answer 1', receiver.url],
        [3, 'succeeded', 200, 'answer 2', receiver.url],
      ],
    );
    assert.deepEqual([step.attemptCount, step.error, step.output], [3, null, { statusCode: 200, body: 'answer 2' }]);
    const sent = receiver.requests.map(({ headers, body, path }) => [
      headers['idempotency-key'],
      headers['x-page'],
      path,
      body,
    ]);
    assert.deepEqual(sent[0]?.slice(0, 2), [`${run.id}.send`, '/booking']);
    assert.deepEqual(sent, [sent[0], sent[0], sent[0]]);
    assert.equal(step.request?.body, sent[0]?.[3]);
  });

  it('fail at once with 404, and the step otherwise is taken, which sees the status', async () => {
    const receiver = await eventReceiver((response, { path }) => {
      response.writeHead(path === '/hook/crm' ? 404 : 200).end();
    });
    const { enabled, endedCall, runOf } = await newWorkspace(service);
    await enabled([
      request(`${receiver.url}/crm`, { headers: {}, body: {}, otherwise: 'tell' }),
      { id: 'unused', type: 'wait', seconds: 60, next: 'end' },
      { id: 'tell', type: 'http_request', url: receiver.url, body: { crm: '{{steps.send.statusCode}}' } },
    ]);
    const { id } = await endedCall();
    const run = await runOf(id, 'succeeded', 'failed', 'waiting');
    assert.deepEqual(
      run.steps.map(({ status, attempts, attemptCount }) => [status, attempts.length, attemptCount]),
      [
        ['failed', 1, 1],
        ['not_reached', 0, 0],
        ['succeeded', 1, 1],
      ],
    );
    assert.equal(run.status, 'succeeded');
    assert.equal(receiver.requests[1]?.body, '{"crm":404}');
  });

  it('fail with the code of the last attempt once all are used up, and the run with them', async () => {
    const receiver = await eventReceiver((response) => void response.destroy());
    const { enabled, endedCall, runOf, until } = await newWorkspace(service);
    await enabled([request(receiver.url, { headers: {}, body: {}, maxAttempts: 2 })]);
    const { id } = await endedCall();
    const waiting = await runOf(id, 'waiting');
    service.time.advance(11_000);
    const run = await until(waiting.id, 'failed', 'succeeded');
    assert.deepEqual([run.status, run.reason], ['failed', 'connection_failed']);
    assert.deepEqual([stepOf(run, 'send').attemptCount, stepOf(run, 'send').error?.code], [2, 'connection_failed']);
  });

  it('accept only the statuses in expect, and obey Retry-After', async () => {
    const receiver = await eventReceiver((response, { path }) => {
      if (path === '/hook/later') response.writeHead(503, { 'retry-after': '7200' }).end();
      else response.writeHead(path === '/hook/created' ? 201 : 302, { location: '/' }).end();
    });
    const { enabled, endedCall, runs } = await newWorkspace(service);
    const plain = { headers: {}, body: null, method: 'GET' };
    const [created, redirected, moved, later] = [
      await enabled([request(`${receiver.url}/created`, { ...plain, expect: [200] })]),
      await enabled([request(receiver.url, plain)]),
      await enabled([request(receiver.url, { ...plain, expect: [302] })]),
      await enabled([request(`${receiver.url}/later`, plain)]),
    ];
    const { id } = await endedCall();
    const ended = await eventually(async () => {
      const found = await runs(`?callId=${id}`);
      return found.length === 4 && found.every(({ status }) => !['pending', 'running'].includes(status)) && found;
    });
    const outcomes = new Map(ended.map((run) => [run.workflowId, run]));
    assert.equal(outcomes.get(created.id)?.reason, 'http_error');
    assert.equal(outcomes.get(redirected.id)?.reason, 'redirect');
    assert.equal(outcomes.get(moved.id)?.status, 'succeeded');
    const waiting = outcomes.get(later.id);
    const waitMs = Date.parse(String(waiting?.steps[0]?.nextAttemptAt)) - service.time.now();
    assert.ok(waitMs > 7_100_000 && waitMs <= 7_200_000, String(waitMs));
  });

  it('fail with a response of more than 64 KiB, which is not asked for again', async () => {
    const receiver = await eventReceiver((response) => void response.end('x'.repeat(64 * 1024 + 1)));
    const { enabled, endedCall, runOf } = await newWorkspace(service);
    await enabled([request(receiver.url, { headers: {}, body: {} })]);
    const { id } = await endedCall();
    const run = await runOf(id, 'failed', 'succeeded', 'waiting');
    assert.deepEqual([run.status, run.reason], ['failed', 'response_too_large']);
    const [attempt] = stepOf(run, 'send').attempts;
    assert.deepEqual(
      [attempt?.outcome, attempt?.statusCode, attempt?.responseBody?.length],
      ['response_too_large', 200, 4096],
    );
    assert.equal(receiver.requests.length, 1);
  });

  it('of one workflow are at most ten at a time, and those of another do not wait for them', async () => {
    const slow = await eventReceiver((response) => void setTimeout(() => response.end(), 60_000).unref());
    const quick = await eventReceiver();
    const { enabled, create, endedCall, start, until } = await newWorkspace(service);
    const { id: slowId } = await create([request(slow.url, { headers: {}, body: {} })]);
    const { id } = await endedCall();
    for (let count = 0; count < 30; count += 1) await start(slowId, id);
    await eventually(() => slow.requests.length === 10, 'ten requests');
    const { id: quickId } = await enabled([request(quick.url, { headers: {}, body: {} })]);
    for (let count = 0; count < 20; count += 1) {
      const run = await until((await start(quickId, id)).id, 'succeeded', 'failed');
      assert.equal(run.status, 'succeeded');
    }
    assert.equal(slow.maxInFlight(), 10);
  });
});

describe('the schedule of retries', () => {
  it('is 10 s, 1 min, 10 min, then every hour, ±10 %, or what the receiver asks for if that is later', () => {
    const delays = [1, 2, 3, 4, 5, 9].map((failures) => retryDelayMs(failures, null, 0.5));
    assert.deepEqual(delays, [10_000, minuteMs, 10 * minuteMs, hourMs, hourMs, hourMs]);
    assert.deepEqual([retryDelayMs(1, null, 0), retryDelayMs(1, null, 1)], [9000, 11_000]);
    assert.deepEqual([retryDelayMs(1, 5000, 0.5), retryDelayMs(1, 20_000, 0.5)], [10_000, 20_000]);
  });
});
