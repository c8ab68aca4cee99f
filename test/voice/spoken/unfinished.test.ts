import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Agent } from '../../../src/contract/agent.ts';
import { echo, SpokenCall, script } from './spoken-call.ts';

const lines = script('Line one. It has two sentences.', 'Line two.', 'Line three.');

/** Leaves a call, and goes on with it in another session. */
function handedOver(first: SpokenCall, fields: Partial<Agent>): SpokenCall {
  first.session.leave();
  assert.equal(first.end, null);
  const resumed = first.session.unfinished();
  const isOpen = resumed.isOpening;
  const elapsedMs = first.clock.now();
  return new SpokenCall(isOpen ? fields : { ...fields, beginMessage: '' }, {
    engineState: first.engine.state(),
    parts: {
      resumed,
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
    second.session.leave();
    const { untilMs } = second.session.conversationSoFar() ?? {};
    assert.equal(untilMs, first.clock.now() + second.clock.now());
    const parts = { resumed: second.session.unfinished(), elapsedMs: 5000, firstTurn: 4 };
    const lost = new SpokenCall(lines, { parts });
    assert.equal(lost.session.conversation(), null);
    lost.session.leave();
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
    first.session.lost();
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
