import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { startService } from '../../support/service.ts';
import { create, eventually, gate, newChat, on, said, TestClock, testAgent, useModelService } from './support.ts';

const book = { name: 'book', arguments: '{}' };

onEachEngine('a request about a call with an Idempotency-Key', (engine) => {
  const clock = new TestClock();
  const { service, model } = useModelService(engine, { now: clock.now });
  const headers = { 'idempotency-key': 'k 1' };

  /** A chat whose tool counts its calls. */
  const chatWithTool = async (call: object = {}) => {
    const { key } = await service.newKey();
    const seen: string[] = [];
    const server = { reply: async (): Promise<string> => '{"variables": {"table": 7}}' };
    const { port } = await httpReceiver(async (request, response) => {
      seen.push(String(request.headers['idempotency-key']));
      response.end(await server.reply());
    });
    const parameters = { type: 'object', properties: {} };
    const tools = [{ name: 'book', description: 'Books.', parameters, url: `http://127.0.0.1:${port}/` }];
    const agent = { agentSettings: { tools } };
    const made = await newChat(service, key, { model: 'gpt-5.4-mini', agent, call });
    model.requests.length = 0;
    return { ...on(service, key, made.id), key, seen, server };
  };

  it('creates one call and returns the same token, to the same API key only', async () => {
    const workspace = 'shared idempotency';
    const [one, two] = [await service.newKey({ workspace }), await service.newKey({ workspace })];
    const { id: agentId } = await testAgent(service, one.key);
    const first = await create(service, one.key, { agentId }, headers);
    const second = await create(service, one.key, { agentId }, headers);
    assert.deepEqual([second.status, second.text], [201, first.text]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(second.headers.get('etag'), first.headers.get('etag'));
    const other = await create(service, two.key, { agentId }, headers);
    assert.deepEqual([other.status, other.json.error.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    const rows = await service.database.all<{ body: string | null }>(
      'SELECT body FROM idempotency_keys WHERE workspace_id = $1',
      [one.workspaceId],
    );
    assert.ok(rows.every(({ body }) => !body?.includes('vat_')));
    assert.equal((await send(service, 'GET', '/api/v1/call-concurrency', { key: one.key })).json.chatActive, 1);
    const token = on(service, one.key, first.json.id).token;
    const [made, again] = [
      await token({}, { 'idempotency-key': 'k 2' }),
      await token({}, { 'idempotency-key': 'k 2' }),
    ];
    assert.deepEqual([again.status, again.text], [201, made.text]);
    const foreign = await on(service, two.key, first.json.id).token({}, { 'idempotency-key': 'k 2' });
    assert.equal(foreign.status, 422);
  });

  it('adds one turn, however often a failed message is repeated', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key, { model: 'gpt-5.4-mini' });
    const chat = on(service, key, id);
    model.play({ status: 400 });
    assert.equal((await chat.say('Hello', headers)).status, 502);
    assert.equal((await chat.say('Other', headers)).json.error.code, 'IDEMPOTENCY_KEY_REUSED');
    model.play({ text: 'I am here.' });
    const { status, json } = await chat.say('Hello', headers);
    assert.deepEqual(
      [status, said(json.turns)],
      [
        200,
        [
          ['caller', 'Hello'],
          ['agent', 'I am here.'],
        ],
      ],
    );
    const replayed = await chat.say('Hello', headers);
    assert.deepEqual([replayed.json, replayed.headers.get('idempotent-replayed')], [json, 'true']);
    assert.deepEqual(await chat.turns(), json.turns);
    const completed = (await chat.events()).filter(({ type }) => type === 'turn_completed');
    assert.equal(completed.length, 2);
  });

  it('says the opening that failed, and then the message, once', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key, { model: 'gpt-5.4-mini', agent: { beginMessage: undefined } });
    const chat = on(service, key, id);
    model.play({ status: 400 });
    assert.equal((await chat.say(undefined, headers)).status, 502);
    model.play({ text: 'Welcome.' });
    const { status, json } = await chat.say(undefined, headers);
    assert.deepEqual([status, said(json.turns)], [200, [['agent', 'Welcome.']]]);
    const greeted = await newChat(service, key, { model: 'gpt-5.4-mini', agent: { beginMessage: 'Hi.' } });
    const other = on(service, key, greeted.id);
    const second = { 'idempotency-key': 'k 3' };
    model.play({ status: 400 });
    assert.equal((await other.say('Hello', second)).status, 502);
    model.play({ text: 'Yes?' });
    const whole = await other.say('Hello', second);
    assert.deepEqual(said(whole.json.turns), [
      ['agent', 'Hi.'],
      ['caller', 'Hello'],
      ['agent', 'Yes?'],
    ]);
    assert.deepEqual(await other.turns(), whole.json.turns);
  });

  for (const dataStorageSetting of ['everything', 'everything_except_pii', 'basic_attributes_only']) {
    it(`does not call a tool again that has returned, with ${dataStorageSetting}`, async () => {
      const chat = await chatWithTool({ dataStorageSetting });
      model.play({ text: 'Ok.' });
      await chat.say('First');
      model.play({ tools: [book] }, { status: 400 });
      assert.equal((await chat.say('Book', headers)).status, 502);
      assert.equal(chat.seen.length, 1);
      model.play({ text: 'It is booked.' });
      const { status, json } = await chat.say('Book', headers);
      assert.equal(status, 200);
      assert.deepEqual(
        json.turns.map(({ index, role }: { index: number; role: string }) => [index, role]),
        [
          [2, 'caller'],
          [3, 'tool'],
          [4, 'agent'],
        ],
      );
      assert.equal(json.turns[1].toolCall.id, chat.seen[0]);
      assert.equal(chat.seen.length, 1);
      const sent = model.requests.at(-1)?.body.messages as { role: string }[];
      assert.deepEqual(
        sent.map(({ role }) => role),
        ['system', 'user', 'assistant', 'user', 'assistant', 'tool'],
      );
      if (dataStorageSetting === 'everything') assert.deepEqual((await chat.call()).collectedVariables, { table: 7 });
    });

    it(`calls a tool that has not returned again under the same id, with ${dataStorageSetting}`, async (test) => {
      const chat = await chatWithTool({ dataStorageSetting });
      const held = gate();
      chat.server.reply = async () => {
        await held.opened;
        return '"late"';
      };
      model.play({ tools: [book] }, { text: 'It is booked.' });
      const lost = chat.say('Book', headers);
      await eventually(async () => chat.seen.length === 1);
      // The process stops there, and another one takes over when the lease has expired.
      const other = await startService(engine, {
        databaseUrl: service.databaseUrl,
        now: clock.now,
        calls: { llm: model.llm },
      });
      test.after(() => other.close());
      const elsewhere = on(other, chat.key, chat.id);
      const early = await elsewhere.say('Book', headers);
      assert.deepEqual([early.status, early.json.error.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
      clock.advance(15_001);
      chat.server.reply = async () => '"booked"';
      const { status, json } = await elsewhere.say('Book', headers);
      assert.equal(status, 200, JSON.stringify(json));
      assert.deepEqual(chat.seen, [chat.seen[0], chat.seen[0]]);
      assert.deepEqual(
        json.turns.map(({ index, role }: { index: number; role: string }) => [index, role]),
        [
          [0, 'caller'],
          [1, 'tool'],
          [2, 'agent'],
        ],
      );
      assert.equal(json.turns[1].toolCall.result, 'booked');
      held.open();
      assert.ok((await lost).status >= 400, 'the process that lost the call writes nothing');
      assert.equal((await elsewhere.events()).filter(({ type }) => type === 'tool_called').length, 1);
      if (dataStorageSetting === 'everything') assert.deepEqual(await elsewhere.turns(), json.turns);
    });
  }

  it('is told when the lease of a lost process expires, and continues then', async (test) => {
    const other = await startService(engine, {
      databaseUrl: service.databaseUrl,
      now: clock.now,
      calls: { llm: model.llm },
    });
    test.after(() => other.close());
    const { key } = await service.newKey();
    const { id } = await newChat(service, key, { model: 'gpt-5.4-mini' });
    const [here, there] = [on(service, key, id), on(other, key, id)];
    const retryAfter = (answer: Answer) => [answer.json.error.code, answer.headers.get('retry-after')];
    clock.hold(test);
    const held = gate();
    model.requests.length = 0;
    model.play({ text: 'Too late.', after: held.opened }, { text: 'I am here.' });
    const lost = here.say('Hello', headers);
    await eventually(async () => model.requests.length === 1);
    assert.deepEqual(retryAfter(await here.say('Hello', headers)), ['IDEMPOTENCY_IN_PROGRESS', '1']);
    assert.deepEqual(retryAfter(await here.say('Other')), ['STATE_CONFLICT', '1']);
    assert.deepEqual(retryAfter(await there.say('Hello', headers)), ['IDEMPOTENCY_IN_PROGRESS', '10']);
    clock.advance(7500);
    assert.deepEqual(retryAfter(await there.say('Hello', headers)), ['IDEMPOTENCY_IN_PROGRESS', '3']);
    assert.deepEqual(retryAfter(await there.say('Other')), ['STATE_CONFLICT', '3']);
    clock.advance(2500);
    const { status, json } = await there.say('Hello', headers);
    assert.equal(status, 200, JSON.stringify(json));
    assert.deepEqual(said(json.turns), [
      ['caller', 'Hello'],
      ['agent', 'I am here.'],
    ]);
    held.open();
    assert.ok((await lost).status >= 400, 'the process that lost the call writes nothing');
    assert.deepEqual(await there.turns(), json.turns);
  });

  it('is 409 content_removed after a redaction, and 404 after a deletion, without a second effect', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const keyed = (name: string) => ({ 'idempotency-key': `${name} of ${agentId}` });
    const made = await create(service, key, { agentId }, keyed('create'));
    const chat = on(service, key, made.json.id);
    const requests = [
      () => create(service, key, { agentId }, keyed('create')),
      () => chat.say('Hello', keyed('say')),
      () => chat.token({}, keyed('token')),
      () => chat.end(keyed('end')),
    ];
    for (const request of requests) assert.ok((await request()).status < 300);
    const redacted = await chat.redact('everything_except_pii', keyed('redact'));
    assert.equal(redacted.status, 200);
    for (const request of requests) {
      const { status, json } = await request();
      assert.deepEqual(
        [status, json.error?.code, json.error?.details.reason],
        [409, 'STATE_CONFLICT', 'content_removed'],
      );
    }
    const again = await chat.redact('everything_except_pii', keyed('redact'));
    assert.deepEqual([again.status, again.json], [200, redacted.json]);
    const deletion = () => chat.delete();
    assert.equal((await deletion()).status, 200);
    for (const request of requests) assert.equal((await request()).status, 404);
    assert.equal((await send(service, 'GET', '/api/v1/calls', { key })).json.items.length, 0);
  });

  for (const dataStorageSetting of ['everything_except_pii', 'basic_attributes_only']) {
    it(`keeps the reply sealed while the call is open, and not at all afterwards, with ${dataStorageSetting}`, async () => {
      const { key, workspaceId } = await service.newKey();
      const { id } = await newChat(service, key, { model: 'test-script', call: { dataStorageSetting } });
      const chat = on(service, key, id);
      const text = 'My number is +81 3-1234-5678.';
      const first = await chat.say(text, headers);
      assert.equal(first.json.turns[0].text, text);
      assert.deepEqual((await chat.say(text, headers)).json, first.json);
      const rows = () =>
        service.database.all<{ body: string | null; sealed_body: Uint8Array | null }>(
          'SELECT body, sealed_body FROM idempotency_keys WHERE workspace_id = $1',
          [workspaceId],
        );
      assert.deepEqual(
        (await rows()).map(({ body, sealed_body }) => [body, sealed_body === null]),
        [[null, false]],
      );
      await chat.say(text, { 'idempotency-key': 'k 2' });
      await chat.say(text, { 'idempotency-key': 'k 3' });
      // The agent hangs up with this one, so that its response must not be kept either.
      const last = await chat.say(text, { 'idempotency-key': 'k 4' });
      assert.equal(last.json.status, 'ended');
      assert.ok((await rows()).every(({ body, sealed_body }) => body === null && sealed_body === null));
      for (const name of ['k 1', 'k 2', 'k 4']) {
        const { status, json } = await chat.say(text, { 'idempotency-key': name });
        assert.deepEqual([status, json.error.details.reason], [409, 'content_removed'], name);
      }
    });
  }

  it('is refused while the first one is in progress, in every process', async (test) => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key, { model: 'gpt-5.4-mini' });
    const held = gate();
    model.requests.length = 0;
    model.play({ text: 'Yes.', after: held.opened });
    const first = on(service, key, id).say('Hello', headers);
    await eventually(async () => model.requests.length === 1);
    const other = await startService(engine, { databaseUrl: service.databaseUrl, now: clock.now });
    test.after(() => other.close());
    for (const target of [service, other]) {
      const { status, json } = await on(target, key, id).say('Hello', headers);
      assert.deepEqual([status, json.error.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
      const without = await on(target, key, id).say('Hello');
      assert.deepEqual([without.status, without.json.error.details.reason], [409, 'reply_in_progress']);
    }
    held.open();
    assert.equal((await first).status, 200);
    assert.deepEqual((await on(other, key, id).say('Hello', headers)).json, (await first).json);
  });

  it('has no effect on a request that only reads', async () => {
    const { key } = await service.newKey();
    const search = () =>
      send(service, 'POST', '/api/v1/calls/search', {
        key,
        body: { filter: { field: 'type', op: 'eq', value: 'chat' } },
        headers,
      });
    assert.equal((await search()).json.items.length, 0);
    await newChat(service, key);
    assert.equal((await search()).json.items.length, 1);
  });
});
