import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import type { CallEvent } from '../../../src/contract/calls/call-events.ts';
import { echo, type LlmBehavior, startLlmServer } from '../../providers/custom-llm-double.ts';
import { send } from '../../support/client.ts';
import { onEachEngine, sqliteEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { spokenCall } from './live/caller.ts';
import { connect, joined, withToken } from './live/support.ts';
import { eventually, newChat, on, quickTime, said } from './support.ts';

const custom = (llmWebsocketUrl: string, fields: object = {}) => ({
  responseEngineType: 'custom_llm',
  responseEngine: { type: 'custom_llm', llmWebsocketUrl },
  ...fields,
});

/** Without words of its own: the server opens the conversation. */
const unopened = { beginMessage: undefined };

const warnings = (events: readonly CallEvent[]) =>
  events.flatMap(({ type, data }) => (type === 'warning' ? [(data as { code: string }).code] : []));

onEachEngine('a chat on a custom LLM', (engine) => {
  const service = useService(engine);

  const chatOn = async (behavior: LlmBehavior, fields: object = {}, call: object = {}) => {
    const server = await startLlmServer(behavior);
    const { key } = await service.newKey();
    const made = await newChat(service, key, { agent: custom(server.url, fields), call });
    return { ...on(service, key, made.id), key, server, made };
  };

  it('replies with what the server sends, on one socket, with the whole conversation', async () => {
    const chat = await chatOn({ received: echo });
    const first = await chat.say('Hello');
    assert.deepEqual(said(first.json.turns), [
      ['caller', 'Hello'],
      ['agent', 'You said: Hello'],
    ]);
    await chat.say('Again');
    const { server } = chat;
    assert.equal(server.clients.length, 1);
    assert.equal(server.clients[0]?.path, `/llm/${chat.id}`);
    const requests = server.received.filter(({ interaction_type: type }) => type === 'response_required');
    assert.deepEqual(
      requests.map(({ response_id: id }) => id),
      [1, 2],
    );
    assert.deepEqual(requests[1]?.transcript, [
      { role: 'user', content: 'Hello' },
      { role: 'agent', content: 'You said: Hello' },
      { role: 'user', content: 'Again' },
    ]);
    const call = await chat.call();
    assert.equal(call.engine, 'custom_llm');
    assert.deepEqual(call.notApplied, []);
    assert.deepEqual(call.usage.breakdown, []);
    await chat.end();
    await eventually(async () => server.closedWith.length === 1);
    assert.deepEqual(server.closedWith, [1000]);
  });

  it('signs the connection with the secret of the agent', async () => {
    const chat = await chatOn({ received: echo });
    await chat.say('Hello');
    const { items } = (await send(service, 'GET', '/api/v1/webhooks', { key: chat.key })).json;
    const path = `/api/v1/webhooks/${items[0].id}/secret`;
    const { secret } = (await send(service, 'GET', path, { key: chat.key })).json;
    const header = String(chat.server.clients[0]?.headers['x-voice-agents-signature']);
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    assert.equal(signature, createHmac('sha256', key).update(`${time}.${chat.id}`).digest('hex'));
    assert.ok(Math.abs(Number(time) - Date.now() / 1000) < 60);
  });

  it('the server opens a chat whose first message has no text, and hangs up', async () => {
    const chat = await chatOn(
      {
        connected: (client) => client.respond(0, 'Welcome.'),
        received: (frame, client) => {
          if (frame.interaction_type === 'response_required')
            client.respond(frame.response_id, 'Bye.', { end_call: true });
        },
      },
      unopened,
    );
    const opened = await chat.say();
    assert.deepEqual(said(opened.json.turns), [['agent', 'Welcome.']]);
    const answer = await chat.say('Goodbye');
    assert.deepEqual([answer.status, answer.json.status], [200, 'ended']);
    assert.equal((await chat.call()).endReason, 'agent_hangup');
  });

  it('an interrupt is a turn at once, also between two messages', async () => {
    let askMore = () => {};
    const chat = await chatOn({
      received: (frame, client) => {
        if (frame.interaction_type !== 'response_required') return;
        const interrupt = { response_type: 'agent_interrupt', interrupt_id: 1, content_complete: true };
        client.send({ ...interrupt, content: 'One moment.' });
        client.respond(frame.response_id, 'Here you are.');
        askMore = () => client.send({ ...interrupt, interrupt_id: 2, content: 'Anything else?' });
      },
    });
    const { turns } = (await chat.say('A table')).json;
    assert.deepEqual(said(turns), [
      ['caller', 'A table'],
      ['agent', 'One moment.'],
      ['agent', 'Here you are.'],
    ]);
    askMore();
    await eventually(async () => (await chat.turns()).length === 4);
    assert.deepEqual(said(await chat.turns()).at(-1), ['agent', 'Anything else?']);
  });

  it('what the server says between two messages is activity, and counts towards the limits', async () => {
    const chat = await chatOn({ received: echo });
    await chat.say('Hello');
    const due = async () => {
      const found = await service.database.get<{ due_at: number }>('SELECT due_at FROM calls WHERE id = $1', [chat.id]);
      return found?.due_at ?? 0;
    };
    const before = await due();
    const interrupt = { response_type: 'agent_interrupt', content_complete: true };
    chat.server.clients[0]?.send({ ...interrupt, interrupt_id: 1, content: 'Anything else?' });
    await eventually(async () => (await chat.turns()).length === 3);
    assert.ok((await due()) > before, 'silence is measured from the last turn');
    await service.database.run('UPDATE calls SET next_turn = 4999 WHERE id = $1', [chat.id]);
    chat.server.clients[0]?.send({ ...interrupt, interrupt_id: 2, content: 'Still there?' });
    const call = await eventually(async () => {
      const found = await chat.call();
      return found.status !== 'ongoing' && found;
    });
    assert.deepEqual([call.status, call.endReason, call.endDetail], ['ended', 'max_duration', '5000 turns']);
    await eventually(async () => chat.server.closedWith.length === 1);
  });

  it('a server that closes with 1000 between two messages ends the chat', async () => {
    const chat = await chatOn({ received: echo });
    await chat.say('Hello');
    chat.server.clients[0]?.socket.close(1000);
    await eventually(async () => (await chat.call()).status === 'ended');
    assert.equal((await chat.call()).endReason, 'agent_hangup');
  });

  it('a connection that is lost between two messages is opened again with the next', async () => {
    const chat = await chatOn({ received: echo });
    await chat.say('Hello');
    chat.server.clients[0]?.socket.terminate();
    await eventually(async () => chat.server.closedWith.length === 1);
    const answer = await chat.say('Again');
    assert.deepEqual(said(answer.json.turns).at(-1), ['agent', 'You said: Again']);
    const [update] = chat.server.received.filter(({ interaction_type: type }) => type === 'update_only').slice(-2);
    assert.ok((update?.transcript?.length ?? 0) >= 3);
    // The service may notice only when it asks.
    const last = chat.server.received.findLast(({ response_id: id }) => id !== undefined);
    assert.ok((last?.response_id ?? 0) >= 2);
  });

  it('tools that the server runs are in the transcript and the events', async () => {
    const chat = await chatOn({
      received: (frame, client) => {
        if (frame.interaction_type !== 'response_required') return;
        const tool = { tool_call_id: 'abc' };
        client.send({ response_type: 'tool_call_invocation', ...tool, name: 'book', arguments: '{"day":"Friday"}' });
        client.send({ response_type: 'tool_call_result', ...tool, content: 'ok' });
        client.respond(frame.response_id, 'Booked.');
      },
    });
    const { turns } = (await chat.say('Book')).json;
    assert.deepEqual(
      turns.map(({ role }: { role: string }) => role),
      ['caller', 'tool', 'agent'],
    );
    assert.match(turns[1].toolCall.id, /^tcl_/);
    const types = (await chat.events()).map(({ type }) => type);
    assert.ok(types.includes('tool_called') && types.includes('tool_returned'));
  });

  it('what the storage setting does not keep is still sent to the server', async () => {
    const chat = await chatOn({ received: echo }, { dataStorageSetting: 'basic_attributes_only' });
    await chat.say('My name is Taro');
    await chat.say('Again');
    const last = chat.server.received.findLast(({ interaction_type: type }) => type === 'response_required');
    assert.equal(last?.transcript?.[0]?.content, 'My name is Taro');
  });

  it('a strict server is told its mistakes; a server that takes the first protocol is not strict', async () => {
    const strict = await chatOn({
      isStrict: true,
      received: (frame, client) => {
        if (frame.interaction_type !== 'response_required') return;
        client.send({ response_type: 'nonsense' });
        client.respond(frame.response_id, 'Fine.');
      },
    });
    await strict.say('Hello');
    assert.deepEqual(
      strict.server.received.flatMap(({ code }) => code ?? []),
      ['UNKNOWN_TYPE'],
    );
    assert.deepEqual(warnings(await strict.events()), ['UNKNOWN_TYPE']);
    for (const isStrict of [undefined, false]) {
      const plain = await chatOn({
        ...(isStrict !== undefined && { isStrict }),
        received: (frame, client) => {
          client.send({ response_type: 'nonsense' });
          echo(frame, client);
        },
      });
      assert.equal((await plain.say('Hello')).status, 200);
      assert.ok(plain.server.received.every(({ interaction_type: type }) => type !== 'error'));
    }
  });
});

describe('a custom LLM server that fails', () => {
  const service = useService(sqliteEngine());
  /** Only for a server that never replies: a busy machine needs longer than a twentieth of the timeouts for 10 MB. */
  const quick = useService(sqliteEngine(), { calls: { clock: quickTime() } });

  const chatAt = async (url: string, { of = service } = {}) => {
    const { key } = await of.newKey();
    const made = await newChat(of, key, { agent: custom(url) });
    return on(of, key, made.id);
  };

  it('cannot be reached: 502, and the call ends as llm_connect_failed', async () => {
    const { url, close } = await startLlmServer({});
    await close();
    const chat = await chatAt(url, { of: quick });
    const answer = await chat.say('Hello');
    assert.equal(answer.status, 502);
    assert.equal(answer.json.error.details.provider, 'custom_llm');
    const call = await chat.call();
    assert.deepEqual([call.status, call.endReason], ['error', 'llm_connect_failed']);
    assert.equal(call.endDetail, 'The connection could not be established.');
  });

  it('sends 10 MB: the call ends in time and says why', async () => {
    const { url } = await startLlmServer({
      received: (frame, client) => {
        if (frame.interaction_type === 'response_required') client.respond(frame.response_id, 'x'.repeat(10_000_000));
      },
    });
    const chat = await chatAt(url);
    assert.equal((await chat.say('Hello')).status, 502);
    const call = await chat.call();
    assert.deepEqual(
      [call.endReason, call.endDetail],
      ['llm_failed', 'the custom LLM server sent a frame of more than 1024 KiB'],
    );
  });

  it('a frame of 300 KB is rejected, and the reply goes on', async () => {
    const { url } = await startLlmServer({
      received: (frame, client) => {
        if (frame.interaction_type !== 'response_required') return;
        client.respond(frame.response_id, 'x'.repeat(300_000));
        client.respond(frame.response_id, 'Fine.');
      },
    });
    const chat = await chatAt(url);
    assert.deepEqual(said((await chat.say('Hello')).json.turns).at(-1), ['agent', 'Fine.']);
    assert.deepEqual(warnings(await chat.events()), ['TOO_LARGE']);
  });

  it('closes mid-response without having asked for a new connection: 502, llm_failed', async () => {
    const { url } = await startLlmServer({
      received: (frame, client) => {
        if (frame.interaction_type !== 'response_required') return;
        client.respond(frame.response_id, 'Well', { content_complete: false });
        client.socket.close(1011);
      },
    });
    const chat = await chatAt(url);
    assert.equal((await chat.say('Hello')).status, 502);
    assert.equal((await chat.call()).endReason, 'llm_failed');
  });

  it('closes mid-response and comes back: the reply goes on', async () => {
    const { url } = await startLlmServer({
      connected: (client) => client.send({ response_type: 'config', config: { auto_reconnect: true } }),
      received: (frame, client) => {
        if (frame.response_id === 1) {
          client.respond(1, 'Your table ', { content_complete: false });
          setTimeout(() => client.socket.close(1012), 20);
        } else if (frame.response_id === 2) client.respond(2, 'is booked.');
        else echo(frame, client);
      },
    });
    const chat = await chatAt(url);
    assert.deepEqual(said((await chat.say('Hello')).json.turns).at(-1), ['agent', 'Your table is booked.']);
    assert.deepEqual(warnings(await chat.events()), ['llm_connection_lost', 'llm_reconnected']);
  });
});

describe('a web call on a custom LLM', () => {
  const service = useService(sqliteEngine());

  it('greets, answers by voice, and passes metadata to the page', async () => {
    const server = await startLlmServer({
      connected: (client) => {
        client.respond(0, 'Good morning.');
        client.send({ response_type: 'metadata', metadata: { page: 2 } });
      },
      received: echo,
    });
    const { key } = await service.newKey();
    const agent = custom(server.url, unopened);
    const { client, caller, ...call } = await spokenCall(service, key, { agent });
    assert.deepEqual((await client.next('metadata')).metadata, { page: 2 });
    await client.said('Good morning.');
    await caller.say('hello', 'there');
    await client.said('You said: hello there');
    client.send({ type: 'end' });
    await client.next('ended');
    assert.equal((await call.call()).engine, 'custom_llm');
    await eventually(async () => server.closedWith.length === 1);
    assert.deepEqual(server.closedWith, [1000]);
    const turntaking = server.received.flatMap((frame) => ('turntaking' in frame ? [frame.turntaking] : []));
    assert.ok(turntaking.includes('user_turn') && turntaking.includes('agent_turn'));
  });

  it('metadata reaches the page of a chat over a socket', async () => {
    const server = await startLlmServer({
      received: (frame, client) => {
        if (frame.interaction_type !== 'response_required') return;
        client.send({ response_type: 'metadata', metadata: 'now' });
        client.respond(frame.response_id, 'Fine.');
      },
    });
    const { key } = await service.newKey();
    const made = await newChat(service, key, { agent: custom(server.url) });
    const client = await joined(connect(service, made.id, withToken(made.access.token)));
    await client.start({ type: 'start' });
    client.send({ type: 'text', text: 'Hello' });
    assert.equal((await client.next('metadata')).metadata, 'now');
    await client.said('Fine.');
    await client.drop();
  });
});
