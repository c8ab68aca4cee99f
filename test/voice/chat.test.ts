import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentWith } from '../../campaigns/voice/random-agent.ts';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { VirtualClock } from '../../src/voice/clock.ts';
import { createRehearsalEngine } from '../../src/voice/engines/rehearsal.ts';
import { createTestEngine, type TestModel } from '../../src/voice/engines/test-models.ts';
import { policyOf } from '../../src/voice/policy.ts';
import type { Turn } from '../../src/voice/ports.ts';
import { Session } from '../../src/voice/session.ts';
import { Invariants } from '../../src/voice/simulation/invariants.ts';
import { noInput, TextOutput } from '../../src/voice/text-output.ts';

function startChat(fields: Partial<Agent>, model?: TestModel) {
  const agent = agentWith(fields);
  const { language } = agent;
  const clock = new VirtualClock();
  const recognizer = { hasPartials: false, waitMs: 0, hasEcho: false };
  const policy = policyOf(agent, { isChat: true, isFlow: false, recognizer }).turn;
  const turns: Turn[] = [];
  const pieces: string[] = [];
  const invariants = new Invariants(policy);
  let endReason: string | null = null;
  let endDetail: string | null = null;
  const prompt = agent.responseEngine.prompt ?? '';
  const engine =
    model === undefined ? createRehearsalEngine({ language }) : createTestEngine({ model, prompt, language, clock });
  const session = new Session({
    clock,
    policy,
    language,
    engine,
    input: noInput,
    output: (events) => new TextOutput(events, (_utterance, text) => pieces.push(text)),
    newStages: () => [],
    tools: { run: () => {} },
    newToolCallId: () => 'tcl_1',
    recorder: {
      turn: (turn) => {
        turns[turn.index] = turn;
      },
      event: () => {},
      ended: (reason, _atMs, detail) => {
        endReason = reason;
        endDetail = detail;
      },
    },
    observe: (event, commands, machine, now) => invariants.check(event, commands, machine, now),
  });
  session.dispatch({ type: 'connected' });
  return {
    clock,
    session,
    pieces,
    send: (text: string) => session.dispatch({ type: 'text', text }),
    transcript: () => {
      assert.deepEqual(invariants.violations, []);
      return turns.map(({ role, text }) => `${role}: ${text}`);
    },
    turns,
    endReason: () => endReason,
    endDetail: () => endDetail,
  };
}

describe('A chat', () => {
  it('says a begin message first and answers each message at once', () => {
    const chat = startChat({ beginMessage: 'Hello.' }, 'test-echo');
    chat.send('One.');
    chat.send('Two. And more.');
    assert.deepEqual(chat.transcript(), [
      'agent: Hello.',
      'caller: One.',
      'agent: One.',
      'caller: Two. And more.',
      'agent: Two. And more.',
    ]);
    assert.deepEqual(chat.pieces, ['Hello.', 'One.', 'Two. ', 'And more.']);
  });

  it('measures from the message to the first text', () => {
    const chat = startChat({ beginMessage: '' }, 'test-slow');
    chat.clock.advance(1000);
    chat.send('Slow.');
    chat.clock.advance(3000);
    const { latency, startMs } = chat.turns[1] as Turn;
    assert.deepEqual([latency?.e2eMs, latency?.llmFirstTokenMs, latency?.ownMs, startMs], [3000, 3000, 0, 4000]);
    assert.equal(latency?.endpointingMs, null);
  });

  it('measures no more than the time since it began, although its first message had to wait', () => {
    const chat = startChat({ beginMessage: '' }, 'test-echo');
    chat.session.dispatch({ type: 'text', text: 'Hi.', receivedAt: chat.clock.now() - 500 });
    chat.session.dispatch({ type: 'text', text: 'And?', receivedAt: chat.clock.now() });
    assert.deepEqual(
      chat.turns.map(({ latency }) => latency?.e2eMs),
      [undefined, 0, undefined, 0],
    );
  });

  it('speaks the lines of a script in order, repeats the last, and hangs up at [end]', () => {
    const prompt = 'Welcome.\n\nWhat is your name?\n[end]\n';
    const chat = startChat({ beginMessage: null, responseEngine: { type: 'single_prompt', prompt } }, 'test-script');
    chat.send('Hi.');
    assert.equal(chat.endReason(), null);
    chat.send('Taro.');
    assert.deepEqual(chat.transcript(), [
      'agent: Welcome.',
      'caller: Hi.',
      'agent: What is your name?',
      'caller: Taro.',
    ]);
    assert.equal(chat.endReason(), 'agent_hangup');
  });

  it('has no agent turn with a silent model, and ends after three failed replies', () => {
    const silent = startChat({ beginMessage: '' }, 'test-silent');
    silent.send('Anybody?');
    assert.deepEqual(silent.transcript(), ['caller: Anybody?']);
    const failing = startChat({ beginMessage: '' }, 'test-fail');
    for (const text of ['One', 'Two', 'Three']) failing.send(text);
    assert.deepEqual(failing.transcript(), ['caller: One', 'caller: Two', 'caller: Three']);
    assert.equal(failing.endReason(), 'llm_failed');
    assert.equal(failing.endDetail(), 'test-fail always fails');
  });

  it('never pretends to understand without a model', () => {
    const japanese = startChat({ beginMessage: null, language: 'ja' });
    japanese.send('予約したいです');
    assert.deepEqual(japanese.transcript(), [
      'agent: 言語モデルはまだ接続されていません。お話しになった内容を繰り返します。',
      'caller: 予約したいです',
      'agent: 「予約したいです」と聞こえました。言語モデルはまだ接続されていません。',
    ]);
    const english = startChat({ beginMessage: '', language: 'en' });
    english.send('A table');
    assert.equal(english.transcript()[1], 'agent: I heard: "A table". No language model is connected yet.');
  });

  it('ends after the silence and the duration that the agent allows', () => {
    const silent = startChat({ beginMessage: '', endCallAfterSilenceMs: 10_000 }, 'test-echo');
    silent.clock.advance(9999);
    assert.equal(silent.endReason(), null);
    silent.clock.advance(1);
    assert.equal(silent.endReason(), 'silence_timeout');
    const long = startChat({ beginMessage: '', maxCallDurationMs: 60_000 }, 'test-echo');
    for (let second = 0; second < 60; second += 1) {
      long.send('still here');
      long.clock.advance(1000);
    }
    assert.equal(long.endReason(), 'max_duration');
  });
});
