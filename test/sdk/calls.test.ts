import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import {
  BadGatewayError,
  type CallMessageEvent,
  ConcurrencyLimitError,
  ConnectionError,
  ProviderNotConfiguredError,
  StateConflictError,
  VoiceAgents,
  type VoiceAgentsOptions,
} from '../../sdk/src/index.ts';
import { collect } from './support/started-service.ts';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse) => void;

/** A client of a server that gives these answers, one per request; the last one again and again. */
async function clientOf(context: TestContext, answers: readonly Answer[], options: VoiceAgentsOptions = {}) {
  const sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    sent.push({ method, url, headers, body: await text(request) });
    answers[Math.min(sent.length, answers.length) - 1]?.(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { sent, client: new VoiceAgents({ apiKey: 'vak_x', baseUrl, ...options }) };
}

const json =
  (body: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(JSON.stringify(body));
  };
const refusal = (status: number, code: string, details: unknown = null): Answer =>
  json({ error: { code, message: 'No.', details, requestId: 'req_1' } }, status);
const drop: Answer = (response) => void response.destroy();

const reply = { turns: [], status: 'ongoing' };
const sse = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const hello = [
  sse('text', { turn: 1, delta: 'こん' }),
  sse('tool', { name: 'book' }),
  sse('text', { turn: 1, delta: 'にちは' }),
];

/** Bytes of a stream, one write each; without an end if it breaks off. */
const stream =
  (pieces: readonly (string | Uint8Array)[], { breaksOff = false } = {}): Answer =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
    if (breaksOff) response.destroy();
    else response.end();
  };

const keysOf = (sent: readonly Sent[]) => sent.map(({ headers }) => headers['idempotency-key']);

describe('a streamed message', () => {
  it('delivers its events in order, and the reply at the end', async (context) => {
    const { client, sent } = await clientOf(context, [stream([...hello, sse('done', reply)])]);
    const message = client.calls.messages.stream('call_1', { text: 'やあ' });
    assert.deepEqual(await collect(message), [
      { type: 'text', turn: 1, delta: 'こん' },
      { type: 'tool', name: 'book' },
      { type: 'text', turn: 1, delta: 'にちは' },
      { type: 'done', reply },
    ]);
    assert.deepEqual(await message.finalReply(), reply);
    assert.equal((await collect(message)).length, 4, 'it can be read again');
    assert.equal(sent.length, 1);
    assert.deepEqual(
      [sent[0]?.url, sent[0]?.headers.accept, sent[0]?.body],
      ['/api/v1/calls/call_1/messages', 'text/event-stream', '{"text":"やあ"}'],
    );
    assert.match(sent[0]?.headers['idempotency-key'] as string, /^[0-9a-f]{32}$/);
  });

  it('is read however its bytes are cut', async (context) => {
    const bytes = Buffer.from([...hello, ': keep-alive\n\n', sse('later', {}), sse('done', reply)].join(''));
    const { client } = await clientOf(context, [stream(Array.from(bytes, (byte) => Uint8Array.of(byte)))]);
    const events = await collect(client.calls.messages.stream('call_1'));
    assert.equal(events.map((event) => (event.type === 'text' ? event.delta : '')).join(''), 'こんにちは');
  });

  it('throws the error of an error event, as its class', async (context) => {
    const error = { code: 'UPSTREAM_ERROR', message: 'The model failed.', details: {}, requestId: 'req_9' };
    const { client } = await clientOf(context, [stream([hello[0] as string, sse('error', { error })])]);
    const message = client.calls.messages.stream('call_1', { text: 'a' });
    const events: CallMessageEvent[] = [];
    const failure = await (async () => {
      for await (const event of message) events.push(event);
    })().catch((reason: unknown) => reason);
    assert.equal(events.length, 1);
    assert.ok(failure instanceof BadGatewayError);
    assert.deepEqual([failure.status, failure.code, failure.requestId], [502, 'UPSTREAM_ERROR', 'req_9']);
    await assert.rejects(message.finalReply(), BadGatewayError);
  });

  it('is sent again with the same key if nothing was delivered', async (context) => {
    const error = { error: { code: 'UPSTREAM_ERROR', message: 'The model failed.' } };
    const { client, sent } = await clientOf(context, [
      refusal(502, 'UPSTREAM_ERROR'),
      stream([sse('error', error)]),
      stream([...hello, sse('done', reply)]),
    ]);
    assert.equal((await collect(client.calls.messages.stream('call_1', { text: 'a' }))).length, 4);
    assert.equal(new Set(keysOf(sent)).size, 1);
    assert.equal(sent.length, 3);
  });

  it('shows no text twice after a broken connection', async (context) => {
    const { client, sent } = await clientOf(context, [
      stream(hello, { breaksOff: true }),
      stream([...hello, sse('done', reply)]),
    ]);
    const events = await collect(client.calls.messages.stream('call_1', { text: 'a' }));
    assert.deepEqual(
      events.map(({ type }) => type),
      ['text', 'tool', 'text', 'done'],
    );
    assert.equal(new Set(keysOf(sent)).size, 1);
  });

  it('is incomplete without its last event', async (context) => {
    const { client } = await clientOf(context, [stream(hello)], { maxRetries: 0 });
    await assert.rejects(client.calls.messages.stream('call_1', { text: 'a' }).finalReply(), ConnectionError);
  });

  it('is one event if a proxy does not stream', async (context) => {
    const { client } = await clientOf(context, [json(reply)]);
    assert.deepEqual(await collect(client.calls.messages.stream('call_1')), [{ type: 'done', reply }]);
  });

  it('can be aborted, by itself and by a signal', async (context) => {
    const silent: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(hello[0]);
    };
    const { client } = await clientOf(context, [silent]);
    const first = client.calls.messages.stream('call_1', { text: 'a' });
    for await (const event of first) {
      assert.equal(event.type, 'text');
      break;
    }
    first.abort(new Error('enough'));
    await assert.rejects(first.finalReply(), /enough/);
    const stop = new AbortController();
    const second = client.calls.messages.stream('call_1', { text: 'a' }, { signal: stop.signal });
    stop.abort(new Error('stop'));
    await assert.rejects(collect(second), /stop/);
    const third = client.calls.messages.stream('call_1', { text: 'a' }, { signal: stop.signal });
    await assert.rejects(third.finalReply(), /stop/);
  });

  it('reports nothing if nobody asks', async (context) => {
    const { client, sent } = await clientOf(context, [refusal(404, 'NOT_FOUND')]);
    client.calls.messages.stream('call_1');
    // The first one has failed by then: an unhandled rejection would fail the test.
    while (sent.length < 3) await assert.rejects(client.calls.messages.stream('call_1').finalReply());
  });
});

describe('a message', () => {
  it('is sent again with the same key after a 502 and a lost connection', async (context) => {
    const { client, sent } = await clientOf(context, [refusal(502, 'UPSTREAM_ERROR'), drop, json(reply)]);
    assert.deepEqual(await client.calls.messages.create('call_1', { text: 'a' }), reply);
    assert.equal(sent.length, 3);
    assert.equal(new Set(keysOf(sent)).size, 1);
  });

  it('is not sent again if the service says that it does not help', async (context) => {
    const { client, sent } = await clientOf(context, [refusal(502, 'UPSTREAM_ERROR', { retryable: false })]);
    await assert.rejects(client.calls.messages.create('call_1', { text: 'a' }), BadGatewayError);
    assert.equal(sent.length, 1);
  });
});

describe('the errors of calls', () => {
  it('have classes of their own', async (context) => {
    const details = { status: 'ended', allowed: ['ongoing'], reason: null };
    const { client, sent } = await clientOf(
      context,
      [
        refusal(409, 'STATE_CONFLICT', details),
        refusal(429, 'CONCURRENCY_LIMIT_REACHED', { pool: 'chat', limit: 2, active: 2 }),
        refusal(503, 'PROVIDER_NOT_CONFIGURED', { capability: 'carrier' }),
      ],
      { maxRetries: 0 },
    );
    const create = () => client.calls.create({ type: 'chat', agentId: 'a' });
    const thrown = async () =>
      create().then(
        () => null,
        (error: unknown) => error,
      );
    const conflict = await thrown();
    assert.ok(conflict instanceof StateConflictError);
    assert.deepEqual([conflict.state, conflict.allowed, conflict.reason], ['ended', ['ongoing'], null]);
    const full = await thrown();
    assert.ok(full instanceof ConcurrencyLimitError);
    assert.deepEqual([full.pool, full.limit, full.active, full.retryAfterMs], ['chat', 2, 2, 0]);
    const missing = await thrown();
    assert.ok(missing instanceof ProviderNotConfiguredError);
    assert.equal(missing.capability, 'carrier');
    const retrying = new VoiceAgents({ apiKey: 'k', baseUrl: `http://${sent[0]?.headers.host}` });
    await assert.rejects(retrying.calls.create({ type: 'phone', agentId: 'a' }), ProviderNotConfiguredError);
    assert.equal(sent.length, 4, 'it is not sent again, because that does not help');
  });
});

describe('the lists of calls', () => {
  const pageOf = (items: unknown[], nextCursor: string | null): Answer => json({ items, pagination: { nextCursor } });

  it('send several values as one parameter', async (context) => {
    const { client, sent } = await clientOf(context, [pageOf([], null)]);
    const query = { status: ['ongoing', 'ended'], agentId: 'agt_1', successful: false, limit: 5 } as const;
    await client.calls.list(query);
    assert.equal(sent[0]?.url, '/api/v1/calls?status=ongoing%2Cended&agentId=agt_1&successful=false&limit=5');
  });

  it('search with the cursor and the filter in the body', async (context) => {
    const { client, sent } = await clientOf(context, [
      pageOf([{ id: 1 }], 'c'),
      pageOf([], 'd'),
      pageOf([{ id: 2 }], null),
    ]);
    const filter = { field: 'status', op: 'eq', value: 'ended' } as const;
    const found = await collect(client.calls.search({ filter, limit: 1 }));
    assert.deepEqual(found, [{ id: 1 }, { id: 2 }]);
    assert.deepEqual(
      sent.map(({ method, url, body }) => [method, url, JSON.parse(body)]),
      [
        ['POST', '/api/v1/calls/search', { filter, limit: 1 }],
        ['POST', '/api/v1/calls/search', { filter, limit: 1, cursor: 'c' }],
        ['POST', '/api/v1/calls/search', { filter, limit: 1, cursor: 'd' }],
      ],
    );
  });

  it('wait for the next events of an open call only after the first page', async (context) => {
    const { client, sent } = await clientOf(context, [pageOf([1], 'c'), pageOf([2], null)]);
    assert.deepEqual(await collect(client.calls.events.list('call_1') as AsyncIterable<unknown>), [1, 2]);
    assert.deepEqual(
      sent.map(({ url }) => url),
      ['/api/v1/calls/call_1/events', '/api/v1/calls/call_1/events?waitSeconds=20&cursor=c'],
    );
  });

  it('follow a call to its end, and continue after a lost connection where they were', async (context) => {
    const { client, sent } = await clientOf(context, [
      pageOf([1, 2], 'c'),
      drop,
      refusal(503, 'SERVICE_UNAVAILABLE'),
      pageOf([], 'd'),
      pageOf([3], null),
    ]);
    assert.deepEqual(
      await collect(client.calls.events.follow('call_1', { waitSeconds: 5 }) as AsyncIterable<unknown>),
      [1, 2, 3],
    );
    assert.deepEqual(
      sent.map(({ url }) => url.replace('/api/v1/calls/call_1/events', '')),
      ['?waitSeconds=5', ...Array(3).fill('?waitSeconds=5&cursor=c'), '?waitSeconds=5&cursor=d'],
    );
  });

  it('stop following for a reason that does not pass, and on request', async (context) => {
    const { client } = await clientOf(context, [refusal(404, 'NOT_FOUND')]);
    await assert.rejects(collect(client.calls.events.follow('call_1')), { name: 'NotFoundError' });
    const other = await clientOf(context, [drop]);
    const signal = AbortSignal.timeout(50);
    await assert.rejects(collect(other.client.calls.events.follow('call_1', { signal })), { name: 'TimeoutError' });
  });
});

describe('the link to a recording', () => {
  const link = { callId: 'call_1', url: '/media/v1/a.b', format: 'wav', channels: 2 };

  it('can be opened as it is, also without a PUBLIC_URL and below a path', async (context) => {
    const { client } = await clientOf(context, [json(link)]);
    const { url, ...rest } = await client.calls.recording.get('call_1');
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/media\/v1\/a\.b$/);
    assert.deepEqual(rest, { callId: 'call_1', format: 'wav', channels: 2 });
    const { data, response } = await client.calls.recording.get('call_1').withResponse();
    assert.deepEqual([data.url, response.status], [url, 200]);
    const fetchLink = async () => Response.json(link);
    const below = new VoiceAgents({ apiKey: 'vak_x', baseUrl: 'https://example.com/voice/', fetch: fetchLink });
    assert.equal((await below.calls.recording.get('call_1')).url, 'https://example.com/voice/media/v1/a.b');
  });

  it('is that of the service if it has a PUBLIC_URL', async (context) => {
    const url = 'https://voice.example.com/media/v1/a.b';
    const { client } = await clientOf(context, [json({ ...link, url })]);
    assert.equal((await client.calls.recording.get('call_1')).url, url);
  });
});

describe('an access token', () => {
  it('is sent instead of an API key', async (context) => {
    const { client, sent } = await clientOf(context, [json(reply)], { apiKey: undefined, accessToken: 'vat_a.b-c_d' });
    await client.calls.messages.create('call_1');
    assert.equal(sent[0]?.headers.authorization, 'Bearer vat_a.b-c_d');
  });

  it('is refused together with a key, or if it is malformed', () => {
    const both = () => new VoiceAgents({ apiKey: 'vak_secret', accessToken: 'vat_secret' });
    assert.throws(both, { message: 'Pass either apiKey or accessToken, not both.' });
    for (const accessToken of ['', 'vat_ secret']) {
      assert.throws(
        () => new VoiceAgents({ accessToken }),
        ({ message }: Error) => message.startsWith('accessToken must') && !message.includes('secret'),
      );
    }
  });
});
