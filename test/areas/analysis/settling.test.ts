import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RecordingFiles } from '../../../src/areas/calls/record/recording-files.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { spokenCall } from '../calls/live/caller.ts';
import { eventually, gate, newChat, on, TestClock, useModelService } from '../calls/support.ts';
import { bodyOf, eventsOf } from '../webhooks/support.ts';

const mail = 'hanako@example.com';
const output = (summary: string) => ({
  text: JSON.stringify({ summary, successful: true, sentiment: 'neutral', data: {}, evidence: {} }),
});

onEachEngine('an analysis that takes a while', (engine) => {
  const clock = new TestClock();
  const { service, model } = useModelService(engine, { now: clock.now });
  const files = { finished: gate() };
  const recordings: Pick<RecordingFiles, 'finish'> = {
    finish: async () => {
      await files.finished.opened;
      return { durationMs: 1200, sizeBytes: 100, sha256: 'a'.repeat(64) };
    },
  };
  const recorded = useModelService(engine, { calls: { recordings } });

  /** A call that has ended, whose model answers when the gate opens. */
  const analyzing = async (text = `Write to ${mail}.`, first = 'Late.') => {
    const { key, workspaceId } = await service.newKey();
    const agent = { postCallAnalysisModel: 'gpt' };
    const call = on(service, key, (await newChat(service, key, { agent })).id);
    await call.say(text);
    const answered = gate();
    model.requests.length = 0;
    model.play({ ...output(first), after: answered.opened }, output(`In time, to ${mail}.`));
    await call.end();
    await eventually(async () => model.requests.length === 1);
    const analyzedEvents = async () =>
      (await eventsOf(service, workspaceId)).filter(({ type }) => type === 'call_analyzed');
    return { ...call, key, answered, analyzedEvents };
  };
  const jobsOf = (callId: string) =>
    service.database.all<{ state: string }>(
      "SELECT state FROM jobs WHERE kind = 'analysis' AND payload LIKE $1 AND finished_at IS NULL",
      [`%${callId}%`],
    );

  it('is dropped without an event if its call is deleted meanwhile, with its job', async () => {
    const call = await analyzing();
    assert.equal((await jobsOf(call.id)).length, 1);
    assert.equal((await call.delete()).status, 200);
    assert.deepEqual(await jobsOf(call.id), []);
    call.answered.open();
    // Another one, so that the worker has had the time.
    const next = await analyzing();
    next.answered.open();
    await eventually(async () => (await next.call()).analysis.status === 'completed');
    assert.deepEqual(await call.analyzedEvents(), []);
    const rows = await service.database.all('SELECT id FROM call_analyses WHERE call_id = $1', [call.id]);
    assert.deepEqual(rows, []);
  });

  it('starts again from the redacted conversation if its call is redacted meanwhile', async () => {
    const call = await analyzing();
    assert.equal((await call.redact('everything_except_pii')).status, 200);
    await eventually(async () => (await call.call()).analysis.status === 'completed');
    call.answered.open();
    const second = JSON.stringify(model.requests[1]?.body.messages);
    assert.ok(!second.includes(mail) && second.includes('[EMAIL]'));
    const { analysis } = await call.call();
    assert.equal(analysis.summary, 'In time, to [EMAIL].');
    const [event, ...others] = await call.analyzedEvents();
    assert.deepEqual([others.length, JSON.stringify(event).includes(mail)], [0, false]);
  });

  it('is skipped with its event if all content is removed meanwhile', async () => {
    const call = await analyzing();
    const { json } = await call.redact('basic_attributes_only');
    assert.deepEqual(
      [json.analysis.status, json.analysis.reason, json.analysis.model],
      ['skipped', 'data_storage_setting', null],
    );
    assert.deepEqual(await jobsOf(call.id), []);
    call.answered.open();
    const [event] = await call.analyzedEvents();
    assert.equal((bodyOf(event).data.call as { analysis: { status: string } }).analysis.status, 'skipped');
    const { items } = (await send(service, 'GET', `${call.path}/analyses`, { key: call.key })).json;
    assert.deepEqual([items.length, items[0].status, items[0].reason], [1, 'skipped', 'data_storage_setting']);
  });

  it('fails after five minutes, whatever its process does, and a late result is dropped', async () => {
    const call = await analyzing();
    clock.advance(5 * 60_000 + 1000);
    const settled = await eventually(async () => {
      const { analysis } = await call.call();
      return analysis.status !== 'pending' && analysis;
    });
    assert.deepEqual([settled.status, settled.reason], ['failed', 'timeout']);
    call.answered.open();
    const next = await analyzing();
    next.answered.open();
    await eventually(async () => (await next.call()).analysis.status === 'completed');
    assert.deepEqual((await call.call()).analysis, settled);
    assert.equal((await call.analyzedEvents()).length, 1);
  });

  it('of a spoken call is settled once its recording is, and the event has both', async () => {
    const { key, workspaceId } = await recorded.service.newKey();
    recorded.model.play(output('A spoken call.'));
    const agent = { postCallAnalysisModel: 'gpt', agentSettings: { calls: { recordingEnabled: true } } };
    const { caller, client, ...call } = await spokenCall(recorded.service, key, { agent });
    await caller.say('hello', 'there');
    await eventually(async () =>
      (await call.transcript()).json.turns.some((turn: { role: string }) => turn.role === 'caller'),
    );
    recorded.model.requests.length = 0;
    client.send({ type: 'end' });
    await client.closed;
    await eventually(async () => recorded.model.requests.length === 1);
    const processing = await call.call();
    assert.deepEqual([processing.recording.status, processing.analysis.status], ['processing', 'pending']);
    files.finished.open();
    const { analysis } = await eventually(async () => {
      const read = await call.call();
      return read.analysis.status !== 'pending' && read;
    });
    assert.deepEqual([analysis.status, analysis.summary], ['completed', 'A spoken call.']);
    const events = await eventsOf(recorded.service, workspaceId);
    const { data } = bodyOf(events.find(({ type }) => type === 'call_analyzed'));
    assert.equal((data.call as { recording: { status: string } }).recording.status, 'available');
  });
});
