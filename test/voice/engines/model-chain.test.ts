import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { ModelChain } from '../../../src/voice/engines/model/model-chain.ts';
import { type ScriptedEvent, scriptedLlm } from '../simulation/scripted-llm.ts';

/** A chain whose models reply what the script says, by name and in order. */
function started(script: Readonly<Record<string, readonly (readonly ScriptedEvent[])[]>>, state?: unknown) {
  const clock = new VirtualClock();
  const [model = '', ...fallbackModels] = Object.keys(script);
  const used = new Map<string, number>();
  const llm = scriptedLlm(clock, (request) => {
    const count = used.get(request.model) ?? 0;
    used.set(request.model, count + 1);
    return script[request.model]?.[count] ?? [];
  });
  const chain = new ModelChain({ llm, clock, parameters: { model, temperature: 0.2 }, fallbackModels });
  chain.restore(state);
  const heard: string[] = [];
  const ask = () => {
    const note = (text: string) => heard.push(`${clock.now()}: ${text}`);
    return chain.reply(
      { messages: [{ role: 'user', content: 'Hi.' }], tools: [] },
      {
        text: note,
        tool: ({ name }) => note(name),
        done: () => note('done'),
        failed: (detail) => note(`failed, ${detail}`),
        switched: (from, to) => note(`${from} → ${to}`),
      },
    );
  };
  return { clock, chain, llm, heard, ask };
}

const say = (text: string, after = 100): ScriptedEvent[] => [{ after, text }];
const fail = (after = 100, failure = {}): ScriptedEvent[] => [{ after, failed: 'HTTP 500', failure }];

describe('a model without fallbacks', () => {
  it('is asked once more if it fails before its first text', () => {
    const { clock, heard, llm, ask } = started({ a: [fail(), say('Hello.')] });
    ask();
    clock.advance(10_000);
    assert.deepEqual(heard, ['200: Hello.', '205: done']);
    assert.equal(llm.requests.length, 2);
  });

  it('fails if it fails again, and is asked twice for the next reply, too', () => {
    const { clock, heard, llm, ask } = started({ a: [fail(), fail(), fail(), say('Hello.')] });
    ask();
    clock.advance(1000);
    assert.deepEqual(heard, ['200: failed, HTTP 500']);
    ask();
    clock.advance(1000);
    assert.deepEqual([heard.at(-1), llm.requests.length], ['1205: done', 4]);
  });

  it('is not asked again after its first text, which would be said twice', () => {
    const { clock, heard, ask } = started({ a: [[...say('Good'), ...fail()], say('Hello.')] });
    ask();
    clock.advance(10_000);
    assert.deepEqual(heard, ['100: Good', '200: failed, HTTP 500']);
  });

  it('is not asked again for what would fail again', () => {
    const { clock, heard, ask } = started({ a: [fail(100, { isFinal: true }), say('Hello.')] });
    ask();
    clock.advance(10_000);
    assert.deepEqual(heard, ['100: failed, HTTP 500']);
  });

  it('gets up to 2 s if it asks for time', () => {
    const soon = started({ a: [fail(100, { retryAfterMs: 2000 }), say('Hello.')] });
    const late = started({ a: [fail(100, { retryAfterMs: 2001 }), say('Hello.')] });
    for (const { ask, clock } of [soon, late]) {
      ask();
      clock.advance(10_000);
    }
    assert.deepEqual([soon.heard[0], late.heard[0]], ['2200: Hello.', '100: failed, HTTP 500']);
  });

  it('may take its time', () => {
    const { clock, heard, ask } = started({ a: [say('Hello.', 14_000)] });
    ask();
    clock.advance(15_000);
    assert.equal(heard[0], '14000: Hello.');
  });

  it('is not asked again after the reply was canceled', () => {
    const { clock, heard, llm, ask } = started({ a: [fail(100, { retryAfterMs: 1000 }), say('Hello.')] });
    const cancel = ask();
    clock.advance(500);
    cancel();
    clock.advance(10_000);
    assert.deepEqual([heard, llm.requests.length], [[], 1]);
  });
});

describe('a model with fallbacks', () => {
  it('is replaced in place of a retry, for the rest of the call', () => {
    const { clock, heard, llm, ask } = started({ a: [fail()], b: [say('Hello.'), say('Yes.')] });
    ask();
    clock.advance(1000);
    ask();
    clock.advance(1000);
    assert.deepEqual(heard, ['100: a → b', '200: Hello.', '205: done', '1100: Yes.', '1105: done']);
    assert.deepEqual(
      llm.requests.map(({ model, temperature }) => [model, temperature]),
      [
        ['a', 0.2],
        ['b', 0.2],
        ['b', 0.2],
      ],
    );
  });

  it('is replaced after 4 s without anything to say, and what it sends later is dropped', () => {
    const blank: ScriptedEvent[] = [{ after: 100, text: ' \n' }, ...say('Late.', 3950)];
    const { clock, heard, ask } = started({ a: [blank], b: [say('Hello.')] });
    ask();
    clock.advance(10_000);
    assert.deepEqual(heard, ['4000: a → b', '4100: Hello.', '4105: done']);
  });

  it('is kept if it calls a tool or says something in time', () => {
    for (const first of [{ after: 3999, tool: 'book', arguments: '{}' } as const, ...say('Well,', 3999)]) {
      const { clock, heard, ask } = started({ a: [[first, ...say('then.', 5000)]], b: [say('Hello.')] });
      ask();
      clock.advance(20_000);
      assert.deepEqual(heard.slice(1), ['8999: then.', '9004: done']);
    }
  });

  it('is replaced for failures that a retry would not help against', () => {
    const { clock, heard, ask } = started({ a: [fail(100, { isFinal: true })], b: [say('Hello.')] });
    ask();
    clock.advance(1000);
    assert.equal(heard[1], '200: Hello.');
  });

  it('fails with the last of them, which then has its retry in later replies', () => {
    const { clock, heard, ask } = started({ a: [fail()], b: [fail()], c: [fail(), fail(), say('Back.')] });
    ask();
    clock.advance(1000);
    assert.deepEqual(heard, ['100: a → b', '200: b → c', '300: failed, HTTP 500']);
    ask();
    clock.advance(1000);
    assert.equal(heard[3], '1200: Back.');
  });

  it('never sends the name of a test model', () => {
    const { clock, heard, llm, ask } = started({ a: [fail(), fail()], 'test-echo': [say('Hello.')] });
    ask();
    clock.advance(1000);
    assert.deepEqual(heard, ['200: failed, HTTP 500']);
    assert.ok(llm.requests.every(({ model }) => model === 'a'));
  });

  it('continues elsewhere with the model and the usage of the call', () => {
    const first = started({ a: [fail()], b: [say('Hello.')] });
    first.ask();
    first.clock.advance(1000);
    const state: unknown = JSON.parse(JSON.stringify(first.chain.state()));
    const second = started({ a: [], b: [say('Yes.')] }, state);
    second.ask();
    second.clock.advance(1000);
    assert.equal(second.heard[0], '100: Yes.');
    assert.deepEqual(second.chain.usage(), [
      usage('a', { requests: 1, promptTokens: 0, cachedTokens: 0, completionTokens: 0 }),
      usage('b', { requests: 2, promptTokens: 20, cachedTokens: 8, completionTokens: 4 }),
    ]);
  });
});

function usage(model: string, counts: object) {
  return { provider: 'scripted', model, sentModel: `sent-${model}`, ...counts };
}
