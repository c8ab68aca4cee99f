import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { CallVoice } from '../../../src/voice/spoken/call-voice.ts';
import { SpeechCache } from '../../../src/voice/spoken/speech-cache.ts';
import { SpokenOutput } from '../../../src/voice/spoken/spoken-output.ts';
import { ToneVoice } from '../spoken/doubles.ts';
import { PhoneLine } from './phone-line.ts';

const rate = 8000;
/** Eighty characters, which take the voice four seconds. */
const long = 'This sentence has exactly eighty characters, which take the voice four seconds. ';

/** What the agent says in a phone call. */
function setUp(networkMs = 50) {
  const clock = new VirtualClock();
  const line = new PhoneLine(clock, { networkMs });
  line.start();
  clock.advance(2 * networkMs);
  const log: string[] = [];
  const note = (text: string) => log.push(`${Math.round(clock.now())} ${text}`);
  const settings = { voiceIds: ['a'] as const, model: null, emotion: null, temperature: 1, language: 'en', rate };
  const callVoice = new CallVoice(
    clock,
    new ToneVoice(clock),
    { ...settings, speed: () => 1, fixedSentences: new Set() },
    new SpeechCache(),
    () => {},
  );
  const recorded: Int16Array[] = [];
  const output = new SpokenOutput(
    { clock, voice: callVoice, transport: line.stream, volume: 1, onPlayed: (samples) => recorded.push(samples) },
    {
      sent: () => {},
      started: (utterance) => note(`started ${utterance}`),
      progress: () => {},
      done: (utterance) => note(`done ${utterance}`),
      cleared: (utterance, characters) => note(`cleared ${utterance} ${characters}`),
      failed: (utterance) => note(`failed ${utterance}`),
    },
  );
  const reports: number[] = [];
  line.listen({
    played: (utterance, samples) => {
      reports.push(samples);
      output.played(utterance, samples);
    },
  });
  const say = (utterance: number, text: string) => output.say(utterance, { text, length: text.length }, true);
  const recordedSamples = () => recorded.reduce((sum, { length }) => sum + length, 0);
  return { clock, line, output, log, reports, say, recordedSamples };
}

describe('On a phone line', () => {
  it('everything that the agent says is played, and the end is known a network delay later', () => {
    const { clock, line, log, say, recordedSamples } = setUp();
    say(1, long.repeat(3));
    clock.advance(20_000);
    assert.equal(line.played.length, 12 * rate);
    assert.equal(recordedSamples(), 12 * rate);
    // 100 ms of the voice, 50 ms there, 20 ms of audio, 50 ms back.
    assert.deepEqual(log, ['320 started 1', '12300 done 1']);
  });

  it('no more than 3 s and the network delay are ahead', () => {
    const { clock, line, say } = setUp();
    say(1, long.repeat(3));
    clock.advance(5000);
    const sent = line.frames.filter((frame) => frame.startsWith('media')).map((frame) => Number(frame.split(' ')[1]));
    const ahead = sent.reduce((sum, samples) => sum + samples, 0) - line.played.length;
    assert.ok(ahead > 2.5 * rate && ahead <= 3.1 * rate, `${ahead}`);
  });

  it('what was heard is never more than what was played, and at most 100 ms and a network delay less', () => {
    for (let cutMs = 400; cutMs < 4500; cutMs += 130) {
      const { clock, line, output, log, reports, say } = setUp();
      say(1, long);
      clock.advance(cutMs - clock.now());
      const before = line.played.length;
      output.clear(1);
      clock.advance(3000);
      const [, cleared = ''] = /cleared 1 (\d+)/.exec(log.join('\n')) ?? [];
      const heardMs = Number(cleared) * 50;
      assert.ok(heardMs <= line.played.length / 8, `${cutMs}: heard ${heardMs}, played ${line.played.length / 8}`);
      const reported = reports.at(-1) ?? 0;
      assert.ok(reported <= line.played.length && reported >= before - 150 * 8, `${cutMs}: ${reported} of ${before}`);
    }
  });

  it('the reply after an interruption does not wait for reports that will not come', () => {
    const { clock, output, log, say } = setUp();
    say(1, long);
    clock.advance(2000);
    const at = clock.now();
    output.clear(1);
    clock.advance(1);
    assert.equal(log.at(-1)?.startsWith(`${at} cleared 1`), true, `${log}`);
  });

  it('after a pause, the agent goes on where it was heard', () => {
    for (let pauseMs = 350; pauseMs < 4400; pauseMs += 170) {
      const { clock, line, output, log, say, recordedSamples } = setUp();
      say(1, long);
      clock.advance(pauseMs - clock.now());
      output.pause(1);
      clock.advance(1500);
      output.resume(1);
      clock.advance(8000);
      assert.equal(log.at(-1)?.endsWith('done 1'), true, `paused at ${pauseMs}: ${log}`);
      assert.equal(recordedSamples(), 4 * rate);
      // What was played and not reported at the pause is heard twice.
      const twice = line.played.length - 4 * rate;
      assert.ok(twice >= 0 && twice <= 300 * 8, `paused at ${pauseMs}: ${twice}`);
    }
  });

  it('an acknowledgment that is cut off takes nothing of the reply with it', () => {
    const { clock, line, output, log, say } = setUp();
    say(1, 'Mm-hm, I see what you mean.');
    clock.advance(200);
    say(2, long);
    clock.advance(400);
    output.clear(1);
    clock.advance(10_000);
    assert.ok(
      log.some((entry) => entry.endsWith('done 2')),
      `${log}`,
    );
    assert.ok(line.played.length >= 4 * rate);
  });
});
