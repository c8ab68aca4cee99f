import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { explainTrigger } from '../../../src/areas/workflows/steps/filters.ts';
import { TestRun } from '../../../src/areas/workflows/testing/test-run.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import type { Definition } from '../../../src/contract/workflows/definition.ts';
import type { WorkflowMock } from '../../../src/contract/workflows/test-operation.ts';
import { createWorkflowBody } from '../../../src/contract/workflows/workflow.ts';
import { check } from '../../../src/core/issues.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { analysisWith, callWith } from '../../support/stored-calls.ts';
import { newWorkspace, startWorkflowService } from './support.ts';

const folder = new URL('../../../examples/workflows/', import.meta.url);
const read = (name: string): Readonly<Record<string, unknown>> => parse(readFileSync(new URL(name, folder), 'utf8'));

function definitionOf(name: string): Definition {
  const checked = check(createWorkflowBody, read(name));
  assert.ok('value' in checked, JSON.stringify(checked));
  return checked.value;
}

interface Outcome {
  readonly matched: boolean;
  readonly end: string;
  readonly reached: readonly string[];
  rendered(id: string): Readonly<Record<string, unknown>>;
}

function outcomeOf(name: string, call: Call, mocks: Readonly<Record<string, WorkflowMock>> = {}): Outcome {
  const { trigger, steps } = definitionOf(name);
  const run = new TestRun({
    steps,
    call,
    transcript: { text: 'caller: Hello', failure: null },
    workflowId: 'wfl_1',
    nowMs: Date.parse('2026-11-18T09:30:00Z'),
    mocks,
  });
  while (!run.isOver) run.step();
  return {
    matched: explainTrigger(trigger, call).matched,
    end: run.end,
    reached: run.steps.filter(({ reached }) => reached).map(({ id }) => id),
    rendered: (id) => run.steps.find((step) => step.id === id)?.rendered ?? {},
  };
}

const phoneCall = callWith({
  workspaceId: 'ws_1',
  type: 'phone',
  status: 'ended',
  endReason: 'caller_hangup',
  from: '+81312345678',
  to: '+819012345678',
  phoneNumberId: 'num_1',
  startedAt: '2026-11-18T00:30:00.000Z',
  analysis: analysisWith({ status: 'completed', summary: '予約の変更', successful: true }),
});

describe('the example workflows', () => {
  it('are valid, all of them', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
    assert.deepEqual(files.sort(), ['call-back.yaml', 'chat-channel.yaml', 'crm.yaml', 'offline.yaml']);
    for (const name of files) definitionOf(name);
  });

  it('post a line to a chat channel', () => {
    const { matched, end, rendered } = outcomeOf('chat-channel.yaml', phoneCall);
    assert.deepEqual([matched, end], [true, 'succeeded']);
    assert.equal(rendered('post').url, 'https://hooks.slack.com/services/{{secrets.CHAT_HOOK}}');
    const text = '2026-11-18 09:30, +81312345678 (caller_hangup): 予約の変更';
    assert.deepEqual(JSON.parse(String(rendered('post').body)), { text });
    const { matched: isSkippedMatched } = outcomeOf('chat-channel.yaml', {
      ...phoneCall,
      analysis: analysisWith({ status: 'skipped' }),
    });
    assert.equal(isSkippedMatched, false);
  });

  it('write to a CRM, for a known and for a new caller', () => {
    const known = outcomeOf('crm.yaml', phoneCall, { find: { statusCode: 200, body: { items: [{ id: 'c 1' }] } } });
    assert.deepEqual([known.matched, known.end], [true, 'succeeded']);
    assert.deepEqual(known.reached, ['find', 'is_known', 'note_known', 'mark_known']);
    assert.equal(known.rendered('find').url, 'https://crm.example.com/v1/contacts?phone=%2B81312345678');
    assert.equal(known.rendered('note_known').url, 'https://crm.example.com/v1/contacts/c%201/notes');
    const created = outcomeOf('crm.yaml', phoneCall, {
      find: { statusCode: 200, body: { items: [] } },
      create: { statusCode: 201, body: { id: 'c2' } },
    });
    assert.deepEqual(created.reached, ['find', 'is_known', 'create', 'note_new', 'mark_new']);
    assert.deepEqual(JSON.parse(String(created.rendered('create').body)), { phone: '+81312345678', name: null });
    assert.deepEqual(created.rendered('mark_new'), { metadata: { crmContactId: 'c2' } });
    assert.equal(outcomeOf('crm.yaml', { ...phoneCall, from: null }).matched, false);
    assert.equal(outcomeOf('crm.yaml', phoneCall, { find: { error: 'timeout' } }).end, 'failed');
  });

  it('call back on the next morning if nobody answered', () => {
    const missed: Call = {
      ...phoneCall,
      direction: 'outbound',
      status: 'not_connected',
      endReason: 'dial_no_answer',
      from: '+81312345678',
      variables: { name: '佐藤', n: 2 },
      metadata: { list: [1] },
    };
    const { matched, end, rendered } = outcomeOf('call-back.yaml', missed);
    assert.deepEqual([matched, end], [true, 'succeeded']);
    assert.equal(rendered('ten').resumeAt, '2026-11-19T01:00:00.000Z');
    const { agentId, fromPhoneNumberId, to, variables, metadata, externalId, queue } = rendered('call_back');
    assert.deepEqual(
      { agentId, fromPhoneNumberId, to, variables, metadata, externalId, queue },
      {
        agentId: missed.agentId,
        fromPhoneNumberId: 'num_1',
        to: '+819012345678',
        variables: { name: '佐藤', n: 2 },
        metadata: { list: [1] },
        externalId: null,
        queue: true,
      },
    );
    assert.deepEqual(outcomeOf('call-back.yaml', { ...missed, metadata: { done: true } }).reached, [
      'ten',
      'still_open',
    ]);
    assert.equal(outcomeOf('call-back.yaml', { ...missed, endReason: 'dial_declined' }).matched, false);
  });

  it('send chats to the receiver of the repository, which does nothing twice', async () => {
    const { createReceiver } = await import(new URL('receiver.js', folder).href);
    const lines: string[] = [];
    const receiver = createReceiver({ log: (line: string) => lines.push(line) });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    after(() => receiver.close());
    const service = await startWorkflowService(sqliteEngine());
    after(() => service.close());
    const { port } = receiver.address() as AddressInfo;
    const text = readFileSync(new URL('offline.yaml', folder), 'utf8').replace(':8099/', `:${port}/`);
    const { request, patch, endedCall, runOf, until, call } = await newWorkspace(service);
    const created = await request('POST', '/workflows', parse(text));
    assert.equal(created.status, 201, created.text);
    await patch(created.json.id, { enabled: true });
    const { id: callId } = await endedCall();
    const waiting = await runOf(callId, 'waiting');
    service.time.advance(60_000);
    const run = await until(waiting.id, 'succeeded', 'failed');
    assert.equal(run.status, 'succeeded');
    assert.deepEqual(
      run.steps[0]?.attempts.map(({ statusCode }) => statusCode),
      [503, 200],
    );
    assert.equal((await call(callId).call()).metadata.ticket, 1);
    const send = `POST /chats/${callId} ${run.id}.send`;
    assert.deepEqual([lines[0], lines[2]], [`${send} -> 503`, `${send} -> 200`]);
    assert.match(JSON.parse(lines[1] ?? '').transcript, /^caller: Hello\nagent: /);
  });
});
