import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import { testFrames } from '../../../src/voice/providers/test/frames.ts';
import { fixedSentences } from '../../../src/voice/spoken/fixed-sentences.ts';
import { wordsWithin } from '../../../src/voice/spoken/turn-words.ts';
import { compilePronunciation } from '../../../src/voice/text/pronunciation.ts';
import { createSpeakableStage } from '../../../src/voice/text/speakable.ts';
import { echo, SpokenCall, script } from './spoken-call.ts';

describe('The figures of a conversation', () => {
  it('count an interruption, and how long both spoke', () => {
    const call = new SpokenCall({ ...script('One two three four five six seven eight.', 'Bye.') });
    call
      .speak('go')
      .untilState('agent')
      .wait(600)
      .speak('wait a moment please')
      .untilState('caller')
      .untilState('agent');
    call.untilState('idle');
    const { callerInterruptions, overlapMs, agentSpeechMs, callerSpeechMs, agentInterruptions } = call.conversation;
    assert.equal(callerInterruptions, 1);
    assert.equal(agentInterruptions, 0);
    assert.equal(callerSpeechMs, 200 + 800);
    // The agent is paused 200 ms after the caller began.
    const [pausedAt = 0] = call.commandTimes('pause');
    const agent = call.turns[1];
    assert.equal(agentSpeechMs, pausedAt - (agent?.startMs ?? 0) + 200);
    assert.equal(overlapMs, 200);
  });

  it('count dead air while a reply is pending, and the sentence that bridges it', () => {
    const call = new SpokenCall({ responseEngine: { type: 'single_prompt', model: 'test-slow' } });
    call.speak('hello there').untilState('agent').untilState('idle');
    const { deadAirMs, longestSilenceMs, waitingSentences } = call.conversation;
    assert.equal(deadAirMs, 3000);
    assert.equal(longestSilenceMs, 300 + 3000);
    assert.equal(waitingSentences, 0);
  });

  it('count backchannels that were heard', () => {
    const call = new SpokenCall({ ...echo, enableBackchannel: true, backchannelFrequency: 1, responsiveness: 0 });
    for (let part = 0; part < 4; part += 1) call.speak('and then,').silence(700);
    call.wait(5000).untilState('idle');
    const said = call.commandTimes('backchannel').length;
    assert.ok(said > 0);
    assert.equal(call.conversation.backchannels, said);
  });

  it('are zero, and without a first word, if nobody spoke', () => {
    const call = new SpokenCall({ ...echo });
    call.wait(1000);
    call.session.stop('api_end');
    assert.deepEqual(call.conversation, {
      agentSpeechMs: 0,
      callerSpeechMs: 0,
      overlapMs: 0,
      firstWordMs: null,
      deadAirMs: 0,
      longestSilenceMs: 1000,
      callerInterruptions: 0,
      agentInterruptions: 0,
      falseInterruptions: 0,
      reminders: 0,
      waitingSentences: 0,
      backchannels: 0,
    });
  });
});

describe('The words of a turn', () => {
  it('lie within it and never go back', () => {
    const word = (text: string, startMs: number, endMs: number) => ({ text, startMs, endMs, confidence: null });
    const words = [word('old', 100, 200), word('a', 990, 1200), word('b', 1150, 1400), word('c', 1400, 1700)];
    assert.deepEqual(wordsWithin(words, { startMs: 1000, endMs: 1600 }, 0), [
      word('a', 1000, 1200),
      word('b', 1200, 1400),
      word('c', 1400, 1600),
    ]);
    assert.deepEqual(wordsWithin(words, { startMs: 0, endMs: 600 }, 1000)[0], word('a', 0, 200));
  });
});

describe('Speech that a network which stalled delivers at once', () => {
  it('has its words in its turn', () => {
    const call = new SpokenCall(echo);
    call.wait(3000);
    for (const word of ['hello', 'there', 'again']) call.session.audio(testFrames(word, 10));
    call.session.audio(new Int16Array(320));
    call.untilState('agent').untilState('idle');
    call.speak('and more').untilState('agent').untilState('idle');
    const [first, , second] = call.turns;
    const texts = (turn: typeof first) => turn?.words.map(({ text }) => text);
    assert.deepEqual(
      [texts(first), texts(second)],
      [
        ['hello', 'there', 'again'],
        ['and', 'more'],
      ],
    );
    for (const { startMs, endMs, words } of [first, second].filter((turn) => turn !== undefined)) {
      const times = words.flatMap((word) => [word.startMs, word.endMs]);
      assert.deepEqual(
        [startMs, ...times, endMs],
        [startMs, ...times, endMs].toSorted((one, other) => one - other),
      );
    }
  });
});

describe('Fixed sentences', () => {
  const of = (fields: Parameters<typeof agentWith>[0]) => {
    const agent = agentWith(fields);
    const pronounce = compilePronunciation(agent.pronunciationDictionary ?? []);
    return fixedSentences(agent, () => [createSpeakableStage(agent.language), pronounce]);
  };

  it('are those without variables, as they are spoken', () => {
    const spoken = of({
      beginMessage: 'Welcome to **SQL**. You are {{name}}. Ask me.',
      pronunciationDictionary: [{ find: 'SQL', replace: 'sequel' }],
    });
    assert.ok(spoken.has('Welcome to sequel.'));
    assert.ok(spoken.has('Ask me.'));
    assert.ok(spoken.has('One moment, please.'));
    assert.ok(![...spoken].some((sentence) => sentence.includes('{{')));
  });

  it('are those of a flow, of its retries and of its tools', () => {
    const flow = {
      skills: [
        { id: 'a', type: 'say', text: 'First. Second.', next: 'b' },
        {
          id: 'b',
          type: 'ask',
          text: 'Your name?',
          variable: 'name',
          as: 'text',
          retry: { text: 'Pardon?' },
          next: 'c',
          otherwise: 'c',
        },
        { id: 'c', type: 'tool', tool: 'book', arguments: {}, say: 'I am booking.', next: 'd', otherwise: 'd' },
        { id: 'd', type: 'end', text: 'Bye, {{name}}.' },
      ],
    };
    const spoken = of({ responseEngine: { type: 'conversation_flow' }, agentSettings: { flow } });
    for (const sentence of ['First.', 'Second.', 'Your name?', 'Pardon?', 'I am booking.']) {
      assert.ok(spoken.has(sentence), sentence);
    }
    assert.ok(!spoken.has('Bye, {{name}}.'));
  });

  it('are said from the cache in the next call of the agent', () => {
    const fields = { ...echo, beginMessage: 'Welcome to the salon.' };
    const first = new SpokenCall(fields);
    first.untilState('agent').untilState('idle');
    assert.equal(first.session.speechUsage().tts[0]?.requests, 1);
    const second = new SpokenCall(fields, { speech: { cache: first.cache } });
    second.untilState('agent').untilState('idle');
    const { requests, characters } = second.session.speechUsage().tts[0] ?? {};
    assert.deepEqual([requests, characters], [0, 21]);
    assert.deepEqual(second.player.heard(1), first.player.heard(1));
  });
});
