import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Call } from '../../../src/contract/calls/call.ts';
import type { CallEvent } from '../../../src/contract/calls/call-events.ts';
import type { DoubleReply } from '../../providers/openai-double.ts';
import { onSqlite } from '../../support/engines.ts';
import { eventually, gate, newChat, on, quickTime, said, useModelService } from './support.ts';

/** The names of the built-in tools that every model has. */
const builtInTools = ['end_call'];

function inOnePiece(content: string): DoubleReply {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}`;
  return { lines: [chunk({ role: 'assistant', content }, null), chunk({}, 'stop'), 'data: [DONE]'] };
}

onSqlite('a chat with a language model', (engine) => {
  const ordinary = useModelService(engine);
  /** Only where a timeout passes: a busy machine may take longer for a reply than these allow. */
  const impatient = useModelService(engine, { calls: { clock: quickTime() } });
  const { model } = ordinary;

  const chatWith = async (agent: object = {}, call: object = {}, { service, model } = ordinary) => {
    const { key } = await service.newKey();
    const fields = { prompt: 'You take bookings for {{shop}}.', ...agent };
    const made = await newChat(service, key, { model: 'mapped', agent: fields, call });
    model.requests.length = 0;
    return on(service, key, made.id);
  };
  const messagesOf = (place: number) => model.requests[place]?.body.messages as { role: string; content: string }[];
  const usageOf = ({ usage }: Call) => [usage.llm, usage.breakdown];
  const entry = (name: string, requests: number, replies: number) => ({
    capability: 'llm',
    provider: 'openai',
    model: name,
    requests,
    promptTokens: 120 * replies,
    cachedTokens: 100 * replies,
    completionTokens: 9 * replies,
    audioMs: 0,
    characters: 0,
  });
  const eventsOf = (events: readonly CallEvent[], type: CallEvent['type']) =>
    events.filter((event) => event.type === type).map(({ data }) => data);

  it('says why its model failed, as far as the call may store it', async () => {
    const page = { contentType: 'text/html', body: '<p>Sign in, or call 090-1234-5678.</p>' };
    const what = 'the model sent malformed data (HTTP 200, text/html)';
    for (const [dataStorageSetting, detail] of [
      ['everything', `${what}: <p>Sign in, or call 090-1234-5678.</p>`],
      ['everything_except_pii', `${what}: <p>Sign in, or call [PHONE_NUMBER].</p>`],
      ['basic_attributes_only', what],
    ]) {
      const chat = await chatWith({}, { dataStorageSetting });
      model.play(page);
      for (let attempt = 0; attempt < 3; attempt += 1) assert.equal((await chat.say('Hello?')).status, 502);
      const { endReason, endDetail } = await chat.call();
      assert.deepEqual([endReason, endDetail], ['llm_failed', detail]);
    }
  });

  it('sends the prompts with their variables, the time, and then what was said', async () => {
    const chat = await chatWith(
      {
        agentGlobalPrompt: 'Be polite.',
        agentVariables: [{ name: 'shop', value: 'Ginza' }],
        agentSettings: { timeZone: 'Asia/Tokyo', llm: { temperature: 0.2, maxTokens: 300 } },
      },
      { variables: { shop: 'Shibuya' } },
    );
    model.play({ text: 'Which day?' }, { text: 'At what time?' });
    const { json } = await chat.say('A table, please.');
    assert.deepEqual(said(json.turns), [
      ['caller', 'A table, please.'],
      ['agent', 'Which day?'],
    ]);
    const first = model.requests[0]?.body as Record<string, unknown>;
    const [system, ...rest] = messagesOf(0);
    assert.match(
      system?.content ?? '',
      /^Be polite\.\n\nYou take bookings for Shibuya\.\n\nThe current date and time is \w+, 20\d\d-\d\d-\d\d, \d\d:\d\d, in the time zone Asia\/Tokyo\.$/,
    );
    assert.deepEqual(rest, [{ role: 'user', content: 'A table, please.' }]);
    const { messages: _, tools, ...parameters } = first;
    assert.deepEqual(parameters, {
      model: 'qwen3',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.2,
      max_completion_tokens: 300,
    });
    assert.deepEqual(
      (tools as { function: { name: string } }[]).map((tool) => tool.function.name),
      builtInTools,
    );
    await chat.say('Tomorrow');
    const [again, ...history] = messagesOf(1);
    assert.deepEqual(again, system, 'the time is that of the start');
    assert.deepEqual(history, [
      { role: 'user', content: 'A table, please.' },
      { role: 'assistant', content: 'Which day?' },
      { role: 'user', content: 'Tomorrow' },
    ]);
  });

  it('asks for an opening only if the first message has no text', async () => {
    const opened = await chatWith({ beginMessage: undefined });
    model.play({ text: 'Welcome.' });
    const { json } = await opened.say();
    assert.deepEqual([said(json.turns), json.turns[0].source], [[['agent', 'Welcome.']], 'begin']);
    assert.match(messagesOf(0).at(-1)?.content ?? '', /Open the conversation/);
    const spoken = await chatWith({ beginMessage: undefined });
    await spoken.say('Hello');
    assert.deepEqual(messagesOf(0).slice(1), [{ role: 'user', content: 'Hello' }]);
    const greeted = await chatWith({ beginMessage: 'Hi.' });
    await greeted.say();
    assert.equal(model.requests.length, 0, 'a begin message needs no model');
    await greeted.say('Hello');
    assert.deepEqual(messagesOf(0).slice(1), [
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'Hello' },
    ]);
  });

  it('can be opened again if the opening failed, with or without a message, until it has opened', async () => {
    for (const dataStorageSetting of ['everything', 'everything_except_pii']) {
      const chat = await chatWith({ beginMessage: undefined }, { dataStorageSetting });
      model.play({ status: 400 });
      assert.equal((await chat.say()).status, 502);
      model.play({ text: 'Welcome.' });
      const { status, json } = await chat.say();
      assert.deepEqual([status, said(json.turns)], [200, [['agent', 'Welcome.']]]);
      assert.equal(json.turns[0].source, 'begin');
      const { status: refused, json: error } = await chat.say();
      assert.deepEqual([refused, Object.keys(error.error.details.fieldErrors)], [422, ['text']]);
    }
    const written = await chatWith({ beginMessage: undefined });
    model.play({ status: 400 });
    assert.equal((await written.say()).status, 502);
    model.play({ text: 'Yes.' });
    assert.deepEqual(said((await written.say('Hello')).json.turns), [
      ['caller', 'Hello'],
      ['agent', 'Yes.'],
    ]);
    assert.equal((await written.say()).status, 422);
  });

  it('can be opened again if the process that was opening it is lost', async () => {
    const chat = await chatWith({ beginMessage: undefined });
    const isReplying = gate();
    model.play({ text: 'Too late.', after: isReplying.opened });
    const lost = chat.say();
    await eventually(async () => model.requests.length === 1);
    model.play({ text: 'Welcome.' });
    assert.equal((await chat.say()).json.error.details.reason, 'reply_in_progress');
    await ordinary.service.database.run('UPDATE calls SET lease_until = 1 WHERE id = $1', [chat.id]);
    assert.deepEqual(said((await chat.say()).json.turns), [['agent', 'Welcome.']]);
    isReplying.open();
    assert.equal((await lost).status, 409);
    assert.deepEqual(said(await chat.turns()), [['agent', 'Welcome.']]);
  });

  it('counts what it used, under the name in the agent and the name that was sent', async () => {
    const chat = await chatWith();
    model.play({ text: 'One.' });
    await chat.say('Hello');
    await chat.say('Hello');
    const tokens = { promptTokens: 240, cachedTokens: 200, completionTokens: 18, totalTokens: 258 };
    assert.deepEqual(usageOf(await chat.call()), [{ model: 'mapped', ...tokens }, [entry('qwen3', 2, 2)]]);
    const { latency } = await chat.call();
    assert.deepEqual([latency?.turns, latency?.llmFirstTokenMs?.count], [2, 2]);
  });

  it('goes on with a fallback model, which stays, and reports the switch', async () => {
    const chat = await chatWith({ agentSettings: { llm: { fallbackModels: ['second'] } } });
    model.play({ status: 500 }, { text: 'Hello.' }, { text: 'Again.' });
    assert.equal((await chat.say('Hi')).json.turns[1].text, 'Hello.');
    await chat.say('Hi');
    assert.deepEqual(
      model.requests.map(({ body }) => body.model),
      ['qwen3', 'second', 'second'],
    );
    assert.deepEqual(eventsOf(await chat.events(), 'provider_switched'), [
      { capability: 'llm', from: 'mapped', to: 'second' },
    ]);
    const [, breakdown] = usageOf(await chat.call());
    assert.deepEqual(breakdown, [entry('qwen3', 1, 0), entry('second', 2, 2)]);
  });

  const failures: [string, DoubleReply, string | null][] = [
    ['a wrong key', { status: 401 }, '401'],
    ['too many requests', { status: 429, headers: { 'retry-after': '0' } }, '429'],
    ['an error', { status: 500 }, '500'],
    ['no text in time', { stallAfter: '' }, null],
    ['no end in time', { stallAfter: 'Half a' }, null],
    ['a broken connection', { closeAfter: 'Half a' }, null],
    ['no connection', { hangUp: true }, null],
    ['a reply that is none', { contentType: 'text/html', body: '<p>' }, null],
  ];
  for (const [name, reply, code] of failures) {
    it(`fails with 502 after ${name}, keeps nothing of the reply, and ends after the third`, async () => {
      const used = 'stallAfter' in reply ? impatient : ordinary;
      const chat = await chatWith({}, {}, used);
      used.model.play(reply);
      for (const attempt of [1, 2, 3]) {
        const { status, json } = await chat.say(`Try ${attempt}`);
        assert.deepEqual([status, json.error.code], [502, 'UPSTREAM_ERROR']);
        // A wrong key stays wrong, and the third failure has ended the call.
        const retryable = attempt < 3 && code !== '401';
        assert.deepEqual(json.error.details, { provider: 'llm', providerCode: code, retryable });
        assert.doesNotMatch(JSON.stringify(json), /sk-secret/);
      }
      const call = await chat.call();
      assert.deepEqual([call.status, call.endReason, call.endedBy], ['error', 'llm_failed', 'system']);
      assert.match(call.endDetail ?? '', code === null ? /the (model|reply) / : new RegExp(`HTTP ${code}`));
      assert.doesNotMatch(call.endDetail ?? '', /sk-secret/);
      assert.deepEqual(said(await chat.turns()), [
        ['caller', 'Try 1'],
        ['caller', 'Try 2'],
        ['caller', 'Try 3'],
      ]);
      assert.ok(Number(call.usage.breakdown[0]?.requests) >= 3, 'failed requests count');
    });
  }

  it('does not end if a reply succeeds in between', async () => {
    const chat = await chatWith();
    for (const reply of [{ status: 400 }, { status: 400 }, { text: 'Yes.' }, { status: 400 }, { status: 400 }]) {
      model.play(reply as DoubleReply);
      const { status } = await chat.say('Hello');
      assert.equal(status, 'text' in reply ? 200 : 502);
    }
    assert.equal((await chat.call()).status, 'ongoing');
    model.play({ text: 'I am here.' });
    assert.equal((await chat.say('Hello')).json.turns[1].text, 'I am here.');
    assert.deepEqual(
      messagesOf(model.requests.length - 1).filter(({ role }) => role === 'assistant').length,
      1,
      'failed replies are not in the history',
    );
  });

  it('has no turn if the model has nothing to say, which is no failure', async () => {
    const chat = await chatWith();
    model.play({ text: '' });
    for (let count = 0; count < 4; count += 1) {
      const { status, json } = await chat.say('Hello');
      assert.deepEqual([status, said(json.turns)], [200, [['caller', 'Hello']]]);
    }
  });

  it('fails if a reply is longer than 20,000 characters', async () => {
    const chat = await chatWith();
    model.play(inOnePiece('x'.repeat(20_001)));
    assert.equal((await chat.say('Hello')).status, 502);
    model.play(inOnePiece('あ'.repeat(20_000)));
    assert.equal((await chat.say('Hello')).json.turns[1].text.length, 20_000);
    model.play(inOnePiece('🍣'.repeat(20_000)));
    assert.equal([...(await chat.say('Hello')).json.turns[1].text].length, 20_000, 'as people count');
    model.play(inOnePiece('🍣'.repeat(20_001)));
    for (const _ of [1, 2, 3]) assert.equal((await chat.say('Hello')).status, 502);
    const { endReason, endDetail } = await chat.call();
    assert.deepEqual([endReason, endDetail], ['llm_failed', 'the reply is longer than 20000 characters']);
  });

  it('is ended by the model with end_call', async () => {
    const chat = await chatWith();
    model.play({ text: 'Goodbye.', tools: [{ name: 'end_call', arguments: '{}' }] });
    const { json } = await chat.say('Bye');
    assert.deepEqual([json.status, said(json.turns).at(-1)], ['ended', ['agent', 'Goodbye.']]);
    const call = await chat.call();
    assert.deepEqual([call.endReason, call.endedBy, call.endDetail], ['agent_hangup', 'agent', null]);
  });

  it('keeps the reason that the model gives for end_call, as far as the storage setting does', async () => {
    const reason = 'The caller, 090-1234-5678, has said goodbye.';
    const kept = {
      everything: reason,
      everything_except_pii: 'The caller, [PHONE_NUMBER], has said goodbye.',
      basic_attributes_only: null,
    };
    for (const [dataStorageSetting, endDetail] of Object.entries(kept)) {
      const chat = await chatWith({}, { dataStorageSetting });
      model.play({ text: 'Goodbye.', tools: [{ name: 'end_call', arguments: JSON.stringify({ reason }) }] });
      await chat.say('Bye');
      assert.equal((await chat.call()).endDetail, endDetail);
      if (dataStorageSetting !== 'everything') continue;
      assert.equal((await chat.redact('everything_except_pii')).json.endDetail, kept.everything_except_pii);
      assert.equal((await chat.redact('basic_attributes_only')).json.endDetail, null);
    }
  });

  it('warns of an unknown variable once per call, not with every message', async () => {
    const chat = await chatWith();
    model.play({ text: 'Yes.' });
    await chat.say('One');
    await chat.say('Two');
    assert.match(messagesOf(1)[0]?.content ?? '', /bookings for \{\{shop\}\}/);
    const warnings = eventsOf(await chat.events(), 'warning');
    assert.deepEqual(
      warnings.map((data) => ('code' in data ? data.code : '')),
      ['unknown_variable'],
    );
  });

  it('sees context and variables that were set, from the next message on', async () => {
    const chat = await chatWith({}, { variables: { shop: 'Ginza' } });
    model.play({ text: 'Yes.' });
    await chat.say('One');
    await chat.control({ action: 'add_context', text: 'The caller is a member.' });
    await chat.control({ action: 'set_variables', variables: { shop: 'Shibuya' } });
    await chat.say('Two');
    const system = messagesOf(1)[0]?.content ?? '';
    assert.match(system, /bookings for Shibuya/);
    assert.match(system, /The caller is a member\./);
    const { collectedVariables, variables } = await chat.call();
    assert.deepEqual([collectedVariables, variables], [{ shop: 'Shibuya' }, { shop: 'Ginza' }]);
  });

  it('knows everything that was said, although only a part of it is stored', async () => {
    for (const dataStorageSetting of ['everything_except_pii', 'basic_attributes_only']) {
      const chat = await chatWith({}, { dataStorageSetting, variables: { shop: 'call +81 3-1234-5678' } });
      model.play({ text: 'And your mail?' });
      await chat.say('My number is +81 3-1234-5678.');
      await chat.control({ action: 'say', text: 'Or write to desk@example.com.' });
      await chat.say('hanako@example.com');
      const [system, ...history] = messagesOf(1);
      assert.match(system?.content ?? '', /bookings for call \+81 3-1234-5678/);
      assert.deepEqual(history, [
        { role: 'user', content: 'My number is +81 3-1234-5678.' },
        { role: 'assistant', content: 'And your mail?' },
        { role: 'assistant', content: 'Or write to desk@example.com.' },
        { role: 'user', content: 'hanako@example.com' },
      ]);
    }
  });
});
