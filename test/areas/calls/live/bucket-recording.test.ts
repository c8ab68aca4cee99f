import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { RecordingPiece, StoredRecording } from '../../../../src/areas/calls/record/call-row.ts';
import { createRecordingFiles } from '../../../../src/areas/calls/record/recording-files.ts';
import { Lifecycle } from '../../../../src/http/shutdown.ts';
import { createMediaStore } from '../../../../src/storage/media.ts';
import { openMedia } from '../../../../src/storage/open-media.ts';
import { readTestFrame, testFrameSamples } from '../../../../src/voice/providers/test/frames.ts';
import { onEachEngine, sqliteEngine } from '../../../support/engines.ts';
import { type ObjectStorage, startObjectStorage } from '../../../support/object-storage.ts';
import { type Service, startService } from '../../../support/service.ts';
import { eventually, on, TestClock, warningsIn } from '../support.ts';
import { Caller, calledAgain, spokenCall, testSpeech } from './caller.ts';
import { connect, joined, newWebCall, withToken } from './support.ts';

const agent = { agentSettings: { calls: { recordingEnabled: true } } };

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

/** What waits in the spool. */
async function spooledIn(folder: string): Promise<string[]> {
  return readdir(join(folder, 'pieces')).catch(() => []);
}

onEachEngine('the recording of a spoken call in a bucket', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-bucket-calls-'));
  const spools = [join(folder, 'one'), join(folder, 'other')] as const;
  let storage: ObjectStorage;
  let one: Service;
  let other: Service;
  let key: string;
  before(async () => {
    storage = await startObjectStorage();
    const mediaBucket = storage.config;
    const calls = { live: { pollMs: 10 } };
    one = await startService(engine, { mediaFolder: spools[0], mediaBucket, calls });
    const { databaseUrl } = one;
    const withLinks = { ...mediaBucket, hasLinks: true };
    other = await startService(engine, { mediaFolder: spools[1], mediaBucket: withLinks, calls, databaseUrl });
    ({ key } = await one.newKey());
  });
  beforeEach(() => {
    storage.fault = () => null;
  });
  after(async () => {
    await other?.close();
    await one?.close();
    await storage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Downloaded from the instance. */
  const recordingOf = async (service: Service, call: Pick<ReturnType<typeof on>, 'call' | 'recording'>) => {
    await eventually(async () => (await call.call()).recording.status === 'available');
    const { json } = await call.recording();
    const response = await fetch(`${service.url}${json.url}`);
    assert.equal(response.status, 200);
    const file = Buffer.from(await response.arrayBuffer());
    assert.equal(file.length, json.sizeBytes);
    assert.equal(createHash('sha256').update(file).digest('hex'), json.sha256);
    const samples = new Int16Array(file.buffer.slice(file.byteOffset + 44, file.byteOffset + file.length));
    const side = (channel: number) => wordsIn(samples.filter((_, index) => index % 2 === channel));
    return { left: side(0), right: side(1) };
  };
  const nothingLeft = () => eventually(async () => (await Promise.all(spools.map(spooledIn))).flat().length === 0);

  it('is served by every instance, and leaves the spool', async () => {
    const { client, caller, ...call } = await spokenCall(one, key, { agent });
    await caller.say('hello', 'there');
    await client.said('hello there');
    assert.deepEqual((await spooledIn(spools[1])).length, 0);
    client.send({ type: 'end' });
    await client.closed;
    assert.deepEqual((await recordingOf(other, call)).left, ['hello', 'there']);
    const { json } = await call.recording();
    const get = (headers: Record<string, string>) => fetch(`${other.url}${json.url}`, { headers, redirect: 'manual' });
    const link = await get({ range: 'bytes=0-3' });
    assert.equal(link.status, 307);
    assert.ok(link.headers.get('location')?.startsWith(`${storage.config.endpoint}/recordings/calls/${call.id}.wav?`));
    // The policy of the dashboard allows no other origin.
    assert.equal((await get({ 'sec-fetch-site': 'same-origin', range: 'bytes=0-3' })).status, 206);
    assert.deepEqual(await storage.keys(), [`calls/${call.id}.wav`]);
    await nothingLeft();
    await call.delete();
    await eventually(async () => (await storage.keys()).length === 0);
  });

  it('is one file, although two instances recorded it', async () => {
    const { id, client, caller, resumeKey, ...call } = await spokenCall(one, key, { agent });
    await caller.say('one', 'two');
    await client.said('one two');
    const next = await calledAgain(other, id, resumeKey);
    assert.equal(next.ready.capabilities.recording, true);
    await next.caller.say('three');
    await next.client.said('three');
    next.client.send({ type: 'end' });
    await next.client.closed;
    const { left, right } = await recordingOf(one, call);
    assert.deepEqual(left, ['one', 'two', 'three']);
    assert.deepEqual(right, ['one', 'two', 'three']);
    assert.deepEqual(warningsIn(await call.events()), []);
    await eventually(async () => (await storage.keys()).join() === `calls/${id}.wav`);
    await nothingLeft();
    await call.redact('everything_except_pii');
    await eventually(async () => (await storage.keys()).length === 0);
  });

  it('waits while the bucket refuses it, and says so in the log', async () => {
    const codes = [
      { status: 503, code: 'SlowDown' },
      { status: 403, code: 'ExpiredToken' },
      { status: 500, code: 'InternalError' },
    ];
    let refused = 0;
    storage.fault = ({ method }) => (method === 'PUT' ? (codes[refused++ % codes.length] ?? null) : null);
    const { client, caller, ...call } = await spokenCall(one, key, { agent });
    await caller.say('wait');
    await client.said('wait');
    client.send({ type: 'end' });
    await client.closed;
    const logged = await eventually(async () =>
      one.log.find(({ msg, callId }) => msg === 'a recording could not be uploaded yet' && callId === call.id),
    );
    assert.match(JSON.stringify(logged), /the credentials have expired|it is overloaded|the request failed/);
    assert.equal((await call.call()).recording.status, 'processing');
    assert.equal((await spooledIn(spools[0])).length, 1);
    storage.fault = () => null;
    assert.deepEqual((await recordingOf(one, call)).left, ['wait']);
    await nothingLeft();
    await call.delete();
    await eventually(async () => (await storage.keys()).length === 0);
  });

  it('of a call that is deleted before it could be sent is removed from the spool', async () => {
    storage.fault = ({ method }) => (method === 'PUT' ? { status: 503, code: 'SlowDown' } : null);
    const { client, caller, ...call } = await spokenCall(one, key, { agent });
    await caller.say('wait');
    await client.said('wait');
    client.send({ type: 'end' });
    await client.closed;
    assert.equal((await spooledIn(spools[0])).length, 1);
    await call.delete();
    storage.fault = () => null;
    await nothingLeft();
    assert.deepEqual(await storage.keys(), []);
  });

  it('has failed if the disk of the spool is full, and the call says so', async () => {
    const { id, accessToken, ...call } = await newWebCall(one, key, { agent: { ...testSpeech, ...agent } });
    const { workspaceId } = await call.call();
    // Every write to this device fails as on a full disk.
    await mkdir(join(spools[0], 'pieces'), { recursive: true });
    await symlink('/dev/full', join(spools[0], 'pieces', `${workspaceId}.${id}.1.wav`));
    const client = await joined(connect(one, id, withToken(accessToken)));
    const caller = new Caller(client, { clock: one.clock });
    await client.start();
    await caller.say('hello');
    await client.said('hello');
    await eventually(async () => (await call.call()).recording.status === 'failed');
    client.send({ type: 'end' });
    await client.closed;
    assert.deepEqual(warningsIn(await call.events()), ['recording_failed']);
    await nothingLeft();
    assert.ok(!(await storage.keys()).some((name) => name.includes(id)));
  });

  it('leaves an instance that stops, and a call that goes on elsewhere later is still one file', async () => {
    const mediaFolder = join(folder, 'third');
    const { databaseUrl } = one;
    const calls = { live: { pollMs: 10 } };
    const third = await startService(engine, { mediaFolder, mediaBucket: storage.config, calls, databaseUrl });
    const { id, client, caller, resumeKey } = await spokenCall(third, key, { agent });
    await caller.say('before');
    await client.said('before');
    await third.close();
    assert.deepEqual(await spooledIn(mediaFolder), []);
    assert.equal((await storage.keys()).filter((name) => name.startsWith('pieces/')).length, 1);
    const next = await calledAgain(other, id, resumeKey);
    await next.caller.say('after');
    await next.client.said('after');
    next.client.send({ type: 'end' });
    await next.client.closed;
    assert.deepEqual((await recordingOf(one, on(one, key, id))).left, ['before', 'after']);
    await eventually(async () => (await storage.keys()).join() === `calls/${id}.wav`);
    await on(one, key, id).delete();
    await eventually(async () => (await storage.keys()).length === 0);
  });

  it('of a call that ends while its instance drains is available before the instance is gone', async () => {
    const mediaFolder = join(folder, 'draining');
    const { databaseUrl } = one;
    const lifecycle = new Lifecycle();
    const calls = { live: { pollMs: 10 } };
    const options = { mediaFolder, mediaBucket: storage.config, calls, databaseUrl, lifecycle };
    const draining = await startService(engine, options);
    try {
      const { id, client, caller } = await spokenCall(draining, key, { agent });
      await caller.say('goodbye');
      await client.said('goodbye');
      lifecycle.stage = 'closing';
      client.send({ type: 'end' });
      await client.closed;
      assert.deepEqual((await recordingOf(other, on(one, key, id))).left, ['goodbye']);
      await eventually(async () => (await spooledIn(mediaFolder)).length === 0);
    } finally {
      await draining.close();
    }
  });
});

describe('the recording of an instance that does not come back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-lost-'));
  const mediaFolder = join(folder, 'spool');
  const clock = new TestClock();
  let storage: ObjectStorage;
  let service: Service;
  before(async () => {
    storage = await startObjectStorage();
    const calls = { sweepMs: 50 };
    service = await startService(sqliteEngine(), { mediaFolder, mediaBucket: storage.config, now: clock.now, calls });
  });
  after(async () => {
    await service?.close();
    await storage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is given up an hour after the instance was seen last, and the call says so, until it is back', async () => {
    const { key } = await service.newKey();
    const { client, caller, ...call } = await spokenCall(service, key, { agent });
    await caller.say('hello');
    await client.said('hello');
    storage.fault = ({ method }) => (method === 'PUT' ? { status: 503, code: 'SlowDown' } : null);
    client.send({ type: 'end' });
    await client.closed;
    // The next attempt is a second later.
    await eventually(() => service.log.some(({ msg }) => msg === 'a recording could not be uploaded yet'));
    assert.equal((await call.call()).recording.status, 'processing');
    // Its spool was that of an instance that nobody has seen.
    const { recording = '' } =
      (await service.database.get<{ recording: string }>('SELECT recording FROM calls WHERE id = $1', [call.id])) ?? {};
    const [piece] = JSON.parse(recording).pieces;
    const changed = recording.replaceAll(piece.spool, '00000000deadbeef');
    const kept = await readFile(join(mediaFolder, piece.name));
    await service.database.run('UPDATE calls SET recording = $2 WHERE id = $1', [call.id, changed]);
    // An attempt that has read the row before fails, and the next one waits for the other instance.
    await eventually(async () => (await jobStates(service, 'calls.recording.upload.%')).includes('succeeded'));
    storage.fault = () => null;
    clock.advance(650_000);
    await eventually(async () => pendingOverdue(service).then((due) => due > clock.now()));
    assert.equal((await call.call()).recording.status, 'processing');
    clock.advance(3_700_000);
    await eventually(async () => (await call.call()).recording.status === 'failed');
    assert.deepEqual(warningsIn(await call.events()), ['recording_lost']);
    assert.equal((await call.events()).at(-1)?.type, 'state_changed');
    const { json } = await call.recording();
    assert.equal(json.error.details.reason, 'failed');
    await eventually(async () => (await spooledIn(mediaFolder)).length === 0);

    // Otherwise a job that is still running looks for the file too early, and runs again a minute later.
    await eventually(async () => (await jobsDue(service, clock.now())) === 0);

    // The instance is back with its disk.
    await service.database.run(
      "UPDATE calls SET recording = replace(recording, '00000000deadbeef', $2) WHERE id = $1",
      [call.id, piece.spool],
    );
    await writeFile(join(mediaFolder, piece.name), kept);
    clock.advance(120_000);
    await eventually(async () => (await call.call()).recording.status === 'available');
    assert.deepEqual(await storage.keys(), [`calls/${call.id}.wav`]);
  });
});

describe('the recording of a call whose instances are lost one after the other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-lost-pieces-'));
  const mediaFolder = join(folder, 'spool');
  const away = { status: 503, code: 'SlowDown' };
  const lostSpool = '00000000deadbeef';
  let clock: TestClock;
  let storage: ObjectStorage;
  let service: Service;
  beforeEach(async () => {
    clock = new TestClock();
    storage = await startObjectStorage();
    const calls = { sweepMs: 50 };
    service = await startService(sqliteEngine(), { mediaFolder, mediaBucket: storage.config, now: clock.now, calls });
  });
  let closing: Promise<void> | null = null;
  const closeService = (): Promise<void> => {
    closing ??= service.close();
    return closing;
  };
  afterEach(async () => {
    await closeService();
    closing = null;
    await storage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const spoolJob = "SELECT run_at FROM jobs WHERE kind LIKE 'calls.recording.spool.%' AND finished_at IS NULL";
  const delays = () => service.log.filter(({ msg }) => msg === 'a recording could not be uploaded yet').length;
  const isIdle = async () => (await jobsDue(service, clock.now())) === 0;
  const setRecording = (id: string, recording: StoredRecording) =>
    service.database.run('UPDATE calls SET recording = $2 WHERE id = $1', [id, JSON.stringify(recording)]);

  /** It has ended, and could not be uploaded. */
  const endedCall = async () => {
    const { key } = await service.newKey();
    const { id, client, caller, ...call } = await spokenCall(service, key, { agent });
    await caller.say('hello');
    await client.said('hello');
    storage.fault = ({ method }) => (method === 'PUT' ? away : null);
    client.send({ type: 'end' });
    await client.closed;
    await eventually(() => delays() > 0);
    const row = await service.database.get<{ recording: string }>('SELECT recording FROM calls WHERE id = $1', [id]);
    const { name, sha256, pieces = [] } = JSON.parse(row?.recording ?? '') as StoredRecording;
    return { id, ...call, name, sha256, own: pieces[0] as RecordingPiece };
  };

  /** It was recorded by another instance, too, and is now waiting for that one. */
  const callWithTwoPieces = async () => {
    const call = await endedCall();
    const { id, name, sha256, own } = call;
    const other: RecordingPiece = { spool: lostSpool, name: own.name.replace('.1.wav', '.9.wav'), status: 'spooled' };
    await setRecording(id, { name, sha256, pieces: [own, other] });
    storage.fault = () => null;
    clock.advance(30_000);
    await eventually(async () => (await storage.keys()).join() === own.name);
    await eventually(isIdle);
    return call;
  };

  it('has what there is, although the bucket was away when the loss was noticed', async () => {
    const call = await callWithTwoPieces();
    storage.fault = () => away;
    const before = delays();
    clock.advance(3_700_000);
    await eventually(() => delays() > before);
    assert.equal((await call.call()).recording.status, 'processing');
    storage.fault = () => null;
    clock.advance(700_000);
    await eventually(async () => (await call.call()).recording.status === 'available');
    assert.deepEqual(warningsIn(await call.events()), ['recording_incomplete']);
  });

  it('is joined by another instance if the one that was to do it is lost', async () => {
    const { id, name, sha256, own, ...call } = await callWithTwoPieces();
    await setRecording(id, { name, sha256, pieces: [{ ...own, spool: lostSpool, status: 'stored' }] });
    clock.advance(650_000);
    await eventually(async () => (await call.call()).recording.status === 'available');
    assert.deepEqual(warningsIn(await call.events()), []);
  });

  // Without a limit, it takes minutes.
  it('does not keep its instance from ending if the bucket does not answer', { timeout: 60_000 }, async () => {
    const { id, name, sha256, own } = await endedCall();
    const other: RecordingPiece = { spool: lostSpool, name: own.name.replace('.1.wav', '.9.wav'), status: 'stored' };
    await setRecording(id, { name, sha256, pieces: [own, other] });
    storage.fault = () => 'silent';
    const asked = storage.requests.length;
    clock.advance(30_000);
    await eventually(() => storage.requests.length > asked);
    await closeService();
  });

  it('has failed if no file is left', async () => {
    const { id, name, sha256, ...call } = await callWithTwoPieces();
    await setRecording(id, { name, sha256, pieces: [] });
    clock.advance(650_000);
    await eventually(async () => (await call.call()).recording.status === 'failed');
    assert.deepEqual(warningsIn(await call.events()), ['recording_failed']);
  });

  it('is removed again an hour after it was deleted: an upload may have ended in between', async () => {
    const { id, name, ...call } = await endedCall();
    storage.fault = () => null;
    clock.advance(30_000);
    await eventually(async () => (await call.call()).recording.status === 'available');
    await call.delete();
    await eventually(async () => (await storage.keys()).length === 0);
    const late = await openMedia(join(folder, 'late'), storage.config);
    await writeFile(join(folder, 'late.wav'), 'late');
    await late.store.writeFile(name as string, join(folder, 'late.wav'));
    await late.close();
    assert.deepEqual(await storage.keys(), [name]);
    clock.advance(3_700_000);
    await eventually(async () => (await storage.keys()).length === 0, id);
  });

  it('waits for a day if its call is not in the database, which may be the wrong one', async () => {
    const name = 'ws_unknown.call_unknown.1.wav';
    await mkdir(join(mediaFolder, 'pieces'), { recursive: true });
    await writeFile(join(mediaFolder, 'pieces', name), 'of another database');
    const looksDone = async (ms: number) => {
      const due = await service.database.get<{ run_at: number }>(spoolJob, []);
      clock.advance(ms);
      return eventually(async () => {
        const next = await service.database.get<{ run_at: number }>(spoolJob, []);
        return Number(next?.run_at) > Number(due?.run_at) + ms - 120_000 && (await isIdle());
      });
    };
    await eventually(async () => (await service.database.all(spoolJob, [])).length === 1);
    await looksDone(20 * 3_600_000);
    assert.deepEqual(await spooledIn(mediaFolder), [name]);
    await looksDone(5 * 3_600_000);
    await eventually(async () => (await spooledIn(mediaFolder)).length === 0);
  });

  it('stays if the database was restored from a backup that was taken before it was uploaded', async () => {
    const { id, name, sha256, own, ...call } = await endedCall();
    storage.fault = () => null;
    clock.advance(30_000);
    await eventually(async () => (await call.call()).recording.status === 'available');
    await eventually(isIdle);
    const { durationMs, sizeBytes } = (await call.call()).recording;
    const processing = { status: 'processing', durationMs: null, sizeBytes: null };
    const row = await service.database.get<{ doc: string }>('SELECT doc FROM calls WHERE id = $1', [id]);
    const doc = JSON.stringify({ ...JSON.parse(row?.doc ?? ''), recording: processing });
    await service.database.run('UPDATE calls SET doc = $2 WHERE id = $1', [id, doc]);
    await setRecording(id, { name, sha256, pieces: [own] });
    await service.database.run(
      "UPDATE jobs SET state = 'queued', finished_at = NULL, attempt = 0 WHERE kind = $1 AND dedupe_key = $2",
      [`calls.recording.upload.${own.spool}`, id],
    );
    await eventually(async () => (await call.call()).recording.status === 'available');
    assert.deepEqual((await call.call()).recording, { status: 'available', durationMs, sizeBytes });
    assert.deepEqual(await storage.keys(), [name]);
  });
});

async function jobStates(service: Service, kind: string): Promise<string[]> {
  const rows = await service.database.all<{ state: string }>('SELECT state FROM jobs WHERE kind LIKE $1', [kind]);
  return rows.map(({ state }) => state);
}

async function jobsDue(service: Service, now: number): Promise<number> {
  const statement = 'SELECT id FROM jobs WHERE finished_at IS NULL AND (lease_until IS NOT NULL OR run_at <= $1)';
  return (await service.database.all(statement, [now])).length;
}

async function pendingOverdue(service: Service): Promise<number> {
  const row = await service.database.get<{ run_at: number }>(
    "SELECT run_at FROM jobs WHERE kind = 'calls.recording.overdue' AND finished_at IS NULL ORDER BY id DESC LIMIT 1",
    [],
  );
  return row?.run_at ?? 0;
}

describe('the file of a recording in pieces', () => {
  it('has the sound of all of them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voice-agents-merge-'));
    const files = createRecordingFiles(createMediaStore(folder));
    const sound = (from: number, to: number, length: number) => {
      const samples = new Int16Array(length).fill(0);
      samples.fill(from === 0 ? 1 : 2, from, to);
      return Buffer.concat([Buffer.alloc(44), Buffer.from(samples.buffer)]);
    };
    await mkdir(join(folder, 'pieces'));
    await writeFile(join(folder, 'pieces/a.wav'), sound(0, 40_000, 40_000));
    await writeFile(join(folder, 'pieces/b.wav'), sound(39_000, 90_000, 90_000));
    await files.merge(['pieces/a.wav', 'pieces/b.wav'], 'pieces/whole.wav');
    const finished = await files.finish('pieces/whole.wav');
    assert.equal(finished?.sizeBytes, 44 + 180_000);
    const whole = await readFile(join(folder, 'pieces/whole.wav'));
    const samples = new Int16Array(whole.buffer.slice(whole.byteOffset + 44, whole.byteOffset + whole.length));
    assert.deepEqual([samples[0], samples[39_999], samples[40_000], samples[89_999]], [1, 1, 2, 2]);
    await rm(folder, { recursive: true });
  });
});
