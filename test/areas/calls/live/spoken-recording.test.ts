import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CallEvent } from '../../../../src/contract/calls/call-events.ts';
import { readTestFrame, testFrameSamples } from '../../../../src/voice/providers/test/frames.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { type Service, startService, useService } from '../../../support/service.ts';
import { eventually, type on, warningsIn } from '../support.ts';
import { Caller, calledAgain, spokenCall, testSpeech } from './caller.ts';
import { connect, joined, newWebCall, withToken } from './support.ts';

const agent = { agentSettings: { calls: { recordingEnabled: true } } };

/** The words of test speech in one channel, wherever a frame begins. */
function wordsIn(samples: Int16Array): string[] {
  const words: string[] = [];
  for (let at = 0; at + testFrameSamples <= samples.length; at += 1) {
    const text = samples[at] === 0x4554 ? readTestFrame(samples.subarray(at, at + testFrameSamples)) : null;
    if (text === null) continue;
    if (text !== '') words.push(text);
    at += testFrameSamples - 1;
  }
  return words;
}

describe('the recording of a spoken call', { concurrency: true }, () => {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-spoken-'));
  const engine = sqliteEngine();
  let one: Service;
  let other: Service;
  let key: string;
  before(async () => {
    const calls = { live: { pollMs: 10 } };
    one = await startService(engine, { mediaFolder, calls });
    other = await startService(engine, { mediaFolder, calls, databaseUrl: one.databaseUrl });
    ({ key } = await one.newKey());
  });
  after(async () => {
    await other.close();
    await one.close();
    await rm(mediaFolder, { recursive: true, force: true });
  });

  /** Downloads it, in two parts. */
  const recordingOf = async (call: Pick<ReturnType<typeof on>, 'call' | 'recording'>) => {
    await eventually(async () => (await call.call()).recording.status === 'available');
    const { json } = await call.recording();
    const parts: Buffer[] = [];
    for (const range of ['bytes=0-9999', 'bytes=10000-']) {
      const response = await fetch(`${one.url}${json.url}`, { headers: { range } });
      assert.equal(response.status, 206);
      parts.push(Buffer.from(await response.arrayBuffer()));
    }
    const file = Buffer.concat(parts);
    assert.equal(file.length, json.sizeBytes);
    assert.equal(createHash('sha256').update(file).digest('hex'), json.sha256);
    assert.equal(file.readUInt32LE(40), file.length - 44);
    const samples = new Int16Array(file.buffer.slice(file.byteOffset + 44, file.byteOffset + file.length));
    const side = (channel: number) => wordsIn(samples.filter((_, index) => index % 2 === channel));
    return { left: side(0), right: side(1), durationMs: json.durationMs as number };
  };

  it('has the caller left, the agent right, and silence while it is paused', async () => {
    const { client, caller, ready, ...call } = await spokenCall(one, key, {
      agent: { ...agent, beginMessage: 'Good morning.' },
    });
    assert.equal(ready.capabilities.recording, true);
    await client.said('Good morning.');
    await caller.say('hello', 'there');
    await client.said('hello there');
    assert.equal((await call.control({ action: 'pause_recording' })).status, 200);
    await caller.say('my', 'secret');
    await client.said('my secret');
    assert.equal((await call.control({ action: 'resume_recording' })).status, 200);
    await caller.say('bye');
    await client.said('bye');
    client.send({ type: 'end' });
    await client.closed;
    const { left, right, durationMs } = await recordingOf(call);
    assert.deepEqual(left, ['hello', 'there', 'bye']);
    assert.deepEqual(right, ['Good', 'morning', 'hello', 'there', 'bye']);
    const ended = await call.call();
    // It is closed a little after the end, and may be ahead of the clock by 100 ms.
    const lateMs = durationMs - (ended.durationMs ?? 0);
    assert.ok(lateMs > -100 && lateMs < 500, `${durationMs} of ${ended.durationMs}`);
  });

  it('goes on in another process', async () => {
    const { id, client, caller, resumeKey, ...call } = await spokenCall(one, key, { agent });
    await caller.say('one', 'two');
    await client.said('one two');
    const next = await calledAgain(other, id, resumeKey);
    assert.equal(next.ready.capabilities.recording, true);
    await next.caller.say('three');
    await next.client.said('three');
    next.client.send({ type: 'end' });
    await next.client.closed;
    const { left, right } = await recordingOf(call);
    assert.deepEqual(left, ['one', 'two', 'three']);
    assert.deepEqual(right, ['one', 'two', 'three']);
  });

  it('has failed if the disk is full, and the call goes on, also in another process', async () => {
    const { id, accessToken, ...call } = await newWebCall(one, key, { agent: { ...testSpeech, ...agent } });
    // Every write to this device fails as on a full disk.
    await mkdir(join(mediaFolder, 'calls'), { recursive: true });
    await symlink('/dev/full', join(mediaFolder, 'calls', `${id}.wav`));
    const client = await joined(connect(one, id, withToken(accessToken)));
    const caller = new Caller(client, { clock: one.clock });
    const { resumeKey } = await client.start();
    await caller.say('hello');
    await client.said('hello');
    await eventually(async () => (await call.call()).recording.status === 'failed');
    assert.equal((await call.control({ action: 'pause_recording' })).status, 422);
    assert.deepEqual(warningsIn(await call.events()), ['recording_failed']);
    const logged = one.log.find(({ msg }) => /could not be recorded/.test(String(msg)));
    assert.equal(logged?.callId, id);
    assert.match(JSON.stringify(logged.err), /ENOSPC/);
    const next = await calledAgain(other, id, String(resumeKey));
    assert.equal(next.ready.capabilities.recording, false);
    await next.caller.say('still', 'there');
    await next.client.said('still there');
    next.client.send({ type: 'end' });
    await next.client.closed;
    const { endReason, recording } = await call.call();
    assert.deepEqual(
      [endReason, recording],
      ['caller_hangup', { status: 'failed', durationMs: null, sizeBytes: null }],
    );
    const answer = await call.recording();
    assert.deepEqual([answer.status, answer.json.error.details.reason], [404, 'failed']);
    await eventually(async () => !(await readdir(join(mediaFolder, 'calls'))).includes(`${id}.wav`));
    assert.deepEqual(warningsIn(await call.events()), ['recording_failed']);
  });
});

describe('a call whose recording cannot be written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-unwritable-'));
  const mediaFolder = join(folder, 'media');
  const service = useService(sqliteEngine(), { mediaFolder, calls: { live: { pollMs: 10 } } });
  after(() => rm(folder, { recursive: true, force: true }));

  it('says so at once, to its page and in its events, and goes on', async () => {
    // As root, the mode of a folder prevents nothing.
    await writeFile(mediaFolder, 'not a folder');
    const { key } = await service.newKey();
    const { client, caller, ...call } = await spokenCall(service, key, { agent });
    await eventually(async () => (await call.call()).recording.status === 'failed');
    assert.deepEqual(warningsIn(await call.events()), ['recording_failed']);
    await caller.say('hello');
    await client.said('hello');
    client.send({ type: 'end' });
    await client.closed;
    assert.deepEqual(warningsIn(await call.events()), ['recording_failed']);
    assert.equal((await call.call()).recording.status, 'failed');
    const told = client.frames.filter(({ type }) => type === 'event').map(({ event }) => event as CallEvent);
    assert.deepEqual(warningsIn(told), ['recording_failed']);
    const logged = service.log.find(({ msg, callId }) => msg === 'a call could not be recorded' && callId === call.id);
    assert.match(JSON.stringify(logged?.err), /ENOTDIR|EEXIST/);
    await rm(mediaFolder);
  });

  it('says so after its end if the folder disappeared during the call', async () => {
    const { key } = await service.newKey();
    const { client, caller, ...call } = await spokenCall(service, key, { agent });
    await caller.say('hello');
    await client.said('hello');
    await eventually(async () => (await readdir(join(mediaFolder, 'calls'))).includes(`${call.id}.wav`));
    await rm(mediaFolder, { recursive: true });
    client.send({ type: 'end' });
    await client.closed;
    await eventually(async () => (await call.call()).recording.status === 'failed');
    assert.deepEqual(warningsIn(await call.events()), ['recording_failed']);
    assert.equal((await call.events()).at(-1)?.type, 'state_changed');
  });
});
