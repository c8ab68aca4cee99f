import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { CallRecording, completeRecording, type RecordingFile } from '../../../src/voice/audio/call-recording.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { ramp } from '../spoken/tones.ts';

/** A file in memory. */
class MemoryFile implements RecordingFile {
  bytes = new Uint8Array(0);
  isClosed = false;
  failsAt = Number.POSITIVE_INFINITY;

  async write(position: number, bytes: Uint8Array): Promise<void> {
    if (position >= this.failsAt) throw new Error('the disk is full');
    if (position + bytes.length > this.bytes.length) {
      const larger = new Uint8Array(position + bytes.length);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes.set(bytes, position);
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    return this.bytes.subarray(position, position + length);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  side(channel: 0 | 1): Int16Array {
    const frames = Math.floor((this.bytes.length - 44) / 4);
    const all = new Int16Array(this.bytes.slice(44, 44 + frames * 4).buffer);
    return all.filter((_, index) => index % 2 === channel);
  }
}

const second = 16_000;

/** The caller's audio in frames of 20 ms, each when it was spoken. */
function speak(clock: VirtualClock, recording: CallRecording, samples: Int16Array): void {
  for (let at = 0; at < samples.length; at += 320) {
    clock.advance(20);
    recording.caller(samples.subarray(at, at + 320));
  }
}

async function finished(recording: CallRecording, file: MemoryFile) {
  await recording.close();
  return completeRecording(file, file.bytes.length);
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('A recording', () => {
  it('has the caller left and what was played right, sample by sample', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    const caller = ramp(2 * second);
    const agent = ramp(second / 2, 7000);
    speak(clock, recording, caller.subarray(0, second));
    // Reports of what was played in the 100 ms before.
    for (let part = 0; part < 5; part += 1) {
      speak(clock, recording, caller.subarray(second + part * 1600, second + (part + 1) * 1600));
      recording.agent(agent.subarray(part * 1600, (part + 1) * 1600));
    }
    speak(clock, recording, caller.subarray(second + 8000));
    const result = await finished(recording, file);
    assert.deepEqual(file.side(0), caller);
    const right = file.side(1);
    assert.deepEqual(right.subarray(second, second + 8000), agent);
    assert.ok(right.subarray(0, second).every((sample) => sample === 0));
    assert.ok(right.subarray(second + 8000).every((sample) => sample === 0));
    assert.deepEqual(result, {
      durationMs: 2000,
      sizeBytes: 44 + 2 * second * 4,
      sha256: createHash('sha256').update(file.bytes).digest('hex'),
    });
    assert.equal(new DataView(file.bytes.buffer).getUint32(40, true), 2 * second * 4);
    assert.equal(file.isClosed, true);
  });

  it('keeps speech together whose reports come a little early or late', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    const agent = ramp(4800);
    speak(clock, recording, new Int16Array(second));
    recording.agent(agent.subarray(0, 1600));
    clock.advance(30);
    speak(clock, recording, new Int16Array(1920));
    recording.agent(agent.subarray(1600, 3200));
    speak(clock, recording, new Int16Array(1280));
    recording.agent(agent.subarray(3200));
    await recording.close();
    assert.deepEqual(file.side(1).subarray(second - 1600, second + 3200), agent);
  });

  it('loses nothing of speech whose report comes after its place was written', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    const agent = ramp(6400);
    const silent = async (samples: number) => {
      for (let at = 0; at < samples; at += 320) {
        speak(clock, recording, new Int16Array(320));
        await settled();
      }
    };
    await silent(15_360);
    recording.agent(agent.subarray(0, 3200));
    await silent(5760);
    recording.agent(agent.subarray(3200));
    await recording.close();
    const right = file.side(1);
    assert.deepEqual(
      right.filter((sample) => sample !== 0),
      agent.filter((sample) => sample !== 0),
    );
  });

  it('stays aligned when the network stalls and delivers everything at once', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    const caller = ramp(7 * second);
    speak(clock, recording, caller.subarray(0, second));
    clock.advance(5000);
    for (let at = second; at < 6 * second; at += 320) {
      recording.caller(caller.subarray(at, at + 320));
      if (at + 320 === 3 * second) recording.agent(ramp(1600, 5000));
    }
    speak(clock, recording, caller.subarray(6 * second));
    const result = await finished(recording, file);
    assert.equal(result.durationMs, 7000);
    assert.deepEqual(file.side(0), caller);
    assert.deepEqual(file.side(1).subarray(3 * second - 1600, 3 * second), ramp(1600, 5000));
  });

  it('is as long as the call if the process hears the caller late, and keeps every word', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    const word = ramp(second, 5000);
    // The process was busy for three seconds: everything that was said meanwhile waits.
    clock.advance(3000);
    for (const samples of [new Int16Array(second), word, new Int16Array(second)]) {
      for (let at = 0; at < samples.length; at += 320) recording.caller(samples.subarray(at, at + 320));
    }
    speak(clock, recording, new Int16Array(second));
    speak(clock, recording, word);
    const { durationMs } = await finished(recording, file);
    assert.ok(durationMs >= 5000 && durationMs <= 5100, `${durationMs} ms`);
    const sounds = file.side(0).filter((sample) => sample !== 0);
    const spoken = word.filter((sample) => sample !== 0);
    assert.deepEqual(sounds, Int16Array.from([...spoken, ...spoken]));
  });

  it('ends with the call if the last frames of the caller are missing', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    speak(clock, recording, ramp(second));
    clock.advance(700);
    assert.equal((await finished(recording, file)).durationMs, 1700);
  });

  it('follows the clock while the caller sends no audio, and after the connection was gone', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    clock.advance(2000);
    recording.agent(ramp(1600));
    clock.advance(1000);
    speak(clock, recording, ramp(1600));
    recording.interrupt();
    clock.advance(4900);
    speak(clock, recording, ramp(1600));
    const result = await finished(recording, file);
    assert.equal(result.durationMs, 8100);
    assert.deepEqual(file.side(1).subarray(1.9 * second, 2 * second), ramp(1600));
    assert.deepEqual(file.side(0).subarray(3 * second, 3.1 * second), ramp(1600));
    assert.deepEqual(file.side(0).subarray(8 * second), ramp(1600));
  });

  it('holds silence while it is paused', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    speak(clock, recording, ramp(second));
    recording.isPaused = true;
    speak(clock, recording, ramp(second));
    recording.agent(ramp(1600));
    recording.isPaused = false;
    speak(clock, recording, ramp(second));
    const result = await finished(recording, file);
    assert.equal(result.durationMs, 3000);
    const left = file.side(0);
    assert.deepEqual(left.subarray(0, second), ramp(second));
    assert.ok(left.subarray(second, 2 * second).every((sample) => sample === 0));
    assert.ok(file.side(1).every((sample) => sample === 0));
    assert.deepEqual(left.subarray(2 * second), ramp(second));
  });

  it('is continued by another process', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const first = new CallRecording(clock, file);
    speak(clock, first, ramp(second));
    await first.close();
    clock.advance(2000);
    const next = new CallRecording(clock, file, 3000);
    speak(clock, next, ramp(second, 7000));
    const result = await finished(next, file);
    assert.equal(result.durationMs, 4000);
    const left = file.side(0);
    assert.deepEqual(left.subarray(0, second), ramp(second));
    assert.ok(left.subarray(second, 3 * second).every((sample) => sample === 0));
    assert.deepEqual(left.subarray(3 * second), ramp(second, 7000));
  });

  it('that another process writes gets nothing more from this one', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    speak(clock, recording, ramp(second));
    await settled();
    const { length } = file.bytes;
    clock.advance(5000);
    await recording.leaseLost();
    assert.deepEqual([file.bytes.length, file.isClosed], [length, true]);
  });

  it('is on the disk up to the last second at any time, and is completed after a crash', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    const recording = new CallRecording(clock, file);
    const caller = ramp(5 * second);
    for (let at = 0; at < caller.length; at += 1600) {
      speak(clock, recording, caller.subarray(at, at + 1600));
      await settled();
      assert.ok(file.side(0).length >= at + 1600 - second);
    }
    // A crash in the middle of a write.
    file.bytes = file.bytes.slice(0, -3);
    const { sizeBytes, durationMs } = await completeRecording(file, file.bytes.length);
    assert.ok(durationMs >= 4000);
    assert.equal(new DataView(file.bytes.buffer).getUint32(40, true), sizeBytes - 44);
    assert.deepEqual(file.side(0).subarray(0, 4 * second), caller.subarray(0, 4 * second));
  });

  it('stops taking audio if the disk fails', async () => {
    const clock = new VirtualClock();
    const file = new MemoryFile();
    file.failsAt = 10_000;
    const recording = new CallRecording(clock, file);
    for (let part = 0; part < 30; part += 1) {
      speak(clock, recording, ramp(1600));
      await settled();
    }
    const { length } = file.bytes;
    await recording.close();
    assert.equal(file.bytes.length, length);
    assert.equal(file.isClosed, true);
  });

  it('ends after two hours', async () => {
    const clock = new VirtualClock();
    let end = 0;
    const file: RecordingFile = {
      write: async (position, bytes) => {
        end = Math.max(end, position + bytes.length);
      },
      read: async (_position, length) => new Uint8Array(length),
      close: async () => {},
    };
    const recording = new CallRecording(clock, file);
    clock.advance(2 * 3_600_000 + 5000);
    recording.caller(ramp(320));
    recording.caller(ramp(320));
    await recording.close();
    assert.equal(end, 44 + 7200 * second * 4);
  });
});
