import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cassette as cassetteSchema } from '../../../src/contract/simulations/cassette.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import type { Llm, LlmMessage, LlmRequest } from '../../../src/voice/llm.ts';
import { recordCassette, replayCassette } from '../../../src/voice/simulation/cassette.ts';
import { lastWords, scriptedLlm } from './scripted-llm.ts';

const system = (content: string): LlmMessage => ({ role: 'system', content });
const user = (content: string): LlmMessage => ({ role: 'user', content });
const prompt = system('You take bookings.\n\nThe current date and time is Monday, 2026-01-05, 10:00, in Asia/Tokyo.');
const book = { name: 'book', description: 'Books.', parameters: { type: 'object' } };
const ask = (...messages: LlmMessage[]): LlmRequest => ({ model: 'm', messages: [prompt, ...messages], tools: [book] });

/** Everything that arrives, with its time. Cancels after `cancelAt`. */
function listen(llm: Llm, clock: VirtualClock, request: LlmRequest, cancelAt = Number.POSITIVE_INFINITY) {
  const start = clock.now();
  const heard: unknown[][] = [];
  const note = (...what: unknown[]) => void heard.push([clock.now() - start, ...what]);
  const cancel = llm.reply(request, {
    text: (text) => note('text', text),
    tool: ({ name, arguments: given }) => note('tool', name, given),
    usage: ({ promptTokens }) => note('usage', promptTokens),
    done: () => note('done'),
    failed: (detail) => note('failed', detail),
  });
  clock.advance(Math.min(cancelAt, 60_000));
  cancel();
  clock.advance(60_000);
  return heard;
}

function record(requests: readonly LlmRequest[], cancelAt?: number) {
  const clock = new VirtualClock();
  let count = 0;
  const live = scriptedLlm(clock, (request) => [
    { after: 300, text: `You said ${lastWords(request)}` },
    { after: 40, text: ` (${++count})` },
    { after: 10, tool: 'book', arguments: '{"day":"2026-11-20"}' },
  ]);
  const recorder = recordCassette(live, clock);
  const heard = requests.map((request) => listen(recorder.llm, clock, request, cancelAt));
  return { cassette: recorder.cassette(), heard };
}

function replay(cassette: ReturnType<typeof record>['cassette'], request: LlmRequest) {
  const clock = new VirtualClock();
  const llm = replayCassette(cassette, clock);
  return { heard: listen(llm, clock, request), misses: llm.misses };
}

describe('a cassette', () => {
  it('replays a reply with its timing, and is valid as a request of the API', () => {
    const { cassette, heard } = record([ask(user('Hello.'))]);
    assert.deepEqual(heard[0], [
      [300, 'text', 'You said Hello.'],
      [340, 'text', ' (1)'],
      [350, 'tool', 'book', '{"day":"2026-11-20"}'],
      [355, 'usage', 10],
      [355, 'done'],
    ]);
    assert.deepEqual(replay(cassetteSchema.parse(JSON.parse(JSON.stringify(cassette))), ask(user('Hello.'))), {
      heard: heard[0],
      misses: [],
    });
  });

  it('names what has changed since the recording, and replies nothing', () => {
    const { cassette } = record([ask(user('Hello.'))]);
    const missOf = (request: LlmRequest) => {
      const { heard, misses } = replay(cassette, request);
      assert.deepEqual(heard, [[0, 'failed', misses[0]]]);
      return misses;
    };
    const changed = { ...ask(), messages: [system('You sell shoes.'), user('Hello.')] };
    assert.deepEqual(missOf(changed), ['no recorded reply for "Hello.": the instructions changed since the recording']);
    assert.deepEqual(missOf({ ...ask(user('Hello.')), model: 'n', tools: [] }), [
      'no recorded reply for "Hello.": the model and the tools changed since the recording',
    ]);
    assert.deepEqual(missOf({ ...ask(user('Hello.')), temperature: 0.5 }), [
      'no recorded reply for "Hello.": the parameters changed since the recording',
    ]);
    assert.deepEqual(missOf(ask(user('Goodbye.'))), [
      'no recorded reply for "Goodbye.": the conversation differs from the recorded one',
    ]);
    assert.deepEqual(missOf({ ...ask(), messages: [prompt] }), [
      'no recorded reply for the opening: the conversation differs from the recorded one',
    ]);
  });

  it('does not depend on ids, white space, the order of members or the date of the call', () => {
    const call = (id: string, given: string): LlmMessage[] => [
      { role: 'assistant', content: '', toolCalls: [{ id, name: 'book', arguments: given }] },
      { role: 'tool', toolCallId: id, content: 'booked as agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz' },
    ];
    const { cassette } = record([ask(user('On 2026-11-20.'), ...call('a', '{"day":1,"name":"x"}'))]);
    const later = {
      ...ask(user(' On  2026-11-20.\n'), ...call('b', '{"name":"x", "day":1}')),
      tools: [{ parameters: { type: 'object' }, description: 'Books. ', name: 'book' }],
      temperature: undefined,
    };
    const [, ...others] = later.messages;
    const tuesday = system(
      'You take bookings. The current date and time is Tuesday, 2027-02-09, 23:59, in Asia/Tokyo.',
    );
    assert.deepEqual(replay(cassette, { ...later, messages: [tuesday, ...others] }).misses, []);
    const [, , ...rest] = later.messages;
    const otherDay = replay(cassette, { ...later, messages: [prompt, user('On 2026-11-21.'), ...rest] });
    assert.equal(otherDay.misses.length, 1, 'the caller’s date is part of the conversation');
  });

  it('replays the same request in the order of the recording, and then the last reply', () => {
    const { cassette } = record([ask(user('Hello.')), ask(user('Hello.'))]);
    const clock = new VirtualClock();
    const llm = replayCassette(cassette, clock);
    const second = [0, 1, 2].map(() => listen(llm, clock, ask(user('Hello.')))[1]?.[2]);
    assert.deepEqual(second, [' (1)', ' (2)', ' (2)']);
  });

  it('prefers a complete reply to a canceled one, and reports a miss where there is no other', () => {
    const canceled = record([ask(user('Hello.'))], 320).cassette;
    const whole = record([ask(user('Hello.'))]).cassette;
    assert.deepEqual(canceled.replies[0]?.events.length, 1);
    const both = { ...whole, replies: [...canceled.replies, ...whole.replies] };
    assert.deepEqual(replay(both, ask(user('Hello.'))).misses, []);
    const { heard, misses } = replay(canceled, ask(user('Hello.')));
    assert.deepEqual(misses, ['no complete recorded reply for "Hello.": it was canceled']);
    assert.deepEqual(heard, [
      [300, 'text', 'You said Hello.'],
      [300, 'failed', misses[0]],
    ]);
  });

  it('sends nothing after it was canceled', () => {
    const { cassette } = record([ask(user('Hello.'))]);
    const clock = new VirtualClock();
    assert.deepEqual(listen(replayCassette(cassette, clock), clock, ask(user('Hello.')), 310), [
      [300, 'text', 'You said Hello.'],
    ]);
  });

  it('contains no prompt and no credential', () => {
    const secrets = [
      'Bearer abcdef0123456789',
      'vak_0123456789abcdef',
      'sk-proj-0123456789abcdef',
      '{{secrets.TOKEN}}',
    ];
    const words = `My key is ${secrets.join(' and ')}.`;
    const request = { ...ask(), messages: [system(`Never say ${secrets[1]}. Be kind.`), user(words)] };
    const { cassette } = record([request]);
    const text = JSON.stringify(cassette);
    for (const secret of ['abcdef0123456789', '0123456789abcdef', 'secrets.TOKEN', 'Be kind']) {
      assert.ok(!text.includes(secret), `${secret} is in ${text}`);
    }
    assert.deepEqual(replay(cassette, request).misses, [], 'it is found nevertheless');
  });
});
