import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createRecordingFiles, openRecording } from '../../../src/areas/calls/record/recording-files.ts';
import { createMediaStore } from '../../../src/storage/media.ts';
import { CallRecording } from '../../../src/voice/audio/call-recording.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { eventually } from './support.ts';

describe('the file of a recording', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-recording-files-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const media = createMediaStore(folder);
  const files = createRecordingFiles(media);

  it('is completed although its process was lost, up to the last second', async () => {
    const clock = new VirtualClock();
    const name = 'calls/call_lost.wav';
    const file = openRecording(media, name);
    const recording = new CallRecording(clock, file);
    for (let ms = 20; ms <= 5000; ms += 20) {
      clock.advance(20);
      recording.caller(new Int16Array(320).fill(1000));
      if (ms % 100 > 0) continue;
      const bytesBefore = 44 + Math.max(0, ms - 1000) * 16 * 4;
      await eventually(async () => ((await media.find(name))?.bytes ?? 0) >= bytesBefore);
    }
    const finished = await files.finish(name);
    assert.ok((finished?.durationMs ?? 0) >= 4000);
    const bytes = await readFile(join(folder, name));
    assert.equal(bytes.length, finished?.sizeBytes);
    assert.equal(bytes.readUInt32LE(40), bytes.length - 44);
    assert.deepEqual(await files.finish(name), finished, 'again, with the same result');
    await file.close();
  });

  it('that has nothing in it, or is not there, is no recording', async () => {
    assert.equal(await files.finish('calls/call_none.wav'), null);
    const file = openRecording(media, 'calls/call_empty.wav');
    await file.write(0, new Uint8Array(44));
    await file.close();
    assert.equal(await files.finish('calls/call_empty.wav'), null);
  });
});
