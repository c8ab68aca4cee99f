import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { CallRecording } from '../../../src/voice/audio/call-recording.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import type { Engine, ReplyOutput } from '../../../src/voice/engines/engine.ts';
import { ToneVoice } from './doubles.ts';
import { echo, SpokenCall, type SpokenCallOptions, script } from './spoken-call.ts';

const lines = script('Line one. It has two sentences.', 'Line two.', 'Line three.');

/** Leaves a call, and goes on with it in another session. */
function handedOver(first: SpokenCall, fields: Partial<Agent>, options: SpokenCallOptions = {}): SpokenCall {
  first.session.release();
  assert.equal(first.end, null);
  const resumed = first.session.unfinished();
  const isOpen = resumed.isOpening;
  const elapsedMs = first.clock.now();
  return new SpokenCall(isOpen ? fields : { ...fields, beginMessage: '' }, {
    ...options,
    engineState: first.engine.state(),
    parts: {
      ...options.parts,
      resumed,
      memory: first.session.memory,
      elapsedMs,
      firstTurn: first.turns.length,
      earlierConversation: first.session.conversationSoFar(),
    },
  });
}

const texts = ({ turns }: SpokenCall) =>
  turns.filter(Boolean).map(({ index, role, text }) => `${index} ${role}: ${text}`);

describe('A call that goes on in another session', () => {
  it('waits for the caller if nothing was unfinished', () => {
    const first = new SpokenCall(lines);
    first.speak('go').untilState('agent').untilState('idle');
    const second = handedOver(first, lines);
    assert.equal(second.session.state, 'idle');
    second.speak('more').untilState('agent').untilState('idle');
    assert.deepEqual(texts(second), ['2 caller: more', '3 agent: Line two.']);
    assert.ok((second.turns[2]?.startMs ?? 0) >= first.clock.now());
  });

  it('has figures of all of it, or none if a part of it was lost', () => {
    const first = new SpokenCall({ ...lines, beginMessage: 'Welcome.' });
    first.untilState('idle').wait(2000).speak('go').untilState('agent').untilState('idle').wait(1000);
    const before = first.conversation;
    assert.equal(first.session.conversationSoFar(), null);
    const second = handedOver(first, lines);
    second.wait(700).speak('more please').untilState('agent').untilState('idle');
    const all = second.conversation;
    assert.equal(all.firstWordMs, before.firstWordMs);
    assert.equal(all.callerSpeechMs, before.callerSpeechMs + 400);
    assert.ok(before.agentSpeechMs > 0 && all.agentSpeechMs > before.agentSpeechMs);
    assert.ok(all.deadAirMs >= before.deadAirMs);
    // From the end of the greeting to the caller, and from the reply to the caller across both sessions.
    assert.ok(before.longestSilenceMs >= 2000 && all.longestSilenceMs === Math.max(before.longestSilenceMs, 1700));
    second.session.release();
    const { untilMs } = second.session.conversationSoFar() ?? {};
    assert.equal(untilMs, first.clock.now() + second.clock.now());
    const parts = { resumed: second.session.unfinished(), elapsedMs: 5000, firstTurn: 4 };
    const lost = new SpokenCall(lines, { parts });
    assert.equal(lost.session.conversation(), null);
    lost.session.release();
    assert.equal(lost.session.conversationSoFar(), null);
  });

  it('says the rest of what the agent was saying, from the start of the sentence', () => {
    const first = new SpokenCall(lines);
    first.speak('go').untilState('agent').wait(700);
    const second = handedOver(first, lines);
    assert.deepEqual(texts(first), ['0 caller: go', '1 agent: Line one. It has']);
    assert.deepEqual([first.turns[1]?.interrupted, first.turns[1]?.unspokenText], [false, null]);
    second.untilState('idle');
    assert.deepEqual(texts(second), ['2 agent: It has two sentences.']);
    second.speak('more').untilState('agent').untilState('idle');
    assert.equal(second.turns[4]?.text, 'Line two.');
  });

  it('does so too if the connection was lost before', () => {
    const first = new SpokenCall(lines);
    first.speak('go').untilState('agent').wait(700);
    first.player.drop();
    first.session.detach();
    first.clock.advance(3000);
    const second = handedOver(first, lines);
    assert.deepEqual(texts(first), ['0 caller: go', '1 agent: Line one. It has']);
    second.untilState('idle');
    assert.deepEqual(texts(second), ['2 agent: It has two sentences.']);
  });

  it('requests a reply again of which nothing was heard', () => {
    const slow = { responseEngine: { type: 'single_prompt', model: 'test-slow' } } as const;
    const first = new SpokenCall(slow);
    first.speak('are you there').untilState('thinking').wait(500);
    const second = handedOver(first, slow);
    assert.deepEqual(texts(first), ['0 caller: are you there']);
    second.untilState('agent').untilState('idle');
    assert.deepEqual(texts(second), ['1 agent: are you there']);
  });

  it('answers what the caller was saying', () => {
    const first = new SpokenCall(echo);
    first.speak('one two three').wait(500);
    assert.equal(first.session.state, 'caller');
    assert.equal(first.session.unfinished().words, null, 'words without a turn are lost with a process');
    const second = handedOver(first, echo);
    assert.deepEqual(texts(first), ['0 caller: one two three']);
    second.untilState('agent').untilState('idle');
    assert.deepEqual(texts(second), ['1 agent: one two three']);
  });

  it('requests a reply again that waits for a tool, also if the caller has begun to hear it', () => {
    const engine: Engine = {
      ...parting(false),
      reply: (_, output) => {
        output.text('Let me have a look at the calendar for you.');
        output.tool({ name: 'look', arguments: {} }, () => {});
        return () => {};
      },
    };
    const first = new SpokenCall(echo, { parts: { engine, tools: { run: () => {} } } });
    first.speak('tomorrow').untilState('agent').wait(600);
    const second = handedOver(first, echo);
    second.untilState('agent').untilState('idle');
    assert.deepEqual(texts(second), [`${first.turns.length} agent: tomorrow`]);
  });

  it('is opened if it was not', () => {
    const greeting = { ...echo, beginMessage: 'Good morning.', beginMessageDelayMs: 1000 };
    const first = new SpokenCall(greeting);
    first.wait(500);
    const second = handedOver(first, greeting);
    second.untilState('agent').untilState('idle');
    assert.deepEqual(texts(second), ['0 agent: Good morning.']);
    const third = handedOver(second, greeting);
    third.wait(3000);
    assert.deepEqual(texts(third), []);
  });
});

describe('In another session, a call keeps', () => {
  const quiet = { ...echo, reminderTriggerMs: 2000, reminderMaxCount: 2, endCallAfterSilenceMs: 12_000 };
  const reminders = (...calls: SpokenCall[]) =>
    calls.flatMap(({ turns }) => turns.filter((turn) => turn?.source === 'reminder')).length;

  it('the voice that has replaced another', () => {
    const fields = { ...lines, voiceId: 'a', fallbackVoiceIds: ['b', 'c'] };
    const first = new SpokenCall(fields, toneCall(['a', 'fails']));
    first.speak('go').untilState('agent').untilState('idle');
    const options = toneCall(['a', 'fails']);
    const second = handedOver(first, fields, options);
    second.speak('more').untilState('agent').untilState('idle');
    assert.deepEqual(
      options.speech.tts.requests.map(({ voiceId }) => voiceId),
      ['b'],
    );
    assert.deepEqual(second.eventsOf('provider_switched'), []);
    assert.equal(second.session.notApplied.length, 0);
  });

  it('its own voice if the other one is not there any more', () => {
    const fields = { ...lines, voiceId: 'a' };
    const options = toneCall();
    const voice = { provider: 'gone', voiceId: 'a' };
    const memory = { reminders: 0, failedReplies: 0, settings: {}, voice, callerRates: [], isRecordingPaused: false };
    const call = new SpokenCall(fields, { ...options, parts: { memory } });
    call.speak('go').untilState('agent');
    assert.equal(options.speech.tts.requests[0]?.voiceId, 'a');
  });

  it('the number of its reminders, and the time that the silence has lasted', () => {
    const first = new SpokenCall(quiet);
    first.speak('hi').until(() => reminders(first) === 1);
    const second = handedOver(first, quiet);
    second.until(() => second.end !== null);
    assert.equal(reminders(first, second), 2);
    assert.equal(second.end?.reason, 'silence_timeout');
    const spoken = first.turns[1];
    assert.equal(second.end?.atMs, (spoken?.endMs ?? 0) + 12_000);
  });

  it('the time of its silence, also if the connection was lost meanwhile', () => {
    const first = new SpokenCall({ ...quiet, reminderMaxCount: 0 });
    first.speak('hi').untilState('agent').untilState('idle').wait(5000);
    first.session.detach();
    first.clock.advance(10_000);
    const second = handedOver(first, { ...quiet, reminderMaxCount: 0 });
    const since = second.clock.now();
    second.until(() => second.end !== null);
    assert.equal(second.end?.reason, 'silence_timeout');
    assert.equal(second.clock.now() - since, 7000);
  });

  it('the number of replies that have failed in a row', () => {
    const failing = { responseEngine: { type: 'single_prompt', model: 'test-fail' } } as const;
    const first = new SpokenCall(failing);
    for (const word of ['one', 'two']) first.speak(word).untilState('agent').untilState('idle');
    const second = handedOver(first, failing);
    second.speak('three').until(() => second.end !== null);
    assert.equal(second.end?.reason, 'llm_failed');
    assert.deepEqual(texts(second), ['4 caller: three']);
  });

  it('the speed that follows the caller', () => {
    const fields = { ...lines, enableDynamicVoiceSpeed: true };
    const before = toneCall();
    const first = new SpokenCall(fields, before);
    // Three long words in 1.2 s: faster than anybody speaks unhurried.
    first.speak('extraordinarily complicated conversations', 20).untilState('agent').untilState('idle');
    assert.equal(before.speech.tts.requests[0]?.speed, 1.2);
    const options = toneCall();
    const second = handedOver(first, fields, options);
    second.session.text('more');
    second.untilState('agent').untilState('idle');
    assert.equal(options.speech.tts.requests[0]?.speed, 1.2);
  });

  it('a recording paused', async () => {
    const pausedCall = () => {
      const clock = new VirtualClock();
      const written: Uint8Array[] = [];
      const file = {
        write: async (_: number, bytes: Uint8Array) => {
          written.push(bytes.slice());
        },
        read: async () => new Uint8Array(0),
        close: async () => {},
      };
      return { clock, written, parts: { recording: new CallRecording(clock, file) } };
    };
    const first = new SpokenCall(echo, pausedCall());
    first.session.pauseRecording(true);
    const options = pausedCall();
    const second = handedOver(first, echo, options);
    second.speak('four two four two').wait(3000);
    second.session.hangUp();
    await second.session.closed();
    const [, ...audio] = options.written;
    assert.ok(audio.length > 0);
    assert.ok(audio.every((bytes) => bytes.every((byte) => byte === 0)));
  });

  it('what the API has said for the agent, and when it is said', () => {
    const slow = { responseEngine: { type: 'single_prompt', model: 'test-slow' } } as const;
    const first = new SpokenCall(slow);
    first.speak('are you there').wait(500);
    first.session.say('Somebody is here.', false);
    const second = handedOver(first, slow);
    second.until(() => second.turns.length === 3).untilState('idle');
    assert.deepEqual(texts(second), ['1 agent: Somebody is here.', '2 agent: are you there']);
    assert.equal(second.turns[1]?.source, 'control');
  });

  for (const isFinal of [false, true]) {
    it(`its end after what the agent was saying${isFinal ? ', whatever the caller says' : ''}`, () => {
      const parts = { engine: parting(isFinal) };
      const first = new SpokenCall(echo, { parts });
      first.speak('bye').untilState('closing').wait(900);
      const second = handedOver(first, echo, { parts });
      second.untilState('closing');
      if (isFinal) second.speak('wait please');
      second.until(() => second.end !== null);
      assert.equal(second.end?.reason, 'agent_hangup');
      assert.equal(texts(second)[0], '2 agent: Goodbye and take care of yourself.');
    });
  }

  it('an end that the caller can withdraw', () => {
    const parts = { engine: parting(false) };
    const first = new SpokenCall({ ...echo, interruptionSensitivity: 1 }, { parts });
    first.speak('bye').untilState('closing').wait(900);
    const second = handedOver(first, { ...echo, interruptionSensitivity: 1 });
    second.untilState('closing').speak('wait please').untilState('idle');
    assert.equal(second.end, null);
    assert.deepEqual(texts(second).slice(1), ['3 caller: wait please', '4 agent: wait please']);
  });

  it('its end if everything was said', () => {
    const nothing = { isOpening: false, words: null, unsaid: [], idleTimers: [] };
    const call = new SpokenCall(echo, { parts: { resumed: { ...nothing, endsAfterSpeech: 'withdrawable' } } });
    assert.equal(call.end?.reason, 'agent_hangup');
  });

  it('what cannot be interrupted uninterruptible', () => {
    const text = 'This sentence is read to you. It cannot be interrupted.';
    const engine: Engine = { ...parting(false), reply: (_, output) => said(output, text, true) };
    const agent = { ...echo, interruptionSensitivity: 1 };
    const first = new SpokenCall(agent, { parts: { engine } });
    first.speak('go').untilState('agent').wait(300);
    const second = handedOver(first, agent);
    second.untilState('agent').speak('stop it now').untilState('idle');
    assert.deepEqual(texts(second), [`2 agent: ${text}`, '3 caller: stop it now', '4 agent: stop it now']);
  });

  it('what a custom server has changed of the agent', () => {
    const configuring: Engine = {
      ...parting(false),
      attach: (call) => call.configure({ responsiveness: 0, reminderMaxCount: 0 }),
    };
    const first = new SpokenCall(echo, { parts: { engine: configuring } });
    const second = handedOver(first, { ...echo, responsiveness: 1 });
    second.speak('zebra').until(() => second.commandTimes('reply.request').length > 0);
    assert.equal(second.commandTimes('reply.request')[0], 200 + 1800);
  });
});

/** An engine that says goodbye and hangs up. */
function parting(isFinal: boolean): Engine {
  return {
    reply: (_, output) => {
      output.text('Thank you for calling. Goodbye and take care of yourself.');
      output.end({ endCall: true, isFinal });
      return () => {};
    },
    accept: () => {},
    collected: () => ({}),
    setVariables: () => [],
    state: () => undefined,
  };
}

function said(output: ReplyOutput, text: string, isUninterruptible: boolean): () => void {
  output.text(text, { isUninterruptible });
  output.end();
  return () => {};
}

/** Speech of a voice of tones, in which this voice behaves like that. */
function toneCall(...behavior: Parameters<ToneVoice['behavior']['set']>[]) {
  const clock = new VirtualClock();
  const tts = new ToneVoice(clock);
  for (const [voiceId, how] of behavior) tts.behavior.set(voiceId, how);
  return { clock, speech: { tts } };
}
