import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { BeepDetector } from '../../../src/voice/audio/beep.ts';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../src/voice/audio/g711.ts';
import { bytesOf } from '../../../src/voice/audio/pcm.ts';
import { keyTone } from '../../../src/voice/audio/tones.ts';
import { findSpeechPackages } from '../../../src/voice/providers/embedded/packages.ts';
import { createSpeechProviders } from '../../../src/voice/providers/registry.ts';
import { say } from '../providers/embedded/support/speech.ts';
import { allCodes, allSamples } from './g711-reference.ts';
import { joined, lineRate, silence, sines } from './line-sounds.ts';

/** Programs of other people, on audio of ours. Debian has both. Skips the suite, with the reason, if one is missing. */
function skipWithout(...programs: string[]): string | false {
  const missing = programs.filter((name) => !existsSync(`/usr/bin/${name}`));
  return missing.length > 0 && `no ${missing.join(' and no ')} on this machine: see CONTRIBUTING.md`;
}

function run(program: string, args: readonly string[], input: Uint8Array): Buffer {
  const { status, stdout, stderr } = spawnSync(program, args, { input, maxBuffer: 64 * 1024 * 1024 });
  assert.equal(status, 0, stderr.toString());
  return stdout;
}

const format = (name: string) => ['-f', name, '-ar', String(lineRate), '-ac', '1'];

function ffmpeg(from: string, to: readonly string[], input: Uint8Array): Buffer {
  return run('ffmpeg', ['-v', 'error', ...format(from), '-i', 'pipe:0', ...to, 'pipe:1'], input);
}

const laws = {
  mulaw: { decode: decodeMulaw, encode: encodeMulaw },
  alaw: { decode: decodeAlaw, encode: encodeAlaw },
};

describe('G.711 and ffmpeg', { skip: skipWithout('ffmpeg') }, () => {
  for (const [law, { decode, encode }] of Object.entries(laws)) {
    it(`decode all codes of ${law} to the same samples`, () => {
      assert.deepEqual(ffmpeg(law, ['-f', 's16le'], allCodes), Buffer.from(bytesOf(decode(allCodes))));
    });

    it(`encode all samples in ${law} to the same codes, or next to a decision value to the neighbor`, () => {
      const expected = decode(ffmpeg('s16le', ['-f', law], bytesOf(allSamples)));
      const actual = decode(encode(allSamples));
      const values = [...decode(allCodes)].sort((one, other) => one - other);
      let different = 0;
      for (const [index, sample] of allSamples.entries()) {
        if (actual[index] === expected[index]) continue;
        different += 1;
        const distance = values.indexOf(actual[index] as number) - values.indexOf(expected[index] as number);
        assert.ok(Math.abs(distance) <= 1, `${sample}: ${actual[index]} instead of ${expected[index]}`);
      }
      assert.ok(different < 0.015 * allSamples.length, `${different}`);
    });
  }
});

describe('Key tones and multimon-ng', { skip: skipWithout('ffmpeg', 'multimon-ng') }, () => {
  it('mean the same keys', () => {
    const keys = '1234567890ABCD*#112w233';
    const tones = [...keys].map((key) => keyTone(key, lineRate) as Int16Array);
    const line = encodeMulaw(joined(silence(500), ...tones, silence(500)));
    // What multimon-ng reads.
    const raw = ffmpeg('mulaw', ['-f', 's16le', '-ar', '22050'], line);
    const output = run('multimon-ng', ['-q', '-t', 'raw', '-a', 'DTMF', '-'], raw).toString();
    const heard = [...output.matchAll(/DTMF: (\S)/g)].map(([, key]) => key).join('');
    assert.equal(heard, keys.replaceAll('w', ''));
  });
});

const greetings = [
  'Hi, you have reached the office of Doctor Moore. We cannot come to the phone right now. Please leave a message after the tone.',
  'Hello? Oh hello, yes, this is she. Who is calling please? Mmm, I see. No, no, no, that is fine.',
  'Your call has been forwarded to an automated voice message system. At the tone, please record your message.',
];
const isVoiceInstalled = findSpeechPackages().flite !== null;

describe('Voices of the service', {
  skip: isVoiceInstalled ? false : 'the optional packages are not installed',
}, () => {
  it('are no beep, and the beep after a greeting is one', async () => {
    const speech = createSpeechProviders({ models: '/nonexistent', programPath: '', isPreloaded: false });
    try {
      const voices = await speech.voices('embedded', 'en-US');
      assert.ok(voices.length > 1);
      for (const { voiceId } of voices) {
        const greeting = await say(speech, greetings, { voiceId, rate: lineRate });
        assert.ok(greeting.length > 5 * lineRate);
        let beeps = 0;
        const detector = new BeepDetector(lineRate, {
          started: () => {
            beeps += 1;
          },
          ended: () => {},
        });
        detector.write(decodeMulaw(encodeMulaw(greeting)));
        assert.equal(beeps, 0, voiceId);
        detector.write(decodeMulaw(encodeMulaw(sines([1000], { ms: 400 }))));
        assert.equal(beeps, 1, voiceId);
      }
    } finally {
      await speech.close();
    }
  });
});
