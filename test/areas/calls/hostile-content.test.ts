import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Turn } from '../../../src/contract/calls/turn.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { connect, joined, newWebCall, ongoing, withToken } from './live/support.ts';
import { eventually, newChat, on, quickSweep, TestClock, useModelService } from './support.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
/** More than can be serialized on any stack, and within the 32 KiB of a tool's response. */
const deepest = 15_000;
const calling = { tools: [{ name: 'book', arguments: '{}' }] };
const settings = ['everything', 'everything_except_pii', 'basic_attributes_only'] as const;

onEachEngine('a call with JSON that is nested too deep', (engine) => {
  const clock = new TestClock();
  const { service, model } = useModelService(engine, { now: clock.now, calls: quickSweep });

  const agentWithTool = async (body: string) => {
    const { port } = await httpReceiver((_request, response) => response.end(body));
    const tool = { name: 'book', description: 'Books.', parameters: { type: 'object' } };
    return { agentSettings: { tools: [{ ...tool, url: `http://127.0.0.1:${port}/` }], calls: { retentionDays: 1 } } };
  };
  const warnings = async (chat: ReturnType<typeof on>) =>
    (await chat.events()).flatMap(({ type, data }) => (type === 'warning' && 'code' in data ? [data.code] : []));

  for (const levels of [65, 2000, deepest]) {
    it(`ends, is redacted and is deleted if a tool returns ${levels} levels`, async () => {
      const { key } = await service.newKey();
      for (const dataStorageSetting of settings) {
        const agent = await agentWithTool(nested(levels));
        const { id } = await newChat(service, key, { model: 'gpt-5.4-mini', agent, call: { dataStorageSetting } });
        const chat = on(service, key, id);
        model.play(calling, { text: 'That did not work.' });
        const answer = await chat.say('Book');
        assert.equal(answer.status, 200, answer.text);
        const { toolCall } = answer.json.turns.find(({ role }: Turn) => role === 'tool');
        const message = 'the response of the tool is nested deeper than 64 levels';
        assert.deepEqual([toolCall.isError, toolCall.result], [true, message]);
        assert.equal((await chat.end()).json.status, 'ended');
        assert.equal((await chat.redact('basic_attributes_only')).status, 200);
        assert.equal((await chat.delete()).status, 200);
      }
    });
  }

  it('takes 64 levels', async () => {
    const { key } = await service.newKey();
    const agent = await agentWithTool(nested(64));
    const call = { dataStorageSetting: 'everything_except_pii' };
    const chat = on(service, key, (await newChat(service, key, { model: 'gpt-5.4-mini', agent, call })).id);
    model.play(calling, { text: 'Done.' });
    await chat.say('Book');
    await chat.end();
    const tool = (await chat.turns()).find(({ role }) => role === 'tool');
    assert.equal(JSON.stringify(tool?.toolCall?.result), nested(64));
  });

  it('is a web call that ends, and gives back its slot', async () => {
    const { key } = await service.newKey();
    const agent = await agentWithTool(nested(2000));
    const call = { dataStorageSetting: 'everything_except_pii' };
    const web = await ongoing(service, key, { model: 'gpt-5.4-mini', agent, call });
    model.play(calling, { text: 'That did not work.' });
    web.client.send({ type: 'text', text: 'Book' });
    await web.client.said('That did not work.');
    web.client.send({ type: 'end' });
    assert.equal((await web.client.next('ended')).reason, 'caller_hangup');
    const [row] = await service.database.all('SELECT status, owner, due_at FROM calls WHERE id = $1', [web.id]);
    assert.deepEqual([row?.status, row?.owner], ['ended', null]);
  });

  it('is a web call whose page returns such a result: the frame is refused, and the call ends', async () => {
    const { key } = await service.newKey();
    const tools = [{ name: 'book', description: 'Books.', parameters: { type: 'object' }, where: 'client' }];
    const web = await ongoing(service, key, { model: 'gpt-5.4-mini', agent: { agentSettings: { tools } } });
    model.play(calling, { text: 'Done.' });
    web.client.send({ type: 'text', text: 'Book' });
    const { toolCallId } = await web.client.next('tool_call');
    web.client.send(`{"type":"tool_result","toolCallId":"${toolCallId}","result":${nested(2000)}}`);
    const error = await web.client.next('error');
    assert.deepEqual([error.code, error.message], ['bad_frame', 'a frame must not be nested deeper than 64 levels']);
    await web.client.closed;
    await web.end();
    await eventually(async () => (await web.call()).status === 'ended');
  });

  /** A tool turn as an earlier release could have stored it. */
  const plant = async (callId: string) => {
    const rows = await service.database.all<{ turn_index: number; doc: string }>(
      "SELECT turn_index, doc FROM call_turns WHERE call_id = $1 AND role = 'tool'",
      [callId],
    );
    assert.ok(rows.length > 0);
    for (const { turn_index, doc } of rows) {
      const planted = doc.replace('"result":"ok"', `"result":${nested(deepest)}`);
      assert.notEqual(planted, doc);
      await service.database.run('UPDATE call_turns SET doc = $3 WHERE call_id = $1 AND turn_index = $2', [
        callId,
        turn_index,
        planted,
      ]);
    }
  };
  const chatWithStored = async () => {
    const { key } = await service.newKey();
    const body = {
      url: 'https://receiver.example/hook',
      events: ['*'],
      include: ['transcript'],
      description: 'gets transcripts',
    };
    const webhook = await send(service, 'POST', '/api/v1/webhooks', { key, body });
    assert.equal(webhook.status, 201, webhook.text);
    const agent = await agentWithTool('"ok"');
    const chat = on(service, key, (await newChat(service, key, { model: 'gpt-5.4-mini', agent })).id);
    model.play(calling, { text: 'Done.' });
    assert.equal((await chat.say('Book')).status, 200);
    await plant(chat.id);
    return chat;
  };

  it('goes on, ends, is redacted and is deleted if it was stored so', async () => {
    const chat = await chatWithStored();
    model.play({ text: 'Still here.' });
    assert.equal((await chat.say('Hello?')).status, 200);
    assert.equal((await chat.end()).json.status, 'ended');
    const redacted = await chat.redact('everything_except_pii');
    assert.equal(redacted.status, 200, redacted.text);
    assert.deepEqual(await warnings(chat), ['redaction_is_partial', 'content_dropped']);
    const turns = await chat.turns();
    const tool = turns.find(({ role }) => role === 'tool');
    assert.deepEqual([tool?.toolCall?.name, tool?.toolCall?.result], ['book', null]);
    assert.deepEqual(
      turns.map(({ text }) => text).filter((text) => text !== ''),
      ['Book', 'Done.', 'Hello?', 'Still here.'],
    );
    const events = await chat.events();
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => index + 1),
    );
    assert.equal(events.at(-1)?.type, 'state_changed');
    assert.equal((await chat.redact('basic_attributes_only')).status, 200);
    assert.equal((await chat.delete()).status, 200);
    assert.equal((await chat.get()).status, 404);
  });

  it('ends and is deleted at its time if it was stored so', async () => {
    const chat = await chatWithStored();
    clock.advance(24 * 3_600_000);
    await eventually(async () => (await chat.call()).endReason === 'max_duration');
    clock.advance(2 * 24 * 3_600_000);
    await eventually(async () => (await chat.get()).status === 404);
  });

  it('ends with a state and metadata that were stored so', async () => {
    const { key } = await service.newKey();
    const web = await newWebCall(service, key);
    const client = await joined(connect(service, web.id, withToken(web.accessToken)));
    await client.start();
    client.send({ type: 'end' });
    await client.closed;
    const chat = on(service, key, (await newChat(service, key, { call: { metadata: { note: 'ok' } } })).id);
    await chat.say('Hello');
    for (const { id } of [web, chat]) {
      await service.database.run('UPDATE calls SET doc = replace(doc, $2, $3) WHERE id = $1', [
        id,
        '"metadata":{',
        `"metadata":{"deep":${nested(deepest)}${id === chat.id ? ',' : ''}`,
      ]);
    }
    await service.database.run('UPDATE calls SET state = $2 WHERE id = $1 AND state IS NOT NULL', [
      chat.id,
      `{"contexts":[],"engine":${nested(deepest)}}`,
    ]);
    assert.equal((await chat.end()).status, 200);
    for (const call of [on(service, key, web.id), chat]) {
      const redacted = await call.redact('everything_except_pii');
      assert.equal(redacted.status, 200, redacted.text);
      assert.ok((await warnings(call)).includes('content_dropped'));
      assert.equal((await call.redact('basic_attributes_only')).status, 200);
      assert.equal((await call.delete()).status, 200);
    }
  });

  it('ends if its process was lost with such a state', async () => {
    const { key } = await service.newKey();
    const web = await ongoing(service, key);
    await web.client.drop();
    const state = `{"contexts":[],"engine":${nested(deepest)}}`;
    await service.database.run(
      "UPDATE calls SET owner = 'lost', lease_until = 0, due_at = 0, state = $2 WHERE id = $1",
      [web.id, state],
    );
    clock.advance(3_600_000);
    await eventually(async () => (await web.call()).endReason === 'server_restart');
  });
});
