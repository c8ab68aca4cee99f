import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallRecording } from '../../../src/voice/audio/call-recording.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { testFrames } from '../../../src/voice/providers/test/frames.ts';
import { createTestStt } from '../../../src/voice/providers/test/test-speech.ts';
import { ToneVoice } from './doubles.ts';
import { echo, SpokenCall, script } from './spoken-call.ts';

describe('A spoken call', () => {
  it('hears words, answers them, and has both in the transcript with exact times', () => {
    const call = new SpokenCall({ ...echo, responsiveness: 1 });
    call.speak('hello there friend').wait(620);
    assert.deepEqual(
      call.steps.map(({ event }) => event.type).filter((type) => type.startsWith('vad') || type.startsWith('stt')),
      ['vad.start', 'stt.partial', 'stt.partial', 'stt.partial', 'vad.end', 'stt.final'],
    );
    call.untilState('agent').untilState('idle');
    const [caller, agent] = call.turns;
    assert.equal(caller?.text, 'hello there friend');
    assert.deepEqual([caller?.startMs, caller?.endMs], [0, 600]);
    assert.deepEqual(caller?.words, [
      { text: 'hello', startMs: 0, endMs: 200, confidence: null },
      { text: 'there', startMs: 200, endMs: 400, confidence: null },
      { text: 'friend', startMs: 400, endMs: 600, confidence: null },
    ]);
    assert.equal(agent?.text, 'hello there friend');
    assert.deepEqual([agent?.startMs, agent?.endMs], [900, 1500]);
    assert.deepEqual(agent?.latency, {
      e2eMs: 300,
      endpointingMs: 300,
      sttMs: 0,
      knowledgeMs: null,
      llmFirstTokenMs: 0,
      ttsFirstAudioMs: 0,
      ownMs: 0,
    });
    assert.deepEqual(call.player.wordsHeard(1), ['hello', 'there', 'friend']);
  });

  it('counts the time that a timer fires late as its own, and not as a deliberate wait', () => {
    class BusyClock extends VirtualClock {
      override after(ms: number, run: () => void): () => void {
        return super.after(ms > 100 ? ms + 40 : ms, run);
      }
    }
    const call = new SpokenCall({ ...echo, responsiveness: 1 }, { clock: new BusyClock() });
    call.speak('hello').untilState('agent').untilState('idle');
    const { e2eMs, endpointingMs, ownMs } = call.turns[1]?.latency ?? {};
    assert.deepEqual({ e2eMs, endpointingMs, ownMs }, { e2eMs: 340, endpointingMs: 300, ownMs: 40 });
  });

  it('has nothing before its start, if audio that has accumulated arrives at once', () => {
    class SlowClock extends VirtualClock {
      lateMs = 0;
      override now(): number {
        return super.now() + this.lateMs;
      }
    }
    const clock = new SlowClock();
    const stt = createTestStt();
    const slowStt: typeof stt = {
      ...stt,
      open: (...parts) => {
        clock.lateMs = 50;
        return stt.open(...parts);
      },
    };
    const call = new SpokenCall(echo, { clock, speech: { recognizers: [slowStt] } });
    call.session.audio(testFrames('hello', 10));
    call.untilState('agent').untilState('idle');
    const sounds = call.events.flatMap((event) => ('atMs' in event ? [event.atMs] : []));
    assert.ok(sounds.length >= 4 && sounds.every((atMs) => atMs >= 0), `${sounds}`);
    assert.ok(call.turns.every(({ startMs, endMs }) => startMs >= 0 && endMs >= startMs));
  });

  it('measures a reply by its own words, and not by a sound that ends while it is on its way', () => {
    const responseEngine = { type: 'single_prompt', model: 'test-slow', prompt: '' } as const;
    const call = new SpokenCall({ responseEngine, responsiveness: 1 });
    call.speak('', 30).wait(300);
    call.session.text('typed');
    call.untilState('agent').untilState('idle');
    assert.deepEqual(call.turns.at(-1)?.latency, {
      e2eMs: 3000,
      endpointingMs: 0,
      sttMs: null,
      knowledgeMs: null,
      llmFirstTokenMs: 3000,
      ttsFirstAudioMs: 0,
      ownMs: 0,
    });
  });

  it('pauses in time when the caller speaks over it, and commits exactly what was heard', () => {
    const call = new SpokenCall({
      ...script('One two three four five six seven eight nine ten.'),
      interruptionSensitivity: 1,
    });
    call.speak('go on').untilState('agent').wait(500);
    const since = call.clock.now();
    call.speak('please stop now').until(() => call.player.frames.includes('pause 1'));
    const [pausedAt = 0] = call.commandTimes('pause');
    assert.ok(pausedAt - since >= 200 && pausedAt - since <= 220);
    call.untilState('caller').wait(300);
    assert.deepEqual(call.player.frames, ['speech 1', 'pause 1', 'clear 1']);
    const heard = call.player.wordsHeard(1);
    const [, agent] = call.turns;
    assert.equal(agent?.interrupted, true);
    assert.equal(agent?.text.toLowerCase(), heard.join(' ').toLowerCase());
    assert.equal(`${agent?.text}${agent?.unspokenText}`, 'One two three four five six seven eight nine ten.');
    assert.ok(heard.length >= 3 && heard.length < 6);
    call.untilState('idle', 30_000);
    assert.equal(call.turns[2]?.text, 'please stop now');
  });

  it('goes on after a cough, without losing a word', () => {
    const call = new SpokenCall({ ...script('One two three four five six.'), interruptionSensitivity: 1 });
    call.speak('go on').untilState('agent').wait(200).speak([''], 12).untilState('paused').untilState('idle');
    assert.deepEqual(call.player.frames, ['speech 1', 'pause 1', 'resume 1']);
    assert.deepEqual(call.player.wordsHeard(1), ['One', 'two', 'three', 'four', 'five', 'six']);
    assert.equal(call.conversation.falseInterruptions, 1);
  });

  it('shows what is said while it is said', () => {
    const call = new SpokenCall({ ...echo });
    call.speak('good morning').untilState('agent').untilState('idle');
    const caller = call.frames.filter(({ role }) => role === 'caller');
    assert.deepEqual(caller, [
      { role: 'caller', text: 'good', isFinal: false, turn: 0 },
      { role: 'caller', text: 'good morning', isFinal: false, turn: 0 },
      { role: 'caller', text: 'good morning', isFinal: true, turn: 0 },
      { role: 'caller', text: 'good morning', isFinal: true, turn: 0 },
    ]);
    const agent = call.frames.filter(({ role }) => role === 'agent');
    assert.deepEqual(agent, [
      { role: 'agent', text: 'good', isFinal: false, turn: 1 },
      { role: 'agent', text: 'good morning', isFinal: false, turn: 1 },
      { role: 'agent', text: 'good morning', isFinal: true, turn: 1 },
    ]);
    assert.deepEqual(call.floors, ['caller', 'none', 'agent', 'none']);
  });

  it('answers typed words, reports digits, and is controlled from outside', () => {
    const call = new SpokenCall({ ...echo });
    call.session.text('typed words');
    call.untilState('agent').untilState('idle');
    assert.deepEqual(
      call.turns.map(({ text, source }) => [text, source]),
      [
        ['typed words', null],
        ['typed words', 'engine'],
      ],
    );
    call.session.dtmf('12');
    call.untilState('agent').untilState('idle');
    assert.equal(call.eventsOf('dtmf_received')[0]?.digits, '12');
    assert.deepEqual([call.turns[2]?.text, call.turns[3]?.text], ['12', '12']);
    call.session.say('A note.', false);
    call.untilState('agent').untilState('idle');
    assert.deepEqual([call.turns[4]?.text, call.turns[4]?.source], ['A note.', 'control']);
    call.session.mute(true);
    call.speak('anybody there').wait(3000);
    assert.equal(call.turns.length, 6);
    call.session.mute(false);
    call.session.respond();
    call.session.hangUp();
    assert.equal(call.end?.reason, 'caller_hangup');
  });

  it('has no word twice if a typed message divides what the caller says', () => {
    const call = new SpokenCall({ ...echo });
    call.speak('one two three four').wait(400);
    call.session.text('typed');
    call.wait(2000).untilState('idle');
    assert.deepEqual(
      call.turns.filter(({ role }) => role === 'caller').map(({ text }) => text),
      ['one two', 'typed', 'three four'],
    );
  });

  it('measures what it used, and how the conversation went', () => {
    const call = new SpokenCall({
      ...echo,
      beginMessage: 'Welcome here.',
      reminderTriggerMs: 5000,
      reminderMaxCount: 1,
    });
    call
      .untilState('idle')
      .wait(1000)
      .speak('hello you')
      .wait(5000)
      .until(() => call.turns.length === 4)
      .untilState('idle');
    call.wait(1000);
    call.session.hangUp();
    const conversation = call.conversation;
    // The gate lets through the words, 300 ms before them, and 1.5 s of silence after them less one frame.
    assert.deepEqual(call.session.speechUsage(), {
      stt: [{ provider: 'test', requests: 1, audioMs: 300 + 400 + 1480 }],
      tts: [{ provider: 'test', model: null, requests: 3, characters: 42 }],
    });
    assert.equal(conversation.callerSpeechMs, 400);
    assert.equal(conversation.reminders, 1);
    assert.equal(conversation.firstWordMs, 0);
    assert.equal(conversation.overlapMs, 0);
    assert.equal(conversation.callerInterruptions, 0);
    for (const value of Object.values(conversation)) assert.ok(Number.isInteger(value));
    assert.equal(conversation.agentSpeechMs, 400 + 400 + 800);
    assert.equal(conversation.deadAirMs, 0);
    assert.ok(conversation.longestSilenceMs >= 5000);
  });

  it('writes what it says if it has no voice', () => {
    const call = new SpokenCall({ ...echo, beginMessage: 'Welcome.' }, { speech: { tts: null } });
    call.session.text('hello');
    assert.deepEqual(
      call.turns.map(({ text }) => text),
      ['Welcome.', 'hello', 'hello'],
    );
    assert.deepEqual(call.player.frames, []);
  });

  it('takes words that the caller’s own side has recognized', () => {
    const call = new SpokenCall({ ...echo }, { speech: { recognizers: [], isRecognizedByCaller: true } });
    call.speak([''], 20).wait(200);
    call.session.recognized('from the browser', false);
    call.wait(300);
    call.session.recognized('from the browser', true);
    call.untilState('idle');
    assert.equal(call.turns[0]?.text, 'from the browser');
    const { stt, tts } = call.session.speechUsage();
    assert.deepEqual([stt.length, tts.length], [0, 1]);
  });

  it('hears, speaks and records at the rates of the caller’s side', () => {
    const recorded = { caller: 0, agent: 0 };
    const recording = {
      caller: ({ length }: Int16Array) => {
        recorded.caller += length;
      },
      agent: ({ length }: Int16Array) => {
        recorded.agent += length;
      },
      interrupt: () => {},
    } as unknown as CallRecording;
    const clock = new VirtualClock();
    const voice = new ToneVoice(clock);
    const call = new SpokenCall(
      { ...echo, beginMessage: 'Hello there.' },
      {
        clock,
        rate: 24_000,
        inputRate: 48_000,
        speech: { tts: voice },
        parts: { recording },
      },
    );
    assert.equal(voice.requests[0]?.rate, 24_000);
    for (let sent = 0; sent < 50; sent += 1) call.session.audio(new Int16Array(960));
    // A filter lags by a millisecond or two.
    const lag = 50;
    assert.ok(Math.abs(recorded.caller - 16_000) < lag);
    clock.advance(5000);
    assert.equal(call.player.heard(1).length, 600 * 24);
    assert.ok(Math.abs(recorded.agent - 600 * 16) < lag);
    const before = recorded.caller;
    call.session.detach();
    call.resume();
    call.session.audio(new Int16Array(320));
    assert.equal(recorded.caller, before + 320);
  });

  it('lists what the voice for tests cannot do', () => {
    const call = new SpokenCall({ ...echo, volume: 0.5, voiceSpeed: 2, voiceEmotion: 'happy' });
    assert.deepEqual(call.session.notApplied, [
      { field: 'voiceSpeed', reason: 'not_supported' },
      { field: 'voiceEmotion', reason: 'not_supported' },
      { field: 'volume', reason: 'not_supported' },
    ]);
  });
});

describe('The words of the agent', () => {
  it('have the times at which they were heard, also after a pause, and end with the interruption', () => {
    const call = new SpokenCall({ ...script('One two three four five six. Seven eight nine ten.', 'Bye.') });
    call.speak('go').untilState('agent').wait(700).speak([''], 15).untilState('paused').untilState('agent').wait(1000);
    call.speak('stop that please').untilState('caller').untilState('agent').untilState('idle');
    const [, agent, , bye] = call.turns;
    assert.ok(agent && bye);
    assert.equal(agent.words.map(({ text }) => text).join(' '), agent.text.replaceAll('.', '').trim());
    const lengths = agent.words.map(({ startMs, endMs }) => endMs - startMs);
    const paused = lengths.findIndex((ms) => ms > 250);
    assert.ok(paused > 0, 'one of them was interrupted by a cough');
    assert.deepEqual([...new Set(lengths.filter((_, index) => index !== paused))], [200]);
    assert.equal(agent.words[0]?.startMs, agent.startMs);
    assert.ok((agent.words.at(-1)?.endMs ?? 0) <= agent.endMs);
    assert.deepEqual(bye.words, [{ text: 'Bye', startMs: bye.startMs, endMs: bye.startMs + 200, confidence: null }]);
  });

  it('are not there if the voice does not say where they end', () => {
    const clock = new VirtualClock();
    const call = new SpokenCall({ ...script('One two.') }, { speech: { tts: new ToneVoice(clock) }, clock });
    call.speak('go').untilState('agent').untilState('idle');
    assert.deepEqual(call.turns[1]?.words, []);
  });
});
