import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CallTime } from '../../../support/call-time.ts';
import { onEachEngine, sqliteEngine } from '../../../support/engines.ts';
import { eventually, modelDouble, on, quickSweep, said, TestClock, warningsIn } from '../support.ts';
import { readsBack } from './scripted-line.ts';
import {
  answered,
  connected,
  dialed,
  inboundCall,
  offer,
  phoneAgent,
  report,
  startPhoneService,
  usePhoneService,
} from './support.ts';

describe('test speech on a phone line', () => {
  it('survives mu-law', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
    for (const text of ['', 'hello', printable, '予約をお願いします', 'x'.repeat(126)])
      assert.equal(readsBack(text), text);
    assert.equal(readsBack('x'.repeat(200)), 'x'.repeat(126));
  });
});

onEachEngine('the media of a phone call', (engine) => {
  const service = usePhoneService(engine);
  let key: string;
  let workspaceId: string;
  before(async () => {
    ({ key, workspaceId } = await service.newKey());
  });

  it('carries a conversation, and the agent that hangs up ends the line', async () => {
    const { line, ...call } = await answered(service, key, { model: 'test-script' });
    assert.equal((await call.call()).status, 'ongoing');
    await line.say('One');
    await line.until(() => line.heard.length >= 2);
    await line.say('Two');
    await line.until(() => line.heard.length >= 4);
    await line.say('Three');
    await line.until(() => line.heard.includes('Goodbye'));
    await line.say('Four');
    await line.closed();
    const { status, endReason, endedBy } = await call.call();
    assert.deepEqual([status, endReason, endedBy], ['ended', 'agent_hangup', 'agent']);
    assert.deepEqual(said(await call.turns()), [
      ['caller', 'One'],
      ['agent', 'Good morning.'],
      ['caller', 'Two'],
      ['agent', 'Which day?'],
      ['caller', 'Three'],
      ['agent', 'Goodbye.'],
      ['caller', 'Four'],
    ]);
    assert.equal(line.violation, null);
  });

  it('of an inbound call that rings connects it, and what was said meanwhile is heard', async () => {
    const { id: agentId } = await phoneAgent(service, key);
    const offered = await offer(service, inboundCall(workspaceId, agentId));
    assert.equal(offered.status, 'ringing');
    const call = { ...on(service, key, offered.call.id), workspaceId };
    const hold = Promise.withResolvers<void>();
    const line = await connected(service, call, (each) => {
      // Before the call is claimed.
      hold.resolve(each.say('Hello'));
    });
    await hold.promise;
    await line.until(() => line.heard.includes('Hello'));
    line.hangUp();
    await eventually(async () => (await call.call()).status === 'ended');
    const { endReason, endedBy, direction } = await call.call();
    assert.deepEqual([endReason, endedBy, direction], ['caller_hangup', 'caller', 'inbound']);
    const states = (await call.events()).flatMap(({ data }) => ('to' in data && 'from' in data ? [data.to] : []));
    assert.deepEqual(states, ['ringing', 'ongoing', 'ended']);
  });

  it('joins once with the same token, and not after the end', async () => {
    const call = await dialed(service, key);
    const found = await service.phone.find(workspaceId, call.id);
    const joining = { workspaceId, callId: call.id, epoch: found?.epoch ?? -1 };
    const line = await connected(service, call);
    await assert.rejects(service.phone.connect(joining, line), { code: 'STATE_CONFLICT' });
    line.hangUp();
    await eventually(async () => (await call.call()).status === 'ended');
    const ended = await service.phone.find(workspaceId, call.id);
    await assert.rejects(service.phone.connect({ ...joining, epoch: ended?.epoch ?? -1 }, line), {
      code: 'STATE_CONFLICT',
    });
    assert.equal(await service.phone.find('ws_other', call.id), undefined);
  });

  it('takes keys as a turn, and the end of the call from the API', async () => {
    const { line, ...call } = await answered(service, key);
    for (const each of '123#') line.press(each);
    await line.until(() => line.heard.includes('123'));
    assert.equal((await call.end()).json.endReason, 'api_end');
    await line.closed();
    assert.deepEqual(said(await call.turns()).at(0), ['caller', '123']);
  });

  it('is told that the caller has hung up by the carrier as well', async () => {
    const { line, ...call } = await answered(service, key);
    await service.phone.tell(workspaceId, call.id, { type: 'hangup' });
    await line.closed();
    assert.equal((await call.call()).endReason, 'caller_hangup');
    // Too late, and of no consequence.
    await service.phone.tell(workspaceId, call.id, { type: 'hangup' });
    assert.equal(
      await report(service, (queries) =>
        service.phone.end(queries, workspaceId, call.id, { reason: 'dial_busy', by: 'system', detail: null }),
      ),
      false,
    );
  });

  it('is recorded on both channels if the agent says so', async () => {
    const agent = { agentSettings: { calls: { recordingEnabled: true } } };
    const { line, ...call } = await answered(service, key, { agent });
    await line.say('Hello');
    await line.until(() => line.heard.includes('Hello'));
    line.hangUp();
    const { recording } = await eventually(async () => {
      const stored = await call.call();
      return stored.recording.status === 'available' && stored;
    });
    assert.ok((recording.durationMs ?? 0) > 300);
    assert.equal((await call.recording()).json.channels, 2);
  });

  it('of a test call is recorded if everything is stored', async () => {
    const everything = await phoneAgent(service, key);
    const less = await phoneAgent(service, key, 'test-echo', { dataStorageSetting: 'everything_except_pii' });
    const statuses: string[] = [];
    for (const { id } of [everything, less]) {
      const offered = await offer(service, inboundCall(workspaceId, id, { isRecorded: true }));
      const call = { ...on(service, key, offered.call.id), workspaceId };
      const line = await connected(service, call);
      await line.say('Hello');
      line.hangUp();
      await eventually(async () => (await call.call()).status === 'ended');
      statuses.push((await call.call()).recording.status);
    }
    assert.match(statuses[0] ?? '', /processing|available/);
    assert.equal(statuses[1], 'none');
  });
});

onEachEngine('a caller on the phone who interrupts', (engine) => {
  const service = usePhoneService(engine);
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  it('stops the agent, who has said no more than what was played', async () => {
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ');
    const { line, ...call } = await answered(service, key, {
      agent: { beginMessage: `${words}.`, interruptionSensitivity: 1 },
    });
    await line.until(() => line.heard.length >= 5);
    await line.say('Stop', 'it', 'now');
    await line.until(() => line.heard.includes('Stop'));
    const played = line.heard.slice(0, line.heard.indexOf('Stop')).join(' ');
    const [greeting] = await call.turns();
    assert.ok(line.clears > 0, 'the line was cleared');
    assert.equal(greeting?.interrupted, true);
    assert.ok((greeting?.text.length ?? 0) > 0, 'something was heard');
    assert.ok(played.startsWith(greeting?.text.replace(/[.…]$/, '').trim() ?? '?'), `${greeting?.text} in ${played}`);
    line.hangUp();
  });

  it('has heard the same if the marks of what was dropped come late', async () => {
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ');
    const { line, ...call } = await answered(service, key, {
      agent: { beginMessage: `${words}.`, interruptionSensitivity: 1 },
    });
    await line.until(() => line.heard.length >= 5);
    line.holdsMarks = true;
    await line.say('Stop', 'it', 'now');
    await line.until(() => line.heard.includes('Stop'));
    const before = (await call.turns())[0]?.text;
    line.returnHeldMarks();
    await line.say('Again');
    await line.until(() => line.heard.includes('Again'));
    assert.equal((await call.turns())[0]?.text, before);
    assert.equal(line.violation, null);
    line.hangUp();
  });
});

describe('a tool of the caller’s page', () => {
  const engine = sqliteEngine();
  it('is not available on the phone, which the model learns at once', async (test) => {
    const model = await modelDouble();
    const service = await startPhoneService(engine, { calls: { llm: model.llm } });
    test.after(() => service.close());
    const { key } = await service.newKey();
    const tool = { name: 'pick_seat', description: 'Picks a seat.', parameters: { type: 'object' }, where: 'client' };
    const agent = { agentSettings: { tools: [{ ...tool, timeoutMs: 30_000 }] } };
    const { line, ...call } = await answered(service, key, { model: 'gpt-5.4-mini', agent });
    model.play({ tools: [{ name: 'pick_seat', arguments: '{}' }] }, { text: 'Please use our page.' });
    await line.say('A', 'seat');
    await line.until(() => line.heard.includes('page'));
    line.hangUp();
    const turns = await eventually(async () => (await call.call()).status === 'ended' && call.turns());
    const [result] = turns.flatMap(({ toolCall }) => (toolCall === null ? [] : [toolCall]));
    assert.deepEqual([result?.name, result?.isError], ['pick_seat', true]);
    assert.match(JSON.stringify(result?.result), /not available/);
  });
});

describe('a phone line that is lost', () => {
  const clock = new TestClock();
  const time = new CallTime({ speed: 20 });
  const service = usePhoneService(sqliteEngine(), { now: clock.now, calls: { ...quickSweep, clock: time } });
  let key: string;
  let workspaceId: string;
  before(async () => {
    ({ key, workspaceId } = await service.newKey());
  });

  it('is waited for, and the conversation goes on', async () => {
    const { line, ...call } = await answered(service, key, { model: 'test-script' });
    await line.say('One');
    await line.until(() => line.heard.length >= 2);
    line.lose();
    const found = await service.phone.find(workspaceId, call.id);
    assert.deepEqual([found?.call.status, found?.isOwnedElsewhere, found?.isLost], ['ongoing', false, false]);
    const next = await connected(service, call);
    await next.say('Two');
    await next.until(() => next.heard.includes('Which'));
    next.hangUp();
    await eventually(async () => (await call.call()).endReason === 'caller_hangup');
  });

  it('and does not come back ends the call after 30 seconds', async () => {
    const { line, ...call } = await answered(service, key);
    line.lose();
    await eventually(async () => (await call.call()).endReason === 'caller_disconnected');
  });

  it('without any audio for 5 seconds is a warning, and for 30 seconds the end', async () => {
    const { line, ...call } = await answered(service, key, { agent: { endCallAfterSilenceMs: 600_000 } });
    line.isStalled = true;
    await eventually(async () => warningsIn(await call.events()).includes('media_stalled'));
    await eventually(async () => (await call.call()).endReason === 'caller_disconnected');
    assert.ok(line.isClosed);
  });

  it('never starts because the person hangs up at once: the call has a start, and an end', async () => {
    const call = await dialed(service, key);
    const answeredAt = clock.now();
    clock.advance(2000);
    const ending = { reason: 'caller_hangup', by: 'caller', detail: null, answeredAt } as const;
    await report(service, (queries) => service.phone.end(queries, workspaceId, call.id, ending));
    const { status, endReason, startedAt, endedAt, durationMs, analysis } = await call.call();
    assert.deepEqual([status, endReason], ['ended', 'caller_hangup']);
    assert.equal(startedAt, new Date(answeredAt).toISOString());
    assert.equal(durationMs, Date.parse(endedAt ?? '') - answeredAt);
    assert.ok(durationMs >= 2000, String(durationMs));
    assert.deepEqual([analysis.status, analysis.reason], ['skipped', 'no_caller_speech']);
    const states = (await call.events()).flatMap(({ type, data, offsetMs }) =>
      type === 'state_changed' ? [[(data as { to: string }).to, offsetMs]] : [],
    );
    assert.deepEqual(states.slice(-2), [
      ['ongoing', 0],
      ['ended', durationMs],
    ]);
  });

  it('never starts: the inbound call fails after 15 seconds', async () => {
    const { id } = await phoneAgent(service, key);
    const offered = await offer(service, inboundCall(workspaceId, id));
    const call = on(service, key, offered.call.id);
    clock.advance(14_000);
    assert.equal((await call.call()).status, 'ringing');
    clock.advance(2000);
    await eventually(async () => (await call.call()).endReason === 'media_failed');
    assert.equal((await call.call()).status, 'error');
  });
});
