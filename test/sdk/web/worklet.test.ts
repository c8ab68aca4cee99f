import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Capture, Playback } from '../../../sdk/src/web/worklet.ts';
import type { PlaybackState } from '../../../sdk/src/web/worklet-messages.ts';

const quantum = 128;

function tone(frequency: number, rate: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, place) => 0.5 * Math.sin((2 * Math.PI * frequency * place) / rate));
}

function rms(samples: ArrayLike<number>): number {
  const values = Array.from(samples);
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}

/** What a microphone with this sound becomes. */
function captured(sound: Float32Array, contextRate: number, rate: number) {
  const frames: Int16Array[] = [];
  const levels: number[] = [];
  const capture = new Capture({
    contextRate,
    rate,
    onFrame: (frame, level) => {
      frames.push(frame);
      levels.push(level);
    },
  });
  for (let start = 0; start < sound.length; start += quantum) capture.push(sound.slice(start, start + quantum));
  return { frames, levels, samples: frames.flatMap((frame) => [...frame]).map((sample) => sample / 32767) };
}

describe('the microphone of a web call', () => {
  for (const [contextRate, rate] of [
    [48_000, 16_000],
    [44_100, 16_000],
    [44_100, 48_000],
    [16_000, 16_000],
    [96_000, 24_000],
  ] as const) {
    it(`becomes frames of 20 ms, from ${contextRate} to ${rate} Hz`, () => {
      const { frames, levels, samples } = captured(tone(440, contextRate, contextRate), contextRate, rate);
      assert.ok(frames.every((frame) => frame.length === rate / 50));
      // All but what the filter and the last frame hold back.
      assert.ok(frames.length >= 48 && frames.length <= 50, `${frames.length} frames`);
      const expected = tone(440, rate, samples.length);
      const difference = samples.map((sample, place) => sample - (expected[place] as number)).slice(200);
      assert.ok(rms(difference) < 0.002, `differs by ${rms(difference)}`);
      assert.ok(Math.abs((levels[20] as number) - 0.5 / Math.SQRT2) < 0.01);
    });
  }

  it('has no tones that the lower rate cannot have', () => {
    for (const frequency of [8_500, 10_000, 15_000]) {
      const { samples } = captured(tone(frequency, 48_000, 48_000), 48_000, 16_000);
      assert.ok(rms(samples.slice(200)) < 0.002, `${frequency} Hz is heard with ${rms(samples.slice(200))}`);
    }
  });

  it('limits what is too loud', () => {
    const { samples } = captured(new Float32Array(16_000).fill(3), 16_000, 16_000);
    assert.ok(samples.every((sample) => sample === 1));
  });
});

interface Report {
  readonly utterance: number;
  readonly samples: number;
  /** In frames of the context. */
  readonly at: number;
}

function newPlayback(contextRate = 48_000, rate = 24_000) {
  const reports: Report[] = [];
  const states: [number, PlaybackState][] = [];
  const heard: number[] = [];
  const playback = new Playback({
    contextRate,
    rate,
    onPlayed: (utterance, samples) => reports.push({ utterance, samples, at: heard.length }),
    onState: (utterance, state) => states.push([utterance, state]),
    onLevel: () => {},
  });
  const render = (ms: number) => {
    const from = heard.length;
    for (let frames = 0; frames < (contextRate * ms) / 1000; frames += quantum) {
      const block = new Float32Array(quantum);
      playback.render(block);
      heard.push(...block);
    }
    return heard.slice(from);
  };
  return { playback, reports, states, heard, render };
}

function speech(ms: number, rate = 24_000): Int16Array {
  return Int16Array.from(tone(440, rate, (rate * ms) / 1000), (sample) => sample * 32767);
}

describe('the loudspeaker of a web call', () => {
  it('plays at the rate of the device, and reports every 100 ms and at the end', () => {
    for (const contextRate of [44_100, 48_000, 24_000]) {
      const { playback, reports, states, heard, render } = newPlayback(contextRate);
      playback.announce(1);
      playback.push(speech(1_050));
      render(1_500);
      const expected = tone(440, contextRate, contextRate);
      const difference = expected.map((sample, place) => sample - (heard[place] as number)).slice(200, -200);
      assert.ok(rms(difference) < 0.002, `differs by ${rms(difference)} at ${contextRate} Hz`);
      assert.deepEqual(reports.at(-1)?.samples, 25_200);
      assert.equal(reports.length, 11);
      for (const [place, { samples, at }] of reports.slice(0, -1).entries()) {
        const playedMs = samples / 24;
        assert.ok(Math.abs(playedMs - 100 * (place + 1)) < 30, `${playedMs} ms after report ${place + 1}`);
        assert.ok(Math.abs(playedMs - (at / contextRate) * 1000) < 10, 'what is reported has been played');
      }
      assert.deepEqual(states, [
        [1, 'playing'],
        [1, 'done'],
      ]);
    }
  });

  it('waits for a little audio, but not for more than a short word has', () => {
    const { playback, heard, reports, render } = newPlayback();
    playback.announce(1);
    playback.push(speech(20));
    render(50);
    assert.ok(heard.every((sample) => sample === 0));
    render(100);
    assert.deepEqual(
      reports.map(({ samples }) => samples),
      [480],
    );
    const later = newPlayback();
    later.playback.announce(1);
    later.playback.push(speech(60));
    assert.ok(
      later.render(3).some((sample) => sample !== 0),
      'enough to begin at once',
    );
  });

  it('continues exactly after the network was slow', () => {
    const { playback, reports, heard, render } = newPlayback();
    playback.announce(1);
    const sound = speech(300);
    playback.push(sound.slice(0, 2_400));
    render(300);
    assert.equal(reports.at(-1)?.samples, 2_400);
    playback.push(sound.slice(2_400));
    render(400);
    assert.equal(reports.at(-1)?.samples, 7_200);
    assert.equal(reports.filter(({ samples }) => samples === 7_200).length, 1);
    const loud = heard.filter((sample) => Math.abs(sample) > 0.01).length;
    assert.ok(Math.abs(loud - 14_400) < 400, `${loud} samples were heard`);
  });

  it('pauses, is silent, and resumes where it was', () => {
    const { playback, reports, states, render } = newPlayback();
    playback.announce(1);
    playback.push(speech(1_000));
    render(300);
    playback.pause(1);
    playback.pause(1);
    const paused = reports.at(-1)?.samples as number;
    assert.ok(Math.abs(paused - 7_200) < 128);
    const silent = render(500);
    assert.ok(
      silent.slice(quantum).every((sample) => sample === 0),
      'only the fade of 3 ms is heard',
    );
    assert.equal(reports.at(-1)?.samples, paused);
    playback.resume(1);
    render(800);
    assert.equal(reports.at(-1)?.samples, 24_000);
    assert.deepEqual(
      states.map(([, state]) => state),
      ['playing', 'paused', 'playing', 'done'],
    );
  });

  it('clears at once, reports once, and plays nothing of it that arrives later', () => {
    const { playback, reports, render } = newPlayback();
    playback.announce(1);
    playback.push(speech(1_000));
    render(250);
    const before = reports.length;
    playback.clear(1);
    assert.equal(reports.length, before + 1);
    assert.ok(Math.abs((reports.at(-1)?.samples as number) - 6_000) < 128);
    playback.push(speech(500));
    assert.ok(
      render(300)
        .slice(quantum)
        .every((sample) => sample === 0),
    );
    playback.clear(1);
    assert.equal(reports.length, before + 1);
    playback.announce(2);
    playback.push(speech(100));
    render(200);
    assert.deepEqual([reports.at(-1)?.utterance, reports.at(-1)?.samples], [2, 2_400]);
  });

  it('clears what is paused, what is over and what has not begun', () => {
    const { playback, reports, render } = newPlayback();
    playback.announce(1);
    playback.push(speech(200));
    playback.announce(2);
    playback.push(speech(200));
    playback.announce(3);
    playback.push(speech(200));
    playback.clear(3);
    assert.deepEqual([reports.at(-1)?.utterance, reports.at(-1)?.samples], [3, 0]);
    render(300);
    playback.clear(1);
    assert.deepEqual([reports.at(-1)?.utterance, reports.at(-1)?.samples], [1, 4_800]);
    playback.pause(2);
    const paused = reports.findLast(({ utterance }) => utterance === 2)?.samples;
    playback.clear(2);
    assert.deepEqual([reports.at(-1)?.utterance, reports.at(-1)?.samples], [2, paused]);
    const count = reports.length;
    playback.clear(9);
    assert.equal(reports.length, count, 'an utterance that it never knew');
  });

  it('plays utterances one after the other, without a gap', () => {
    const { playback, reports, heard, render } = newPlayback();
    for (const utterance of [1, 2]) {
      playback.announce(utterance);
      playback.push(speech(200));
    }
    render(500);
    assert.deepEqual(
      reports.filter(({ samples }) => samples === 4_800).map(({ utterance }) => utterance),
      [1, 2],
    );
    const loud = heard.filter((sample) => Math.abs(sample) > 0.01).length;
    assert.ok(Math.abs(loud - 19_200) < 400);
  });

  it('imports types only, because pages load it as a single file', () => {
    const folder = join(import.meta.dirname, '..', '..', '..', 'sdk', 'src', 'web');
    assert.doesNotMatch(readFileSync(join(folder, 'worklet.ts'), 'utf8'), /^import (?!type )/m);
  });
});
