import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CallRecording, type RecordingFile } from '../../../src/voice/audio/call-recording.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import type { Engine } from '../../../src/voice/engines/engine.ts';
import { createTestDetector, createTestStt } from '../../../src/voice/providers/test/test-speech.ts';
import type { Stt } from '../../../src/voice/speech-ports.ts';
import { ToldStt, ToneVoice } from './doubles.ts';
import { echo, SpokenCall, script } from './spoken-call.ts';

const ten = 'One two three. Four five six seven. Eight nine ten.';

describe('A page that never plays', () => {
  it('does not hang the call', () => {
    const call = new SpokenCall({ ...script(ten, 'Next line.') });
    call.player.isStuck = true;
    call.speak('go').until(() => call.player.frames.length > 0);
    const since = call.clock.now();
    call.untilState('idle', 6000);
    assert.ok(call.clock.now() - since <= 5020);
    assert.equal(call.eventsOf('warning')[0]?.code, 'playback_stalled');
    assert.deepEqual(
      call.turns.map(({ role }) => role),
      ['caller'],
    );
    call.player.isStuck = false;
    call.speak('again').untilState('agent').untilState('idle');
    assert.equal(call.turns.at(-1)?.role, 'agent');
  });

  it('commits what was played before it stopped', () => {
    const call = new SpokenCall({ ...script(ten) });
    call.speak('go').untilState('agent').wait(900);
    call.player.isStuck = true;
    call.untilState('idle', 10_000);
    const agent = call.turns.at(-1);
    assert.ok(ten.startsWith(agent?.text ?? '-'));
    assert.ok((agent?.unspokenText ?? '').length > 0);
  });
});

describe('A connection that drops', () => {
  it('resumes with the sentence that was cut', () => {
    const call = new SpokenCall({ ...script(ten) });
    // Three words of the first sentence and one of the second were played.
    call.speak('go').untilState('agent').wait(820);
    const played = call.player.heard(1).length;
    call.player.drop();
    call.session.detach();
    assert.equal(call.session.state, 'lost');
    call.clock.advance(5000);
    call.resume();
    call.untilState('agent').untilState('idle');
    const [, first, second] = call.turns;
    assert.equal(first?.text, 'One two three. Four');
    assert.deepEqual([first?.interrupted, first?.unspokenText], [false, null]);
    assert.equal(second?.text, 'Four five six seven. Eight nine ten.');
    assert.deepEqual(call.player.wordsHeard(2), ['Four', 'five', 'six', 'seven', 'Eight', 'nine', 'ten']);
    assert.ok(played >= 4 * 3200);
    assert.deepEqual(call.player.frames, ['speech 1', 'speech 2']);
    const speech = call.events.filter(({ type }) => type === 'speech_started' || type === 'speech_ended');
    assert.deepEqual(
      speech.map((event) => ('role' in event ? `${event.role} ${event.type}` : '')),
      [
        'caller speech_started',
        'caller speech_ended',
        'agent speech_started',
        'agent speech_ended',
        'agent speech_started',
        'agent speech_ended',
      ],
    );
  });

  it('says again in full what was not heard at all', () => {
    const call = new SpokenCall({ ...script(ten) });
    call
      .speak('go')
      .untilState('thinking')
      .until(() => call.player.frames.length > 0);
    call.player.drop();
    call.session.detach();
    call.clock.advance(2000);
    call.resume();
    call.untilState('agent').untilState('idle');
    assert.deepEqual(
      call.turns.map(({ text }) => text),
      ['go', ten],
    );
  });

  it('ends the call after 30 s', () => {
    const call = new SpokenCall({ ...echo });
    call.wait(1000);
    call.session.detach();
    call.clock.advance(30_000);
    assert.deepEqual([call.end?.reason, call.end?.atMs], ['caller_disconnected', 31_000]);
  });
});

/** Until nothing more of the first utterance is heard; returns since when. */
function untilQuiet(call: SpokenCall): number {
  const heard = () => call.player.heard(1).length;
  let since = 0;
  for (let before = -1; before < heard(); call.wait(200)) [before, since] = [heard(), call.clock.now()];
  return since;
}

describe('A voice', () => {
  const spoken = (call: { clock: VirtualClock }, fields: Parameters<typeof script>, voiceIds: string[] = []) => {
    const voice = new ToneVoice(call.clock);
    return { voice, fields: { ...script(...fields), fallbackVoiceIds: voiceIds, voiceId: 'a' } };
  };

  it('that fails ends the call if none is left, and says why', () => {
    const clock = new VirtualClock();
    const { voice, fields } = spoken({ clock }, ['Hello there.']);
    voice.behavior.set('a', 'fails');
    const call = new SpokenCall(fields, { speech: { tts: voice }, clock });
    call.speak('go').until(() => call.end !== null);
    assert.deepEqual([call.end?.reason, call.end?.detail], ['tts_failed', 'HTTP 500 of the voice']);
  });

  it('that fails is replaced for the rest of the call', () => {
    const clock = new VirtualClock();
    const { voice, fields } = spoken({ clock }, ['Hello there.', 'And more.'], ['b']);
    voice.behavior.set('a', 'is silent');
    const call = new SpokenCall(fields, { speech: { tts: voice }, clock });
    call.speak('go').untilState('agent').untilState('idle');
    call.speak('on').untilState('agent').untilState('idle');
    assert.deepEqual(
      call.eventsOf('provider_switched').map(({ capability, from, to }) => [capability, from, to]),
      [['tts', 'a', 'b']],
    );
    assert.deepEqual(
      call.turns.map(({ text }) => text),
      ['go', 'Hello there.', 'on', 'And more.'],
    );
  });

  it('of another provider goes on if all of the agent’s have failed, from the sentence that was cut', () => {
    const clock = new VirtualClock();
    const { voice, fields } = spoken({ clock }, [ten, 'And more.'], ['b']);
    voice.behavior.set('a', 'fails');
    voice.behavior.set('b', 'fails halfway');
    const other = Object.assign(new ToneVoice(clock), { name: 'other' });
    const speech = { tts: voice, otherTts: [other] };
    const call = new SpokenCall({ ...fields, voiceModel: 'v2' }, { speech, clock });
    call.speak('go').untilState('agent').untilState('idle');
    assert.deepEqual(
      call.eventsOf('provider_switched').map(({ from, to }) => [from, to]),
      [
        ['a', 'b'],
        ['tone', 'other'],
      ],
    );
    assert.equal(call.turns[1]?.text, ten);
    assert.deepEqual([other.requests[0]?.model, voice.requests[0]?.model], [null, 'v2']);
    const { tts } = call.session.speechUsage();
    assert.deepEqual(
      tts.map(({ provider }) => provider),
      ['tone', 'other'],
    );
  });

  it('that stops in the middle does not hang the call', () => {
    const clock = new VirtualClock();
    const { voice, fields } = spoken({ clock }, [ten, 'And more.']);
    voice.behavior.set('a', 'stops halfway');
    const call = new SpokenCall(fields, { speech: { tts: voice }, clock });
    call.speak('go').untilState('agent');
    call.until(() => voice.requests.length === 2).wait(500);
    const since = untilQuiet(call);
    call.untilState('idle', 10_000);
    assert.ok(call.clock.now() - since <= 5020);
    const { text = '', unspokenText } = call.turns[1] ?? {};
    assert.ok(text.startsWith('One'));
    assert.equal(`${text}${unspokenText}`, ten);
    const [warning] = call.eventsOf('warning');
    assert.deepEqual(
      [warning?.code, warning?.message],
      ['playback_stalled', 'The voice stopped before the end of what it had to say.'],
    );
    voice.behavior.clear();
    call.speak('on').untilState('agent').untilState('idle');
    assert.equal(call.turns[3]?.text, 'And more.');
  });

  for (const [what, end, maxMs] of [
    ['that ends the call', { endCall: true }, 3000],
    ['that is not complete', null, 5020],
  ] as const) {
    it(`that stops in the middle of a reply ${what} does not hang the call`, () => {
      const clock = new VirtualClock();
      const voice = new ToneVoice(clock);
      voice.behavior.set('a', 'stops halfway');
      let canceled = 0;
      const engine: Engine = {
        reply: (_, output) => {
          output.text('The weather is fine today. ');
          output.text('And');
          if (end !== null) output.end(end);
          return () => {
            canceled += 1;
          };
        },
        accept: () => {},
        collected: () => ({}),
        setVariables: () => [],
        state: () => undefined,
      };
      const call = new SpokenCall({ ...echo, voiceId: 'a' }, { speech: { tts: voice }, clock, parts: { engine } });
      call.speak('go').until(() => call.turns.length === 1 && call.session.state !== 'thinking');
      const since = untilQuiet(call);
      call.until(() => call.end !== null || call.session.state === 'idle', 10_000);
      assert.ok(call.clock.now() - since <= maxMs);
      assert.deepEqual([call.end?.reason, canceled], [end === null ? undefined : 'agent_hangup', 1]);
      const { text = '', unspokenText } = call.turns[1] ?? {};
      assert.match(text, /^The/);
      assert.match(`${text}${unspokenText}`, /^The weather is fine today\./);
    });
  }
});

describe('A recognizer', () => {
  it('that is silent does not hang the call', () => {
    const stt = new ToldStt();
    const call = new SpokenCall({ ...echo }, { speech: { recognizers: [stt], detector: createTestDetector() } });
    call.speak('words nobody understands').wait(700);
    assert.equal(call.session.state, 'endpoint');
    call.untilState('idle', 3000);
    assert.deepEqual(call.turns, []);
  });

  it('that fails is replaced, and the new one decides how long a final may take', () => {
    const stt = new ToldStt('first');
    const next: Stt = { ...createTestStt(), name: 'second' };
    const call = new SpokenCall({ ...echo }, { speech: { recognizers: [stt, next], detector: createTestDetector() } });
    stt.isDown = true;
    stt.last.events.failed('closed');
    call.speak('hello there').wait(3000);
    assert.deepEqual(
      call.eventsOf('provider_switched').map(({ capability, from, to }) => [capability, from, to]),
      [['stt', 'first', 'second']],
    );
    call.until(() => call.turns.length === 2).untilState('idle');
    assert.equal(call.turns[0]?.text, 'hello there');
    assert.deepEqual(
      call.session.speechUsage().stt.map(({ provider }) => provider),
      ['first', 'second'],
    );
  });

  it('that opens its stream and says nothing is replaced, and the next one hears what was said', () => {
    const stt = new ToldStt('first');
    const next: Stt = { ...createTestStt(), name: 'second' };
    const call = new SpokenCall({ ...echo }, { speech: { recognizers: [stt, next], detector: createTestDetector() } });
    call.speak('hello there').until(() => call.eventsOf('provider_switched').length > 0, 4000);
    assert.deepEqual([stt.streams.length, stt.last.isClosed], [1, true]);
    call.until(() => call.turns.length === 2).untilState('idle');
    assert.equal(call.turns[0]?.text, 'hello there');
  });

  it('that says nothing ends the call if there is no other', () => {
    const stt = new ToldStt();
    const call = new SpokenCall({ ...echo }, { speech: { recognizers: [stt], detector: createTestDetector() } });
    call.speak('hello there').until(() => call.end !== null, 15_000);
    assert.deepEqual([call.end?.reason, call.end?.detail], ['stt_failed', 'no answer of told within 2.5 s']);
  });

  it('that has answered before may be silent', () => {
    const stt = new ToldStt();
    const call = new SpokenCall({ ...echo }, { speech: { recognizers: [stt], detector: createTestDetector() } });
    stt.last.events.partial('');
    call.speak('hello there').wait(15_000);
    assert.deepEqual([call.end, stt.streams.length], [null, 1]);
  });

  it('that rejects the call is replaced at once', () => {
    const stt = new ToldStt('first');
    const next: Stt = { ...createTestStt(), name: 'second' };
    const call = new SpokenCall({ ...echo }, { speech: { recognizers: [stt, next], detector: createTestDetector() } });
    stt.last.events.failed('HTTP 401 of first', true);
    assert.deepEqual([call.eventsOf('provider_switched')[0]?.at, stt.streams.length], [0, 1]);
  });

  it('that cannot be reached has five seconds, however long an attempt takes', () => {
    const stt = new ToldStt('first');
    const next: Stt = { ...createTestStt(), name: 'second' };
    const call = new SpokenCall({ ...echo }, { speech: { recognizers: [stt, next], detector: createTestDetector() } });
    for (let attempt = 0; attempt < 4 && call.eventsOf('provider_switched').length === 0; attempt += 1) {
      call.wait(2500);
      stt.last.events.failed('first did not accept the connection within 2.5 s');
    }
    assert.equal(call.eventsOf('provider_switched')[0]?.at, 7500);
  });

  it('that fails for good ends the call, and says why', () => {
    const stt = new ToldStt();
    const call = new SpokenCall({ ...echo }, { speech: { recognizers: [stt], detector: createTestDetector() } });
    stt.isDown = true;
    stt.last.events.failed('closed');
    call.until(() => call.end !== null, 6000);
    assert.deepEqual([call.end?.reason, call.end?.detail], ['stt_failed', 'HTTP 503 of the recognizer']);
  });
});

describe('A recorded call', () => {
  it('has the caller left, and right what was played, when it was played', async () => {
    const clock = new VirtualClock();
    let bytes = new Uint8Array(0);
    const file: RecordingFile = {
      write: async (position, part) => {
        const larger = new Uint8Array(Math.max(bytes.length, position + part.length));
        larger.set(bytes);
        larger.set(part, position);
        bytes = larger;
      },
      read: async (position, length) => bytes.subarray(position, position + length),
      close: async () => {},
    };
    const recording = new CallRecording(clock, file);
    const call = new SpokenCall({ ...script('One two three four.') }, { clock, parts: { recording } });
    call.speak('hello there').untilState('agent').untilState('idle').wait(1000);
    call.session.hangUp();
    await call.session.closed();
    const samples = new Int16Array(bytes.slice(44).buffer);
    const left = samples.filter((_, index) => index % 2 === 0);
    const right = samples.filter((_, index) => index % 2 === 1);
    const agent = call.turns[1];
    assert.equal(left.length, call.clock.now() * 16);
    // The caller said two words from the start; the agent was heard from the time in the transcript on.
    // Here, what was played is reported just before the caller's frame of the same 20 ms.
    const start = (agent?.startMs ?? 0) * 16 - 320;
    assert.deepEqual(right.subarray(start, start + 4 * 3200), call.player.heard(1));
    assert.ok(right.subarray(0, start).every((sample) => sample === 0));
    assert.ok(left.subarray(0, 2 * 3200).some((sample) => sample !== 0));
    assert.ok(left.subarray(2 * 3200).every((sample) => sample === 0));
  });
});
