import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LlmFailure, LlmRequest, LlmToolCall, LlmUsage } from '../../../src/voice/llm.ts';
import type { OpenAiAccount } from '../../../src/voice/providers/openai/account.ts';
import { createOpenAiLlm, type OpenAiLlm } from '../../../src/voice/providers/openai/llm.ts';
import { dialectOf, requestBody } from '../../../src/voice/providers/openai/messages.ts';
import { type DoubleReply, type OpenAiDouble, startOpenAiDouble } from '../../providers/openai-double.ts';

const apiKey = 'sk-test-0123456789';
const user = { role: 'user', content: 'Hi.' } as const;
const request: LlmRequest = { model: 'gpt-5.4-mini', messages: [user], tools: [] };
const parameters = { type: 'object', properties: { day: { type: 'string' } } };
const book = { name: 'book', description: 'Books a table.', parameters };

interface Outcome {
  readonly text: string;
  readonly tools: readonly LlmToolCall[];
  readonly usage: LlmUsage | null;
  readonly failed: string | null;
  readonly failure: LlmFailure | undefined;
}

/** Everything that a reply consists of. */
function outcomeOf(llm: OpenAiLlm, asked: LlmRequest = request): Promise<Outcome> {
  return new Promise((resolve) => {
    const outcome = { text: '', tools: [] as LlmToolCall[], usage: null as LlmUsage | null };
    llm.reply(asked, {
      text: (text) => {
        outcome.text += text;
      },
      tool: (call) => outcome.tools.push(call),
      usage: (usage) => {
        outcome.usage = usage;
      },
      done: () => resolve({ ...outcome, failed: null, failure: undefined }),
      failed: (failed, failure) => resolve({ ...outcome, failed, failure }),
    });
  });
}

describe('a model over OpenAI’s protocol', () => {
  let double: OpenAiDouble;
  let llm: OpenAiLlm;
  const newLlm = (options: Partial<OpenAiAccount> = {}) =>
    createOpenAiLlm({ apiKey, baseUrl: double.baseUrl, modelMap: new Map(), ...options });

  before(async () => {
    double = await startOpenAiDouble();
    llm = newLlm();
  });
  after(async () => {
    await llm.close();
    await double.close();
  });
  const played = (...replies: DoubleReply[]) => {
    double.play(...replies);
    return outcomeOf(llm);
  };

  it('streams the text and reports the tokens', async () => {
    const { text, usage, failed } = await played({ text: 'ご予約ですね。何名様ですか。' });
    assert.equal(text, 'ご予約ですね。何名様ですか。');
    assert.deepEqual(usage, { promptTokens: 120, cachedTokens: 100, completionTokens: 9 });
    assert.equal(failed, null);
  });

  it('puts calls of tools together from their pieces, several at a time', async () => {
    const { text, tools } = await played({
      text: 'One moment.',
      tools: [
        { name: 'book', arguments: '{"day":"2026-12-24"}' },
        { name: 'cancel', arguments: '{"id":7}' },
      ],
    });
    assert.equal(text, 'One moment.');
    assert.deepEqual(tools, [
      { id: 'call_0', name: 'book', arguments: '{"day":"2026-12-24"}' },
      { id: 'call_1', name: 'cancel', arguments: '{"id":7}' },
    ]);
  });

  it('tells calls apart that a server numbers alike, and takes calls without an id', async () => {
    const line = (calls: object[]) => `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: calls } }] })}`;
    const end = 'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}';
    const call = (id: string | undefined, name: string) => ({ index: 0, id, function: { name, arguments: '{}' } });
    const same = await played({ lines: [line([call('a', 'one')]), line([call('b', 'two')]), end] });
    assert.deepEqual(
      same.tools.map(({ id, name }) => [id, name]),
      [
        ['a', 'one'],
        ['b', 'two'],
      ],
    );
    const without = await played({ lines: [line([call(undefined, 'one')]), end] });
    assert.deepEqual(without.tools, [{ id: 'call_0', name: 'one', arguments: '{}' }]);
  });

  it('sends only the parameters that are set', async () => {
    double.play({ text: 'Ok.' });
    double.requests.length = 0;
    await outcomeOf(llm);
    await outcomeOf(llm, { ...request, temperature: 0, maxTokens: 50, reasoningEffort: 'low', tools: [book] });
    const [plain, full] = double.requests.map(({ body }) => body);
    const common = { model: 'gpt-5.4-mini', messages: [user], stream: true, stream_options: { include_usage: true } };
    assert.deepEqual(plain, common);
    assert.deepEqual(full, {
      ...common,
      temperature: 0,
      max_completion_tokens: 50,
      reasoning_effort: 'low',
      tools: [{ type: 'function', function: book }],
    });
  });

  it('sends one system message to servers other than OpenAI’s, whose templates take no other', async () => {
    const system = (content: string) => ({ role: 'system', content }) as const;
    const messages = [system('Be brief.'), system('It is Monday.'), user, system('Ask whether they are there.')];
    double.requests.length = 0;
    double.play({ text: 'Ok.' });
    await outcomeOf(llm, { ...request, messages });
    await outcomeOf(llm, { ...request, messages: [system('Be brief.'), system('It is Monday.'), system('Begin.')] });
    assert.deepEqual(
      double.requests.map(({ body }) => body.messages),
      [
        [system('Be brief.\n\nIt is Monday.'), user, { role: 'user', content: 'Ask whether they are there.' }],
        [system('Be brief.\n\nIt is Monday.'), { role: 'user', content: 'Begin.' }],
      ],
    );
    const body = requestBody({ ...request, messages }, 'm', dialectOf('https://api.openai.com/v1'), 'max_tokens');
    assert.deepEqual((body as { messages: unknown }).messages, messages);
  });

  it('sends the results of tools as the protocol demands', async () => {
    double.play({ text: 'Booked.' });
    const calls = [{ id: 'call_0', name: 'book', arguments: '{"day":"2026-12-24"}' }];
    const messages = [
      user,
      { role: 'assistant', content: '', toolCalls: calls },
      { role: 'tool', toolCallId: 'call_0', content: '{"ok":true}' },
    ] as const;
    assert.equal((await outcomeOf(llm, { ...request, messages })).text, 'Booked.');
    const { failed, failure } = await outcomeOf(llm, { ...request, messages: [user, messages[2]] });
    assert.match(failed ?? '', /^HTTP 400 of the model \(application\/json\): messages with role 'tool' must be/);
    assert.deepEqual(failure, { isFinal: true });
  });

  it('replaces the names of models as the operator says', async () => {
    const mapped = newLlm({
      modelMap: new Map([
        ['gpt-5.4-mini', 'llama3.2'],
        ['*', 'qwen3'],
      ]),
    });
    double.play({ text: 'Ok.' });
    double.requests.length = 0;
    await outcomeOf(mapped);
    await outcomeOf(mapped, { ...request, model: 'gpt-5.4' });
    await mapped.close();
    assert.deepEqual(
      double.requests.map(({ body }) => body.model),
      ['llama3.2', 'qwen3'],
    );
    assert.deepEqual([mapped.sentModel('gpt-5.4-mini'), llm.sentModel('gpt-5.4-mini')], ['llama3.2', 'gpt-5.4-mini']);
  });

  it('sends the documented headers and no others', async () => {
    double.play({ text: 'Ok.' });
    double.requests.length = 0;
    const names = { OPENAI_CUSTOM_HEADERS: 'x-planted: 1', OPENAI_ORG_ID: 'org_1', OPENAI_ADMIN_KEY: 'sk-admin' };
    Object.assign(process.env, names);
    const withKey = newLlm();
    const without = newLlm({ apiKey: null });
    for (const name of Object.keys(names)) delete process.env[name];
    for (const each of [withKey, without]) {
      await outcomeOf(each);
      await each.close();
    }
    // Every connection of HTTP/1.1 has these three.
    const ofHttp = ['connection', 'content-length', 'host'];
    const documented = ['accept', 'content-type'];
    assert.deepEqual(
      double.requests.map(({ headers }) => Object.keys(headers).sort()),
      [[...documented, 'authorization', ...ofHttp].sort(), [...documented, ...ofHttp].sort()],
    );
    const { accept, authorization, 'content-type': type } = double.requests[0]?.headers ?? {};
    assert.deepEqual(
      [accept, authorization, type],
      ['text/event-stream, application/json', `Bearer ${apiKey}`, 'application/json'],
    );
  });

  it('uses a connection again', async () => {
    double.play({ text: 'Ok.' });
    await outcomeOf(llm);
    const opened = double.connections();
    for (let count = 0; count < 5; count += 1) await outcomeOf(llm);
    assert.equal(double.connections(), opened);
  });

  it('names a failure without a credential, and says whether another try may help', async () => {
    const json = 'of the model (application/json)';
    const words = 'Something about [SECRET]';
    const cases: [DoubleReply, string, LlmFailure][] = [
      [{ status: 401 }, `HTTP 401 ${json}`, { isFinal: true }],
      [{ status: 403 }, `HTTP 403 ${json}`, { isFinal: true }],
      [{ status: 404 }, `HTTP 404 ${json}: ${words}`, { isFinal: true }],
      [{ status: 429 }, `HTTP 429 ${json}: ${words}`, { isFinal: false }],
      [
        { status: 429, headers: { 'retry-after': '2' } },
        `HTTP 429 ${json}: ${words}`,
        { isFinal: false, retryAfterMs: 2000 },
      ],
      [{ status: 500 }, `HTTP 500 ${json}: ${words}`, { isFinal: false }],
      [{ hangUp: true }, 'the model closed the connection', {}],
      [{ closeAfter: '' }, 'the model closed the connection', {}],
      [
        { lines: ['data: {"choices":[{"delta":{"content":"Hal'] },
        'the model sent malformed data (HTTP 200, text/event-stream)',
        {},
      ],
      [{ lines: ['data: 5'] }, 'the model sent malformed data (HTTP 200, text/event-stream)', {}],
      [
        { lines: ['data: {"error":{"message":"sk-secret is wrong"}}'] },
        'the model reported an error (HTTP 200, text/event-stream): [SECRET] is wrong',
        {},
      ],
      [
        { contentType: 'text/html', body: '<p>Sign in</p>' },
        'the model sent malformed data (HTTP 200, text/html): <p>Sign in</p>',
        {},
      ],
      [
        { contentType: 'application/json', body: '{"choices":[]}' },
        'the model sent malformed data (HTTP 200, application/json): {"choices":[]}',
        {},
      ],
      [
        { contentType: 'application/json', body: '{"error":"no such model"}' },
        'the model reported an error (HTTP 200, application/json): no such model',
        {},
      ],
      [
        { contentType: 'application/json', body: '['.repeat(2000) + ']'.repeat(2000) },
        'the model sent data nested deeper than 64 levels',
        {},
      ],
    ];
    for (const [reply, detail, failure] of cases) {
      const outcome = await played(reply);
      assert.deepEqual([outcome.failed, outcome.failure], [detail, failure], JSON.stringify(reply));
    }
  });

  it('names at most the first words of an error, on one line and without the key', async () => {
    const bodies = [
      `oh\u0000 no\n\n${'x'.repeat(5000)}`,
      JSON.stringify({ detail: `you sent ${apiKey}` }),
      JSON.stringify({ message: encodeURIComponent(`Bearer ${apiKey}`), object: 'error' }),
    ];
    const details = [];
    for (const body of bodies) details.push((await played({ contentType: 'text/plain; x', body })).failed);
    const what = 'the model sent malformed data (HTTP 200, text/plain)';
    assert.deepEqual(details, [
      `${what}: oh no ${'x'.repeat(194)}…`,
      `${what}: you sent [SECRET]`,
      `${what}: Bearer%20[SECRET]`,
    ]);
  });

  it('names the status of a wrong key, and not the key', async () => {
    const strict = await startOpenAiDouble({ apiKey: 'sk-other' });
    const wrong = newLlm({ baseUrl: strict.baseUrl });
    const { failed } = await outcomeOf(wrong);
    assert.equal(failed, 'HTTP 401 of the model (application/json)');
    await wrong.close();
    await strict.close();
  });

  it('follows no redirect', async () => {
    double.requests.length = 0;
    const { failed } = await played({ status: 307, headers: { location: `${double.baseUrl}/chat/completions` } });
    assert.deepEqual(
      [failed, double.requests.length],
      ['HTTP 307 of the model (application/json): Something about [SECRET]', 1],
    );
  });

  it('fails where a reply ends before it is finished, after the text that has arrived', async () => {
    for (const reply of [
      { closeAfter: 'Good morn' },
      { lines: ['data: {"choices":[{"delta":{"content":"Good morn"}}]}'] },
    ]) {
      const { text, failed } = await played(reply);
      assert.deepEqual([text, failed], ['Good morn', 'the model closed the connection']);
    }
  });

  it('is unreachable without naming an address', async () => {
    const gone = await startOpenAiDouble();
    const nowhere = newLlm({ baseUrl: gone.baseUrl });
    await gone.close();
    assert.equal((await outcomeOf(nowhere)).failed, 'the model closed the connection');
    await nowhere.close();
  });

  it('hears nothing after a reply was canceled, and the server learns of it', async () => {
    const canceled = double.canceled();
    double.play({ stallAfter: 'Good' });
    const heard: string[] = [];
    await new Promise<void>((resolve) => {
      const cancel = llm.reply(request, {
        text: (text) => {
          heard.push(text);
          cancel();
          resolve();
        },
        tool: () => heard.push('tool'),
        usage: () => heard.push('usage'),
        done: () => heard.push('done'),
        failed: () => heard.push('failed'),
      });
    });
    while (double.canceled() === canceled) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(heard, ['Good']);
  });
});
