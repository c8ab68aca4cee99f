import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { CallEvent } from '../../../src/contract/calls/call-events.ts';
import { send } from '../../support/client.ts';
import { onSqlite } from '../../support/engines.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { create, eventually, newChat, on, quickTime, said, testAgent, useModelService } from './support.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

type Reply = string | { readonly status: number; readonly body?: string } | 'never';

/** A partner's server that plays these replies, the last one from then on. */
async function toolServer(...replies: Reply[]) {
  const seen: Seen[] = [];
  const { port } = await httpReceiver(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '' } = request;
    seen.push({ method, url, headers: request.headers, text: Buffer.concat(chunks).toString() });
    const reply = replies[Math.min(seen.length, replies.length) - 1] ?? '';
    if (reply === 'never') return;
    const { status, body = '' } = typeof reply === 'string' ? { status: 200, body: reply } : reply;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  return { seen, url: `http://127.0.0.1:${port}/book`, played: replies };
}

const parameters = {
  type: 'object',
  properties: { day: { type: 'string' }, seats: { type: 'integer' } },
  required: ['day'],
};
const calling = (given: object) => ({ tools: [{ name: 'book', arguments: JSON.stringify(given) }] });

onSqlite('a tool of a chat', (engine) => {
  const { service, model } = useModelService(engine);

  const chatWith = async (
    tool: object,
    { agent = {}, call = {} }: { agent?: object; call?: object } = {},
    target = { service, model },
  ) => {
    const { service, model } = target;
    const { key } = await service.newKey();
    const tools = [{ name: 'book', description: 'Books a table.', parameters, ...tool }];
    const made = await newChat(service, key, {
      model: 'gpt-5.4-mini',
      agent: { agentSettings: { tools }, ...agent },
      call,
    });
    model.requests.length = 0;
    return { ...on(service, key, made.id), key, agentId: made.agentId };
  };
  const toolEvents = (events: readonly CallEvent[]) =>
    events.filter(({ type }) => type.startsWith('tool_')).map(({ type, data }) => ({ type, ...data }));
  const messagesOf = (place: number) =>
    model.requests[place]?.body.messages as { role: string; content: string; tool_call_id?: string }[];

  it('is not announced by its `say`, which fills a silence that a chat does not have', async () => {
    const server = await toolServer('{"free": true}');
    const chat = await chatWith({ url: server.url, say: 'One moment, please.' });
    model.play(calling({ day: '2026-12-24' }), { text: 'Booked.' });
    const { json } = await chat.say('Book');
    const kinds = ({ role, source, text }: { role: string; source: string | null; text: string }) => [
      role,
      source,
      text,
    ];
    assert.deepEqual(json.turns.map(kinds), [
      ['caller', null, 'Book'],
      ['tool', null, ''],
      ['agent', 'engine', 'Booked.'],
    ]);
    const skills = [
      {
        id: 'look',
        type: 'tool',
        tool: 'book',
        arguments: { day: 'x' },
        say: 'Let me look.',
        next: 'bye',
        otherwise: 'bye',
      },
      { id: 'bye', type: 'end', text: 'Goodbye.' },
    ];
    const tool = { name: 'book', description: 'Books.', parameters, url: server.url, say: 'One moment, please.' };
    const agentSettings = { tools: [tool], flow: { skills } };
    const flow = { responseEngineType: 'conversation_flow', beginMessage: undefined, agentSettings };
    const flowChat = await chatWith({ url: server.url }, { agent: flow });
    assert.deepEqual((await flowChat.say()).json.turns.map(kinds), [
      ['tool', null, ''],
      ['agent', 'begin', 'Goodbye.'],
    ]);
  });

  it('is called with the call, the arguments and all variables, signed, under its own id', async () => {
    const server = await toolServer('{"free": true, "variables": {"table": 7}}');
    const chat = await chatWith(
      { url: server.url, headers: { 'X-Shop': 'ginza' } },
      { call: { variables: { shop: '銀座店' } } },
    );
    model.play(calling({ day: '2026-12-24', seats: 2 }), { text: 'Table 7.' });
    const { json } = await chat.say('予約');
    assert.deepEqual(
      json.turns.map(({ role }: { role: string }) => role),
      ['caller', 'tool', 'agent'],
    );
    const { toolCall, text, source, latency } = json.turns[1];
    assert.match(toolCall.id, /^tcl_[0-9a-z]{30}$/);
    assert.ok(toolCall.durationMs >= 0);
    assert.deepEqual([text, source, latency], ['', null, null]);
    assert.deepEqual(toolCall, {
      id: toolCall.id,
      name: 'book',
      arguments: { day: '2026-12-24', seats: 2 },
      result: { free: true, variables: { table: 7 } },
      isError: false,
      isExample: false,
      durationMs: toolCall.durationMs,
    });
    assert.equal(server.seen.length, 1);
    const [request] = server.seen as [Seen];
    assert.equal(request.method, 'POST');
    assert.deepEqual(JSON.parse(request.text), {
      callId: chat.id,
      agentId: chat.agentId,
      agentVersion: 1,
      toolCallId: toolCall.id,
      name: 'book',
      arguments: { day: '2026-12-24', seats: 2 },
      variables: { shop: '銀座店' },
    });
    assert.equal(request.headers['idempotency-key'], toolCall.id);
    assert.equal(request.headers['webhook-id'], toolCall.id);
    assert.equal(request.headers['x-shop'], 'ginza');
    const hooks = await send(service, 'GET', `/api/v1/webhooks?agentId=${chat.agentId}`, { key: chat.key });
    const path = `/api/v1/webhooks/${hooks.json.items[0].id}/secret`;
    const { secret } = (await send(service, 'GET', path, { key: chat.key })).json;
    new Webhook(secret).verify(request.text, request.headers as Record<string, string>);
    assert.throws(() => new Webhook(secret).verify(`${request.text} `, request.headers as Record<string, string>));
    const events = await chat.events();
    assert.deepEqual(toolEvents(events), [
      { type: 'tool_called', toolCallId: toolCall.id, name: 'book' },
      { type: 'tool_returned', toolCallId: toolCall.id, name: 'book', isError: false, durationMs: toolCall.durationMs },
    ]);
    const completed = events.filter(({ data }) => 'turn' in data && data.turn.role === 'tool');
    assert.equal(completed.length, 1, 'completed once, with its result');
    assert.deepEqual((await chat.call()).collectedVariables, { table: 7 });
    assert.deepEqual(await chat.turns(), json.turns);
    // The next message goes on from there.
    model.play({ text: 'Yes.' });
    await chat.say('Thanks');
    const sent = messagesOf(2).slice(1);
    assert.deepEqual(
      sent.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'assistant', 'user'],
    );
    assert.deepEqual(JSON.parse(sent[2]?.content ?? ''), { free: true, variables: { table: 7 } });
    assert.deepEqual((await chat.call()).collectedVariables, { table: 7 });
  });

  it('is called without a body with GET, its arguments in the URL', async () => {
    const server = await toolServer('{"free": true}');
    const chat = await chatWith({ url: `${server.url}/{day}?lang=en`, method: 'GET' });
    model.play(calling({ day: '2026/12/24', seats: 2 }), { text: 'Booked.' });
    const { json } = await chat.say('Book');
    assert.deepEqual(json.turns[1].toolCall.result, { free: true });
    const [{ method, url, text, headers }] = server.seen as [Seen];
    assert.deepEqual([method, url, text], ['GET', '/book/2026%2F12%2F24?lang=en&seats=2', '']);
    assert.equal(headers['content-type'], undefined);
    const { items } = (await send(service, 'GET', `/api/v1/webhooks?agentId=${chat.agentId}`, { key: chat.key })).json;
    const path = `/api/v1/webhooks/${items[0].id}/secret`;
    const { secret } = (await send(service, 'GET', path, { key: chat.key })).json;
    new Webhook(secret).verify('', headers as Record<string, string>);
    // What does not fit into the path goes back to the model, as any other invalid argument.
    model.play(calling({ day: '..' }), calling({ day: 'x' }), { text: 'Booked.' });
    const repaired = await chat.say('Book');
    assert.equal(repaired.status, 200);
    assert.equal(server.seen.length, 2);
    const requests = JSON.stringify(model.requests.at(-1)?.body.messages);
    assert.match(requests, /Error: day: must not make a part of the path \. or \.\./);
  });

  it('returns its example in a call that asks for examples, and is not called', async () => {
    const server = await toolServer('{}');
    const example = { free: true, variables: { table: 7 } };
    const call = { toolResults: 'example' };
    const chat = await chatWith({ url: server.url, example }, { call });
    model.play(calling({ day: '2026-12-24' }), { text: 'Table 7.' });
    const { json } = await chat.say('Book');
    const { isExample, isError, result } = json.turns[1].toolCall;
    assert.deepEqual([isExample, isError, result], [true, false, example]);
    assert.deepEqual((await chat.call()).collectedVariables, { table: 7 });
    const stored = (await chat.turns()).find(({ role }) => role === 'tool');
    assert.equal(stored?.toolCall?.isExample, true);
    const inPage = await chatWith({ where: 'client', example: null }, { call });
    model.play(calling({ day: 'x' }), { text: 'Done.' });
    const [, { toolCall }] = (await inPage.say('Book')).json.turns;
    assert.deepEqual([toolCall.isExample, toolCall.isError, toolCall.result], [true, false, null]);
    const without = await chatWith({ url: server.url }, { call });
    model.play(calling({ day: 'x' }), { text: 'Sorry.' });
    const [, missing] = (await without.say('Book')).json.turns;
    const message = 'the tool book has no example, and this call uses example results: it was not called';
    assert.deepEqual(
      [missing.toolCall.isExample, missing.toolCall.isError, missing.toolCall.result],
      [true, true, message],
    );
    const sealed = await chatWith(
      { url: server.url, example },
      { call, agent: { dataStorageSetting: 'everything_except_pii' } },
    );
    model.play(calling({ day: 'x' }), { text: 'Done.' });
    assert.equal((await sealed.say('Book')).json.turns[1].toolCall.isExample, true);
    assert.equal(server.seen.length, 0);
  });

  it('returns examples for drafts only', async () => {
    const { key } = await service.newKey();
    const tools = [{ name: 'book', description: 'Books a table.', parameters, where: 'client', example: 1 }];
    const { id: agentId } = await testAgent(service, key, 'test-echo', { agentSettings: { tools } });
    const ask = (body: object) => create(service, key, { agentId, toolResults: 'example', ...body });
    assert.equal((await ask({})).status, 201);
    assert.equal((await ask({ toolResults: 'other' })).status, 400);
    await send(service, 'POST', `/api/v1/agents/${agentId}/publish`, { key });
    const { status, json } = await ask({});
    assert.equal(status, 422);
    assert.deepEqual(json.error.details.fieldErrors, {
      toolResults: ['must be live, because this version is published'],
    });
    assert.equal((await ask({ toolResults: 'live' })).status, 201);
  });

  it('finds what was collected before in the variables of its request', async () => {
    const server = await toolServer('{"variables": {"table": 7}}', '{}');
    const chat = await chatWith({ url: server.url }, { call: { variables: { table: 1, shop: 'a' } } });
    model.play(calling({ day: 'x' }), { text: 'One.' }, calling({ day: 'y' }), { text: 'Two.' });
    await chat.say('One');
    await chat.control({ action: 'set_variables', variables: { member: true } });
    await chat.say('Two');
    const variablesOf = (place: number) => JSON.parse(server.seen[place]?.text ?? '{}').variables;
    assert.deepEqual(
      [variablesOf(0), variablesOf(1)],
      [
        { table: 1, shop: 'a' },
        { table: 7, shop: 'a', member: true },
      ],
    );
    assert.deepEqual((await chat.call()).collectedVariables, { table: 7, member: true });
    await chat.control({ action: 'set_variables', variables: { table: 9 } });
    model.play({ text: 'Three.' });
    await chat.say('Three');
    assert.deepEqual((await chat.call()).collectedVariables, { table: 9, member: true }, 'the newest value wins');
  });

  it('is stored before it is called, while it runs, and again with its result', async () => {
    let release = () => {};
    const { port } = await httpReceiver((_request, response) => {
      release = () => response.end('"done"');
    });
    const chat = await chatWith({ url: `http://127.0.0.1:${port}/`, timeoutMs: 30_000 });
    model.play(calling({ day: 'x' }), { text: 'Done.' });
    const message = chat.say('Book');
    const running = await eventually(async () => (await chat.turns()).find(({ role }) => role === 'tool'));
    assert.deepEqual(
      [running.toolCall?.result, running.toolCall?.isError, running.toolCall?.durationMs],
      [null, false, 0],
    );
    assert.deepEqual(
      toolEvents(await chat.events()).map(({ type }) => type),
      ['tool_called'],
    );
    await eventually(async () => {
      release();
      return (await chat.turns()).find(({ toolCall }) => toolCall?.result === 'done');
    });
    assert.equal((await message).status, 200);
    const turns = await chat.turns();
    assert.deepEqual(
      turns.map(({ index, role }) => [index, role]),
      [
        [0, 'caller'],
        [1, 'tool'],
        [2, 'agent'],
      ],
    );
  });

  it('gets a secret only at the hosts of the secret, and it is nowhere else', async () => {
    const server = await toolServer('{"seen": "Bearer s3cret-value"}');
    const { key } = await service.newKey();
    const put = (hosts: string[]) =>
      send(service, 'PUT', '/api/v1/secrets/SHOP', { key, body: { value: 's3cret-value', hosts } });
    await put(['127.0.0.1']);
    const headers = { Authorization: 'Bearer {{secrets.SHOP}}' };
    const tools = [{ name: 'book', description: 'Books.', parameters, url: server.url, headers }];
    const { id } = await newChat(service, key, { model: 'gpt-5.4-mini', agent: { agentSettings: { tools } } });
    const chat = on(service, key, id);
    model.play(calling({ day: 'x' }), { text: 'Done.' });
    await chat.say('Book');
    assert.equal(server.seen[0]?.headers.authorization, 'Bearer s3cret-value');
    await put(['shop.example.com']);
    model.play(calling({ day: 'y' }), { text: 'Not done.' });
    await chat.say('Book');
    assert.equal(server.seen.length, 1, 'not called');
    const turns = await chat.turns();
    const failed = turns.findLast(({ role }) => role === 'tool');
    assert.equal(failed?.toolCall?.isError, true);
    assert.doesNotMatch(JSON.stringify([turns, await chat.events(), model.requests]), /s3cret-value/);
    assert.doesNotMatch(JSON.stringify(service.log), /s3cret-value/);
  });

  const assertFailed = async (reply: Reply, expected: RegExp, target = { service, model }): Promise<void> => {
    const server = await toolServer(reply);
    const chat = await chatWith({ url: server.url, timeoutMs: 5000 }, {}, target);
    target.model.play(calling({ day: 'x' }), { text: 'Sorry.' });
    const { status, json } = await chat.say('Book');
    assert.equal(status, 200);
    const { toolCall } = json.turns[1];
    assert.equal(toolCall.isError, true);
    assert.match(String(toolCall.result), expected);
    assert.doesNotMatch(JSON.stringify(json), /stack trace/);
    assert.deepEqual(said(json.turns).at(-1), ['agent', 'Sorry.']);
    const returned = toolEvents(await chat.events()).at(-1);
    assert.deepEqual([returned?.type, (returned as { isError?: boolean }).isError], ['tool_returned', true]);
  };

  it('that fails is an error for the model, and the reply goes on', async () => {
    await assertFailed({ status: 500, body: 'internal stack trace' }, /HTTP 500/);
    await assertFailed({ status: 302 }, /HTTP 302/);
  });

  describe('with short timeouts', () => {
    const quick = useModelService(engine, { calls: { clock: quickTime() } });

    it('that takes too long is an error for the model, and the reply goes on', () =>
      assertFailed('never', /in time/, quick));
  });

  it('is not called with wrong arguments: the model may correct them once', async () => {
    const server = await toolServer('"ok"');
    const chat = await chatWith({ url: server.url });
    model.play(calling({ seats: 'two' }), calling({ day: 'x' }), { text: 'Done.' });
    const { json } = await chat.say('Book');
    assert.deepEqual(said(json.turns).at(-1), ['agent', 'Done.']);
    assert.equal(server.seen.length, 1);
    model.play(calling({ seats: 'two' }), calling({ seats: 'three' }), { text: 'Never.' });
    assert.equal((await chat.say('Book')).status, 502);
    assert.equal(server.seen.length, 1);
  });

  it('is called up to 5 times in a row for a reply', async () => {
    const server = await toolServer('"ok"');
    const chat = await chatWith({ url: server.url });
    model.play(calling({ day: 'x' }));
    assert.equal((await chat.say('Book')).status, 502);
    assert.equal(server.seen.length, 5);
    assert.equal(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size, 5);
  });

  it('of the page is not available in a chat', async () => {
    const chat = await chatWith({ where: 'client', url: undefined });
    model.play(calling({ day: 'x' }), { text: 'I cannot.' });
    const { json } = await chat.say('Book');
    assert.deepEqual([json.turns[1].toolCall.isError, json.turns.at(-1).text], [true, 'I cannot.']);
  });

  it('is invisible to a page, which gets the rest', async () => {
    const server = await toolServer('{"variables": {"phone": "secret-result"}}');
    const chat = await chatWith({ url: server.url });
    const { json: access } = await chat.token();
    model.play(calling({ day: 'secret-argument' }), { text: 'Done.' });
    const page = on(service, access.token, chat.id);
    const { json } = await page.say('Book');
    assert.deepEqual(said(json.turns), [
      ['caller', 'Book'],
      ['agent', 'Done.'],
    ]);
    assert.deepEqual(
      json.turns.map(({ index }: { index: number }) => index),
      [0, 2],
    );
    const events = (await page.eventPage()).text;
    assert.doesNotMatch(JSON.stringify(json) + events, /secret-|book|tcl_/);
  });

  it('leaves no personal data in what is stored, and the model gets all of it', async () => {
    const server = await toolServer('{"note": "call 03-1234-5678", "variables": {"mail": "a@example.com"}}');
    const chat = await chatWith({ url: server.url }, { call: { dataStorageSetting: 'everything_except_pii' } });
    model.play(calling({ day: 'mail b@example.com' }), { text: 'Done.' });
    const { json } = await chat.say('Book');
    assert.equal(json.turns[1].toolCall.arguments.day, 'mail b@example.com', 'in transit');
    assert.match(server.seen[0]?.text ?? '', /b@example\.com/);
    const [, tool] = await chat.turns();
    assert.deepEqual(
      [tool?.toolCall?.arguments, tool?.toolCall?.result],
      [{ day: 'mail [EMAIL]' }, { note: 'call [PHONE_NUMBER]', variables: { mail: '[EMAIL]' } }],
    );
    assert.deepEqual((await chat.call()).collectedVariables, { mail: '[EMAIL]' });
    model.play(calling({ day: 'x' }), { text: 'Again.' });
    await chat.say('Again');
    assert.match(JSON.stringify(messagesOf(2)), /03-1234-5678/);
    assert.equal(JSON.parse(server.seen[1]?.text ?? '{}').variables.mail, 'a@example.com');
  });
});
