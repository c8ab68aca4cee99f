import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BeepDetector } from '../../../src/voice/audio/beep.ts';
import { decodeMulaw, encodeMulaw } from '../../../src/voice/audio/g711.ts';
import { keyTone } from '../../../src/voice/audio/tones.ts';
import { babble, joined, lineRate, mixed, noise, silence, sines } from './line-sounds.ts';

/** What is reported, with the time of the sample at which it is, in steps of 20 ms. */
function found(sound: Int16Array, pieceMs = 20): string[] {
  const log: string[] = [];
  let ms = 0;
  const detector = new BeepDetector(lineRate, {
    started: () => log.push(`started ${ms}`),
    ended: () => log.push(`ended ${ms}`),
  });
  // As it comes from a phone.
  const line = decodeMulaw(encodeMulaw(sound));
  const piece = (pieceMs * lineRate) / 1000;
  for (let at = 0; at < line.length; at += piece) {
    ms += pieceMs;
    detector.write(line.subarray(at, at + piece));
  }
  return log;
}

describe('The beep of a voicemail', () => {
  it('is found after 250 ms at any frequency from 350 to 2,100 Hz, and its end at once', () => {
    for (const frequency of [360, 400, 440, 620, 850, 1000, 1400, 1850, 2000, 2090]) {
      const log = found(joined(silence(200), sines([frequency], { ms: 500 }), silence(200)));
      assert.equal(log.length, 2, `${frequency} Hz: ${log}`);
      const [started = 0, ended = 0] = log.map((line) => Number(line.split(' ')[1]));
      assert.ok(started >= 450 && started <= 500, `${frequency} Hz: ${log}`);
      assert.ok(ended >= 700 && ended <= 740, `${frequency} Hz: ${log}`);
    }
  });

  it('is found after a greeting, quiet or loud, and on a line with noise', () => {
    for (const volume of [0.02, 0.1, 0.7]) {
      const beep = sines([1000], { ms: 400, volume });
      const sound = joined(babble(4000, 180, 7), silence(300), mixed(beep, noise(400, volume / 6)), silence(100));
      assert.equal(found(sound).filter((line) => line.startsWith('started')).length, 1, `${volume}`);
    }
  });

  it('is found in pieces of any length', () => {
    const sound = joined(silence(210), sines([850], { ms: 400 }), silence(200));
    for (const pieceMs of [10, 20, 60, 100]) assert.equal(found(sound, pieceMs).length, 2, `${pieceMs}`);
  });

  it('is not a shorter tone, or one outside these frequencies', () => {
    assert.deepEqual(found(joined(sines([1000], { ms: 200 }), silence(300), sines([1000], { ms: 200 }))), []);
    for (const frequency of [200, 300, 330, 2150, 2400, 3000]) {
      assert.deepEqual(found(sines([frequency], { ms: 1000 })), [], `${frequency} Hz`);
    }
  });

  it('is not a ring-back tone of two frequencies, or a modulated one', () => {
    for (const pair of [
      [440, 480],
      [400, 450],
      [480, 620],
      [350, 440],
    ]) {
      assert.deepEqual(found(sines(pair, { ms: 2000 })), [], `${pair}`);
    }
    // Japan: 400 Hz, modulated with 15 to 20 Hz.
    for (const modulationHz of [15, 16, 20]) {
      assert.deepEqual(found(sines([400], { ms: 1000, modulationHz })), [], `${modulationHz}`);
    }
  });

  it('is not a key, however long it is pressed', () => {
    for (const key of '0123456789ABCD*#') {
      const tone = (keyTone(key, lineRate) as Int16Array).subarray(80, 720);
      assert.deepEqual(found(joined(...Array<Int16Array>(8).fill(tone))), [], key);
    }
    assert.deepEqual(found(sines([697, 1209], { ms: 1000 })), []);
  });

  it('is not speech, whatever the voice', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const pitch = 90 + seed * 10;
      assert.deepEqual(found(babble(4000, pitch, seed)), [], `seed ${seed}`);
    }
  });

  it('is not noise', () => {
    for (const volume of [0.01, 0.1, 0.5]) assert.deepEqual(found(noise(5000, volume)), []);
  });
});
