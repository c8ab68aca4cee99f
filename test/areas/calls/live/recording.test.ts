import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { RecordingFiles } from '../../../../src/areas/calls/record/recording-files.ts';
import { createMediaStore } from '../../../../src/storage/media.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { useService } from '../../../support/service.ts';
import { eventually, on, quickSweep, TestClock, warningsIn } from '../support.ts';
import { newWebCall, ongoing } from './support.ts';

const audio = Buffer.from('RIFF and so on');

describe('the recording of a web call', () => {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-recordings-'));
  after(() => rm(mediaFolder, { recursive: true, force: true }));
  const media = createMediaStore(mediaFolder);
  let isBroken = false;
  let isEmpty = false;
  let attempts = 0;
  const recordings: Pick<RecordingFiles, 'finish'> = {
    finish: async (name) => {
      attempts += Number(isBroken);
      if (isBroken) throw new Error('the disk is full');
      if (isEmpty) return null;
      await media.write(
        name,
        (async function* () {
          yield audio;
        })(),
      );
      return { durationMs: 1200, sizeBytes: audio.length, sha256: createHash('sha256').update(audio).digest('hex') };
    },
  };
  const clock = new TestClock();
  const service = useService(sqliteEngine(), { mediaFolder, now: clock.now, calls: { ...quickSweep, recordings } });
  const recorded = { ttsProvider: 'test', agentSettings: { calls: { recordingEnabled: true } } };

  const endedCall = async () => {
    const { key } = await service.newKey();
    const { client, ready, ...call } = await ongoing(service, key, { agent: recorded });
    assert.equal(ready.capabilities.recording, true);
    await eventually(async () => (await call.call()).recording.status === 'recording');
    const during = await call.recording();
    assert.deepEqual([during.status, during.json.error.details.status], [409, 'recording']);
    assert.equal(during.headers.get('retry-after'), '5');
    for (const action of ['pause_recording', 'resume_recording']) {
      assert.equal((await call.control({ action })).status, 200);
    }
    client.send({ type: 'end' });
    await client.closed;
    return { key, ...call };
  };

  it('is available shortly after its end, by a link that expires', async () => {
    const call = await endedCall();
    await eventually(async () => (await call.call()).recording.status === 'available');
    const { status, json } = await call.recording();
    assert.equal(status, 200);
    const { url, expiresAt, ...facts } = json;
    assert.deepEqual(facts, {
      callId: call.id,
      format: 'wav',
      channels: 2,
      durationMs: 1200,
      sizeBytes: audio.length,
      sha256: createHash('sha256').update(audio).digest('hex'),
    });
    assert.ok(Date.parse(expiresAt) - Date.now() > 290_000);
    const response = await fetch(`${service.url}${url}`);
    assert.equal(response.headers.get('content-type'), 'audio/wav');
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), audio);
    assert.deepEqual((await call.call()).recording, { status: 'available', durationMs: 1200, sizeBytes: audio.length });
  });

  it('disappears with the call, and when the call is redacted', async () => {
    for (const remove of ['delete', 'redact'] as const) {
      const call = await endedCall();
      await eventually(async () => (await call.call()).recording.status === 'available');
      const name = `calls/${call.id}.wav`;
      assert.notEqual(await media.find(name), null);
      if (remove === 'delete') await call.delete();
      else {
        await call.redact('everything_except_pii');
        const answer = await call.recording();
        assert.deepEqual([answer.status, answer.json.error.details.reason], [404, 'deleted']);
      }
      await eventually(async () => (await media.find(name)) === null);
    }
  });

  it('is completed by a later attempt if the first one fails', async () => {
    isBroken = true;
    const call = await endedCall();
    await eventually(async () => attempts > 0);
    assert.equal((await call.call()).recording.status, 'processing');
    isBroken = false;
    await eventually(async () => (await call.call()).recording.status === 'available');
  });

  it('is completed although processes were lost in all of the attempts that a failure would have', async () => {
    isBroken = true;
    const call = await endedCall();
    const lost = `UPDATE jobs SET attempt = 3
      WHERE kind = 'calls.recording.settle' AND state = 'queued' AND finished_at IS NULL AND payload LIKE $1`;
    await eventually(async () => (await service.database.run(lost, [`%${call.id}%`])) === 1);
    isBroken = false;
    clock.advance(10_000);
    await eventually(async () => (await call.call()).recording.status === 'available');
  });

  it('has failed if there is nothing in it', async () => {
    isEmpty = true;
    const call = await endedCall();
    await eventually(async () => (await call.call()).recording.status === 'failed');
    isEmpty = false;
    const answer = await call.recording();
    assert.deepEqual([answer.status, answer.json.error.details.reason], [404, 'failed']);
    // The end stays the last event.
    const events = await call.events();
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => index + 1),
    );
    assert.deepEqual(
      events.slice(-2).map(({ type }) => type),
      ['warning', 'state_changed'],
    );
    assert.deepEqual(warningsIn(events), ['recording_failed']);
    assert.ok(service.log.some(({ msg, callId }) => msg === 'a call could not be recorded' && callId === call.id));
  });

  it('of a process that was lost is completed by another, after the end of the call', async () => {
    const { key } = await service.newKey();
    const { client, ...call } = await ongoing(service, key, { agent: recorded });
    await eventually(async () => (await call.call()).recording.status === 'recording');
    await service.database.run("UPDATE calls SET owner = 'own_lost' WHERE id = $1", [call.id]);
    clock.advance(60_000);
    await eventually(async () => (await call.call()).endReason === 'server_restart');
    await eventually(async () => (await call.call()).recording.status === 'available');
    // The process that had the call notices with its next write that it has lost it.
    client.send({ type: 'text', text: 'Hello' });
    assert.equal((await client.next('ended')).reason, 'server_restart');
  });

  it('is not made unless it is wanted, everything is stored, and there is something to record', async () => {
    const { key } = await service.newKey();
    const plain = await newWebCall(service, key);
    const none = await plain.recording();
    assert.deepEqual([none.status, none.json.error.details.reason], [404, 'none']);
    const strict = await newWebCall(service, key, {
      agent: { ...recorded, dataStorageSetting: 'everything_except_pii' },
    });
    const notStored = await on(service, key, strict.id).recording();
    assert.deepEqual([notStored.status, notStored.json.error.details.reason], [404, 'not_stored']);
  });
});
