import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { askModel } from '../../../src/areas/analysis/extraction/ask-model.ts';
import { jsonIn } from '../../../src/areas/analysis/extraction/read-output.ts';
import { realClock } from '../../../src/voice/clock.ts';
import type { LlmRequest, LlmToolCall, LlmUsage } from '../../../src/voice/llm.ts';
import { readEvents } from '../../../src/voice/providers/openai/event-stream.ts';
import { createOpenAiLlm, type OpenAiLlm } from '../../../src/voice/providers/openai/llm.ts';
import { httpReceiver } from '../../support/receiver.ts';

type Body = Record<string, unknown>;
interface Answer {
  readonly status?: number;
  readonly type?: string;
  /** Each is sent in a packet of its own. */
  readonly pieces: readonly string[];
}

const request: LlmRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi.' }], tools: [] };
const limited: LlmRequest = { ...request, maxTokens: 50 };

const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (fields: object): string => event({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) + event('[DONE]');
const said = (...contents: string[]): Answer => ({
  pieces: [...contents.map((content) => delta({ content })), finish],
});
const whole = (message: object, usage?: object): Answer => ({
  type: 'application/json',
  pieces: [
    JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
  ],
});
const refused = (message: string, status = 400): Answer => ({
  status,
  type: 'application/json',
  pieces: [JSON.stringify({ error: { message } })],
});

/** A server that somebody else wrote. */
async function serverWith(context: TestContext, answer: (body: Body, count: number) => Answer) {
  const bodies: Body[] = [];
  const { port } = await httpReceiver(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    bodies.push(body);
    const { status = 200, type = 'text/event-stream', pieces } = answer(body, bodies.length);
    response.writeHead(status, { 'content-type': type });
    for (const piece of pieces) await new Promise<void>((resolve) => response.write(piece, () => resolve()));
    response.end();
  });
  const llm = createOpenAiLlm({ apiKey: null, baseUrl: `http://127.0.0.1:${port}/v1`, modelMap: new Map() });
  context.after(() => llm.close());
  const fields = (): (string | undefined)[] =>
    bodies.map((body) => Object.keys(body).filter((name) => /^max_/.test(name))).map((names) => names.join());
  return { llm, bodies, fields };
}

interface Outcome {
  readonly text: string;
  readonly pieces: readonly string[];
  readonly tools: readonly LlmToolCall[];
  readonly usage: LlmUsage | null;
  readonly failed: string | null;
}

function outcomeOf(llm: OpenAiLlm, asked: LlmRequest = request): Promise<Outcome> {
  return new Promise((resolve) => {
    const pieces: string[] = [];
    const tools: LlmToolCall[] = [];
    let usage: LlmUsage | null = null;
    const outcome = (failed: string | null): void => resolve({ text: pieces.join(''), pieces, tools, usage, failed });
    llm.reply(asked, {
      text: (text) => pieces.push(text),
      tool: (call) => tools.push(call),
      usage: (given) => {
        usage = given;
      },
      done: () => outcome(null),
      failed: (detail) => outcome(detail),
    });
  });
}

const textOf = async (llm: OpenAiLlm, asked?: LlmRequest) => (await outcomeOf(llm, asked)).text;

describe('the limit of tokens', () => {
  it('is the newer field for any host', async (t) => {
    const { llm, fields } = await serverWith(t, (body) =>
      'max_tokens' in body ? refused("'max_tokens' is not supported with this model.") : said('Ok.'),
    );
    assert.equal(await textOf(llm, limited), 'Ok.');
    assert.deepEqual(fields(), ['max_completion_tokens']);
  });

  it('is the older field for a server that refuses the newer one, after one retry', async (t) => {
    for (const refusal of [
      refused('Extra inputs are not permitted: max_completion_tokens', 422),
      refused('bad request'),
      { status: 400, type: 'text/plain', pieces: [] },
    ]) {
      const { llm, fields } = await serverWith(t, (body) => ('max_tokens' in body ? said('Ok.') : refusal));
      for (let count = 0; count < 3; count += 1) assert.equal(await textOf(llm, limited), 'Ok.');
      assert.deepEqual(fields(), ['max_completion_tokens', 'max_tokens', 'max_tokens', 'max_tokens']);
    }
  });

  it('is remembered for each model', async (t) => {
    const { llm, fields } = await serverWith(t, ({ model, ...body }) =>
      model === 'old' && 'max_completion_tokens' in body ? refused('unknown field') : said('Ok.'),
    );
    for (const model of ['old', 'new', 'old', 'new']) await textOf(llm, { ...limited, model });
    const newer = 'max_completion_tokens';
    assert.deepEqual(fields(), [newer, 'max_tokens', newer, 'max_tokens', newer]);
  });

  it('is not tried with the other field if the server accepted it before, or refuses something else', async (t) => {
    const accepted = await serverWith(t, (_body, count) =>
      count === 1 ? said('Ok.') : refused('the prompt is too long'),
    );
    await outcomeOf(accepted.llm, limited);
    const { failed } = await outcomeOf(accepted.llm, limited);
    assert.deepEqual(
      [failed, accepted.bodies.length],
      ['HTTP 400 of the model (application/json): the prompt is too long', 2],
    );
    const unlimited = await serverWith(t, () => refused('no'));
    await outcomeOf(unlimited.llm);
    assert.equal(unlimited.bodies.length, 1);
    const denied = await serverWith(t, () => refused('no', 404));
    await outcomeOf(denied.llm, limited);
    assert.equal(denied.bodies.length, 1);
  });

  it('names the first refusal if both fields are refused', async (t) => {
    const { llm, bodies } = await serverWith(t, (_body, count) => refused(`refusal ${count}`));
    const { failed } = await outcomeOf(llm, limited);
    assert.deepEqual([failed, bodies.length], ['HTTP 400 of the model (application/json): refusal 1', 2]);
  });

  it('is the older field for a server that ignores the newer one, once that is seen', async (t) => {
    const usage = event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 422 } });
    const { llm, fields } = await serverWith(t, (body) =>
      'max_tokens' in body ? said('Short.') : { pieces: [delta({ content: 'Long.' }), usage, finish] },
    );
    assert.deepEqual([await textOf(llm, limited), await textOf(llm, limited)], ['Long.', 'Short.']);
    assert.deepEqual(fields(), ['max_completion_tokens', 'max_tokens']);
  });
});

describe('reasoning of a model', () => {
  const cases: readonly [name: string, contents: readonly string[], text: string][] = [
    ['at the beginning', ['<think>Hm, 1 < 2.</think>\n\nHello.'], 'Hello.'],
    ['in every way to split it', [...'<think>\nHm </thin k>\n</think>\n\nHello, you.'], 'Hello, you.'],
    ['in the middle and at the end', ['One. <think>a', 'b</think> Two.', '<think>c</think>'], 'One. Two.'],
    ['empty', ['<think>\n\n</think>\n\nHello.'], 'Hello.'],
    ['in capitals', ['<THINK>a</Think>Hello.'], 'Hello.'],
    ['with other tags', ['[THINK]a[/THINK]One. ◁think▷b◁/think▷Two.<reasoning>c</reasoning>'], 'One. Two.'],
    ['that is not closed', ['Hello.<think>a b c'], 'Hello.'],
    ['that is none', ['1 < 2 <b>[t', 'hin]</b> <thi'], '1 < 2 <b>[thin]</b> <thi'],
  ];
  for (const [name, contents, text] of cases) {
    it(`is no text: ${name}`, async (t) => {
      const { llm } = await serverWith(t, () => said(...contents));
      const outcome = await outcomeOf(llm);
      assert.deepEqual([outcome.text, outcome.failed], [text, null]);
      const { llm: plain } = await serverWith(t, () => whole({ content: contents.join('') }));
      assert.equal(await textOf(plain), text);
    });
  }

  it('is no text in fields of its own, or in parts of the content', async (t) => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'b' }] },
      { type: 'text', text: 'Hello.' },
    ];
    const { llm } = await serverWith(t, () => ({
      pieces: [delta({ reasoning_content: 'a', content: null }), delta({ reasoning: 'a' }), delta({ content }), finish],
    }));
    assert.equal(await textOf(llm), 'Hello.');
  });

  it('is held back from the second reply on if its opening tag is missing', async (t) => {
    const replies = [said('Hm. </think>Hello.'), said('Let me ', 'see.</thi', 'nk>\n\nYes.'), said('No', ' tag.')];
    const { llm } = await serverWith(t, (_body, count) => replies[count - 1] as Answer);
    await outcomeOf(llm);
    assert.deepEqual([await textOf(llm), await textOf(llm)], ['Yes.', 'No tag.']);
  });

  it('alone is a failure, which is tried again, and a call of a tool after it is none', async (t) => {
    const { llm } = await serverWith(t, () => said('<think>a'));
    assert.equal((await outcomeOf(llm)).failed, 'the model sent only reasoning, and no reply');
    const calls = [{ id: 'a', type: 'function', function: { name: 'book', arguments: '{}' } }];
    const { llm: calling } = await serverWith(t, () => whole({ content: '<think>a</think>', tool_calls: calls }));
    const { tools, failed } = await outcomeOf(calling);
    assert.deepEqual([tools, failed], [[{ id: 'a', name: 'book', arguments: '{}' }], null]);
  });

  it('is no part of what an analysis reads', async (t) => {
    for (const output of ['<think>{"a":1}</think>{"b":2}', 'maybe {"a":1}?</think>{"b":2}']) {
      const { llm } = await serverWith(t, () => said(output.slice(0, 10), output.slice(10)));
      const asked = { model: 'm', messages: request.messages, schema: null };
      const text = await askModel(llm, realClock, asked, () => {}, new AbortController().signal);
      assert.deepEqual(jsonIn(text), { b: 2 });
    }
  });
});

describe('an answer that is not a stream', () => {
  const calls = [
    { type: 'function', function: { name: 'one', arguments: '{"a":1}' } },
    { type: 'function', function: { name: 'two', arguments: '{}' } },
  ];
  const usage = { prompt_tokens: 5, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 3 } };

  it('is understood, with its text, its calls of tools and its tokens', async (t) => {
    const { llm } = await serverWith(t, () =>
      whole({ role: 'assistant', content: 'Hello.', tool_calls: calls }, usage),
    );
    assert.deepEqual(await outcomeOf(llm), {
      text: 'Hello.',
      pieces: ['Hello.'],
      tools: [
        { id: 'call_0', name: 'one', arguments: '{"a":1}' },
        { id: 'call_1', name: 'two', arguments: '{}' },
      ],
      usage: { promptTokens: 5, cachedTokens: 3, completionTokens: 7 },
      failed: null,
    });
  });

  it('is understood whatever its type, its line breaks and its packets are', async (t) => {
    const [json = ''] = whole({ content: 'こんにちは。' }).pieces;
    const printed = `\r\n${JSON.stringify(JSON.parse(json), null, 2).replaceAll('\n', '\r\n')}\n`;
    for (const type of ['application/json; charset=utf-8', 'text/event-stream', 'text/plain', '']) {
      const { llm } = await serverWith(t, () => ({ type, pieces: [...printed] }));
      assert.equal(await textOf(llm), 'こんにちは。');
    }
  });
});

describe('a stream', () => {
  it('is understood with comments, other fields, CRLF, no spaces and no end', async (t) => {
    const chunk = (content: string, reason: string | null = null) =>
      JSON.stringify({ choices: [{ delta: { content }, finish_reason: reason }] });
    const lines = [
      ': ping',
      '',
      'event: message',
      'id: 1',
      `data:${chunk('Hel')}`,
      '',
      `data: ${chunk('lo.', 'stop')}`,
    ];
    const { llm } = await serverWith(t, () => ({ type: 'text/plain', pieces: [lines.join('\r\n')] }));
    assert.deepEqual((await outcomeOf(llm)).pieces, ['Hel', 'lo.']);
  });

  it('is finished by [DONE] without a reason', async (t) => {
    const { llm } = await serverWith(t, () => ({ pieces: [delta({ content: 'Hello.' }), event('[DONE]')] }));
    const { text, failed } = await outcomeOf(llm);
    assert.deepEqual([text, failed], ['Hello.', null]);
  });

  it('of thousands of pieces that arrive together leaves turns to others', async () => {
    let turns = 0;
    let isOver = false;
    const countTurns = (): void => {
      turns += 1;
      if (!isOver) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const pieces: string[] = [];
    const body = async function* () {
      yield Buffer.from(event('a').repeat(2000));
    };
    await readEvents(body(), (data) => pieces.push(data));
    isOver = true;
    assert.equal(pieces.length, 2000);
    assert.ok(turns >= 30, `${turns}`);
  });

  it('with a line that does not end fails', async (t) => {
    const { llm } = await serverWith(t, () => ({ pieces: ['data: ', 'x'.repeat(2 * 1024 * 1024)] }));
    const { failed } = await outcomeOf(llm);
    assert.equal(failed, 'the model sent malformed data (HTTP 200, text/event-stream)');
  });
});
