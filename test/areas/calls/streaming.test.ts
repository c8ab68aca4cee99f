import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { onSqlite } from '../../support/engines.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { startService, useService } from '../../support/service.ts';
import { eventually, gate, newChat, on, said, stream, useModelService } from './support.ts';

onSqlite('a streamed reply', (engine) => {
  describe('of a test model', () => {
    const service = useService(engine);

    it('has the text as it is generated, and last the body of the response', async () => {
      const { key } = await service.newKey();
      const { id } = await newChat(service, key, { agent: { beginMessage: 'Hi.' } });
      const { status, headers, events } = await stream(service, key, id, 'A table for two. Tomorrow!');
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
      const texts = events.filter(({ event }) => event === 'text');
      const textOf = (turn: number) => texts.flatMap(({ data }) => (data.turn === turn ? [data.delta] : [])).join('');
      assert.deepEqual([textOf(0), textOf(2)], ['Hi.', 'A table for two. Tomorrow!']);
      assert.deepEqual(
        events.map(({ event }) => event),
        [...texts.map(() => 'text'), 'done'],
      );
      const { turns, status: after } = events.at(-1)?.data ?? {};
      assert.deepEqual([after, turns], ['ongoing', await on(service, key, id).turns()]);
    });

    it('keeps the status of everything that is checked before the reply starts', async () => {
      const { key } = await service.newKey();
      const { id } = await newChat(service, key);
      assert.equal((await stream(service, key, 'call_unknown', 'Hello')).status, 404);
      assert.equal((await stream(service, 'vak_unknown', id, 'Hello')).status, 401);
      assert.equal((await stream(service, key, id, '')).status, 400);
      await stream(service, key, id, 'Hello');
      assert.equal((await stream(service, key, id)).status, 422);
      await on(service, key, id).end();
      assert.equal((await stream(service, key, id, 'Hello')).status, 409);
    });

    it('ends with the error if it fails, and goes on when it is repeated', async () => {
      const { key } = await service.newKey();
      const { id } = await newChat(service, key, { model: 'test-fail' });
      const headers = { 'idempotency-key': 'message 1' };
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const { status, events, headers: received } = await stream(service, key, id, 'Hello', headers);
        assert.equal(status, 200);
        assert.deepEqual(
          events.map(({ event }) => event),
          ['error'],
        );
        const { error } = events[0]?.data ?? {};
        assert.deepEqual([error.code, error.requestId], ['UPSTREAM_ERROR', received.get('x-request-id')]);
      }
      assert.deepEqual(said(await on(service, key, id).turns()), [['caller', 'Hello']]);
    });

    it('is one event when it is repeated after it was done', async () => {
      const { key } = await service.newKey();
      const { id } = await newChat(service, key);
      const headers = { 'idempotency-key': 'message 2' };
      const first = await stream(service, key, id, 'Hello', headers);
      const second = await stream(service, key, id, 'Hello', headers);
      assert.deepEqual(second.events, [first.events.at(-1)]);
      const asJson = await on(service, key, id).say('Hello', headers);
      assert.deepEqual([asJson.status, asJson.json], [200, first.events.at(-1)?.data]);
      assert.equal((await on(service, key, id).turns()).length, 2);
    });
  });

  describe('of a model', () => {
    const { service, model } = useModelService(engine);

    it('is stored even if the client disconnects, and a repeat gets it', async () => {
      const { key } = await service.newKey();
      const { id } = await newChat(service, key, { model: 'gpt-5.4-mini' });
      const held = gate();
      model.play({ text: 'Here I am.', after: held.opened });
      const body = '{"text":"Hello"}';
      const socket = connect(service.port, '127.0.0.1');
      socket.write(
        `POST /api/v1/calls/${id}/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\naccept: text/event-stream\r\nidempotency-key: k\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      await once(socket, 'data');
      await eventually(async () => model.requests.length > 0);
      socket.destroy();
      const chat = on(service, key, id);
      const headers = { 'idempotency-key': 'k' };
      const meanwhile = await chat.say('Hello', headers);
      assert.deepEqual([meanwhile.status, meanwhile.json.error.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
      held.open();
      const repeated = await eventually(async () => {
        const answer = await chat.say('Hello', headers);
        return answer.status === 200 && answer;
      });
      assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(said(repeated.json.turns), [
        ['caller', 'Hello'],
        ['agent', 'Here I am.'],
      ]);
      assert.equal(model.requests.length, 1);
      assert.equal((await chat.turns()).length, 2);
    });

    it('names the tools that are called, but not to a page, and numbers the turns as they are stored', async () => {
      const receiver = await httpReceiver((_request, response) => response.end('{"free":true}'));
      const { key } = await service.newKey();
      const tool = { name: 'book', description: 'Books.', parameters: { type: 'object', properties: {} } };
      const agentSettings = { tools: [{ ...tool, url: `http://127.0.0.1:${receiver.port}/` }] };
      for (const isPage of [false, true]) {
        const { id, access } = await newChat(service, key, { model: 'gpt-5.4-mini', agent: { agentSettings } });
        model.play(
          { text: 'One moment.', tools: [{ name: 'book', arguments: '{}' }] },
          { tools: [{ name: 'book', arguments: '{}' }] },
          { text: 'It is booked.' },
        );
        const { events } = await stream(service, isPage ? access.token : key, id, 'Book it');
        const stored = await on(service, key, id).turns();
        assert.deepEqual(
          stored.map(({ role }) => role),
          ['caller', 'agent', 'tool', 'tool', 'agent'],
        );
        const streamed = new Map<number, string>();
        for (const { event, data } of events) {
          if (event === 'text') streamed.set(data.turn, (streamed.get(data.turn) ?? '') + data.delta);
        }
        assert.deepEqual(
          [...streamed],
          stored.filter(({ role }) => role === 'agent').map(({ index, text }) => [index, text]),
        );
        const tools = events.filter(({ event }) => event === 'tool').map(({ data }) => data);
        assert.deepEqual(tools, isPage ? [] : [{ name: 'book' }, { name: 'book' }]);
        const { turns } = events.at(-1)?.data ?? {};
        assert.deepEqual(turns, isPage ? stored.filter(({ role }) => role !== 'tool') : stored);
      }
    });

    it('is canceled when the call is ended meanwhile, and the message gets 409', async () => {
      const { key } = await service.newKey();
      for (const isStreamed of [false, true]) {
        const { id } = await newChat(service, key, { model: 'gpt-5.4-mini' });
        const chat = on(service, key, id);
        model.requests.length = 0;
        model.play({ stallAfter: 'Half a' });
        const canceled = model.canceled();
        const asked = () => eventually(async () => model.requests.length > 0);
        const message = isStreamed ? stream(service, key, id, 'Hello') : chat.say('Hello');
        await asked();
        const other = await chat.say('Me too');
        assert.deepEqual(
          [other.status, other.json.error.details],
          [409, { status: 'ongoing', allowed: ['registered', 'ongoing'], reason: 'reply_in_progress' }],
        );
        assert.equal(other.headers.get('retry-after'), '1');
        assert.equal((await chat.say()).status, 409, 'before it is checked for text');
        const respond = await chat.control({ action: 'respond' });
        assert.deepEqual([respond.status, respond.json.error.details.reason], [409, 'reply_in_progress']);
        const ended = await chat.end();
        assert.deepEqual([ended.status, ended.json.endReason], [200, 'api_end']);
        const answer = await message;
        const error = 'events' in answer ? answer.events.at(-1)?.data.error : answer.json.error;
        if (!isStreamed) assert.equal(answer.status, 409);
        assert.deepEqual([error.code, error.details.status], ['STATE_CONFLICT', 'ended']);
        await eventually(async () => model.canceled() > canceled);
        assert.deepEqual(said(await chat.turns()), [['caller', 'Hello']]);
      }
    });

    it('is canceled when another process ends the call', async () => {
      const { key } = await service.newKey();
      const { id } = await newChat(service, key, { model: 'gpt-5.4-mini' });
      const other = await startService(engine, { databaseUrl: service.databaseUrl });
      model.requests.length = 0;
      model.play({ stallAfter: 'Half a' });
      const canceled = model.canceled();
      const message = on(service, key, id).say('Hello');
      await eventually(async () => model.requests.length > 0);
      assert.equal((await on(other, key, id).end()).status, 200);
      const start = service.clock.now();
      const { status, json } = await message;
      // Long before the reply itself would time out.
      assert.ok(service.clock.now() - start < 10_000);
      assert.deepEqual([status, json.error.details.status], [409, 'ended']);
      await eventually(async () => model.canceled() > canceled);
      await other.close();
    });
  });
});
