import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { defaultTimeouts } from '../../src/config.ts';
import { maxFileBytes } from '../../src/contract/knowledge/document.ts';
import { calledAgain, spokenCall } from '../areas/calls/live/caller.ts';
import { eventually, gate, type ModelDouble, modelDouble, newChat, on, said } from '../areas/calls/support.ts';
import { fileOf, knowledgeClient, put } from '../areas/knowledge/client.ts';
import { createAgent, send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { httpReceiver } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';
import { proxyNames, type RunningProxy, shipped, skipOf, startProxy } from './proxies.ts';

const mebibyte = 1024 * 1024;

for (const name of proxyNames) {
  describe(`deploy/ behind ${name}`, { skip: skipOf(name) }, () => {
    const folder = mkdtempSync(join(tmpdir(), `voice-agents-${name}-`));
    const engine = sqliteEngine();
    let proxy: RunningProxy;
    let one: Service;
    let other: Service;
    let model: ModelDouble;
    let key: string;

    before(async () => {
      model = await modelDouble();
      const calls = { llm: model.llm, live: { pollMs: 10 } };
      const options = { mediaFolder: join(folder, 'media'), trustedProxies: ['127.0.0.1/32'], calls };
      one = await startService(engine, options);
      other = await startService(engine, { ...options, databaseUrl: one.databaseUrl });
      ({ key } = await one.newKey());
      proxy = await startProxy(name, { folder, instancePorts: [one.port, other.port] });
    });
    after(async () => {
      await proxy.end();
      await other.close();
      await one.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('a chat works', async () => {
      const { id } = await newChat(proxy, key);
      const chat = on(proxy, key, id);
      assert.equal((await chat.say('Hello')).status, 200);
      assert.deepEqual(said(await chat.turns()), [
        ['caller', 'Hello'],
        ['agent', 'Hello'],
      ]);
    });

    it('events of a streamed reply arrive as they are sent', async () => {
      const held = gate();
      const receiver = await httpReceiver(async (_request, response) => {
        await held.opened;
        response.end('{"free":true}');
      });
      const tool = { name: 'book', description: 'Books.', parameters: { type: 'object', properties: {} } };
      const agentSettings = { tools: [{ ...tool, url: `http://127.0.0.1:${receiver.port}/` }] };
      const { id } = await newChat(proxy, key, { model: 'gpt-5.4-mini', agent: { agentSettings } });
      model.play({ text: 'One moment.', tools: [{ name: 'book', arguments: '{}' }] }, { text: 'It is booked.' });
      const response = await fetch(`${proxy.url}/api/v1/calls/${id}/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: '{"text":"Book it"}',
      });
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
      let text = '';
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk);
        // The tool returns only after its event has arrived here.
        if (text.includes('event: tool')) held.open();
      }
      assert.match(text, /event: tool[\s\S]*event: done/);
    });

    it('a live call connects, and resumes after its connection was lost', async () => {
      const { id, client, caller, ready, resumeKey } = await spokenCall(proxy, key, {
        agent: { agentSettings: { calls: { recordingEnabled: true } } },
      });
      assert.deepEqual(ready.capabilities, { speechIn: true, speechOut: true, recording: true });
      await caller.say('hello', 'there');
      await client.said('hello there');
      await client.drop();
      const next = await calledAgain(proxy, id, resumeKey);
      await next.caller.say('again');
      await next.client.said('again');
      next.client.send({ type: 'end' });
      await next.client.closed;
      const call = on(proxy, key, id);
      await eventually(async () => (await call.call()).recording.status === 'available');
      const { json } = await call.recording();
      const file = await fetch(`${proxy.url}${json.url}`, { headers: { range: 'bytes=0-43' } });
      assert.deepEqual([file.status, (await file.arrayBuffer()).byteLength], [206, 44]);
    });

    it('a long poll returns when there is something new, or when its time is over', async () => {
      const { id } = await newChat(proxy, key);
      const chat = on(proxy, key, id);
      const first = await chat.eventPage('?limit=200');
      const cursor = encodeURIComponent(first.json.pagination.nextCursor);
      const waiting = chat.eventPage(`?waitSeconds=25&cursor=${cursor}`);
      await chat.say('Hello');
      const page = await waiting;
      assert.equal(page.status, 200);
      assert.ok(page.json.items.length > 0);
      await eventually(async () => (await chat.turns()).length === 2);
      const all = await chat.eventPage('?limit=200');
      const empty = await chat.eventPage(`?waitSeconds=1&cursor=${encodeURIComponent(all.json.pagination.nextCursor)}`);
      assert.deepEqual([empty.status, empty.json.items], [200, []]);
    });

    it('agents of 1 MiB are stored, and larger ones get the error of the service', async () => {
      const size = mebibyte - 2000;
      const agent = await createAgent(proxy, key, { agentSettings: { notes: 'x'.repeat(size) } });
      assert.equal((agent.agentSettings as { notes: string }).notes.length, size);
      const read = await send(proxy, 'GET', `/api/v1/agents/${agent.id}`, { key });
      assert.equal(read.status, 200);
      for (const length of [1.5 * mebibyte, 3 * mebibyte, 20 * mebibyte]) {
        const answer = await upload(proxy.port, key, 'x'.repeat(length));
        assert.equal(answer.status, 400, `${length} bytes: ${answer.text}`);
        const { error } = JSON.parse(answer.text);
        assert.equal(error.code, 'VALIDATION_ERROR');
        assert.deepEqual(error.details, { fieldErrors: {}, formErrors: ['the body is larger than 1 MiB'] });
      }
    });

    it('documents of knowledge bases are received in their full size', async () => {
      const client = knowledgeClient(proxy, key);
      const base = await client.base({ name: `of ${name}` });
      // Not a PDF file, so that nothing reads all of it.
      const content = 'x'.repeat(maxFileBytes);
      const document = await client.add(base.id, fileOf('notes.pdf', content));
      const { status, json } = await put(proxy, document, content);
      assert.deepEqual([status, json.sizeBytes], [200, Buffer.byteLength(content)]);
    });

    it('the service knows the address of a client, which the client cannot choose', async () => {
      const logged = async (headers: Record<string, string>, localAddress: string) => {
        const requestId = `req-${Math.random().toString(36).slice(2)}`;
        const response = await get(proxy.port, '/healthz', { ...headers, 'x-request-id': requestId }, localAddress);
        assert.equal(response.status, 200);
        return [...one.log, ...other.log].find((line) => line.requestId === requestId)?.address;
      };
      assert.equal(await logged({}, '127.0.0.2'), '127.0.0.2');
      assert.equal(await logged({ 'x-forwarded-for': '203.0.113.1' }, '127.0.0.3'), '127.0.0.3');
      assert.equal(await logged({ 'x-forwarded-for': '203.0.113.1, 127.0.0.1' }, '127.0.0.4'), '127.0.0.4');
    });

    it('metrics are not exposed', async () => {
      const answer = await get(proxy.port, '/metrics');
      assert.equal(answer.status, 404);
      assert.equal(JSON.parse(answer.text).error.code, 'NOT_FOUND');
    });

    it('the other instance is used while one is away, and without any the error says so', async () => {
      await other.close();
      for (let at = 0; at < 10; at += 1) {
        const answer = await send(proxy, 'GET', '/api/v1/agents?limit=1', { key });
        assert.equal(answer.status, 200, answer.text);
      }
      await one.close();
      const answer = await get(proxy.port, '/api/v1/agents', { authorization: `Bearer ${key}` });
      assert.deepEqual(
        [answer.status, JSON.parse(answer.text).error.code, answer.headers['retry-after']],
        [503, 'SERVICE_UNAVAILABLE', '1'],
      );
      one = await startService(engine);
      other = await startService(engine);
    });
  });
}

describe('the configurations in deploy/', () => {
  it('wait longer than any operation takes, and close idle connections before the service does', () => {
    const nginx = shipped('nginx.conf', []);
    assert.ok(Number(/proxy_read_timeout (\d+)s;/.exec(nginx)?.[1]) > 300);
    const caddy = shipped('Caddyfile', []);
    const idleSeconds = Number(/keepalive (\d+)s\n/.exec(caddy)?.[1]);
    assert.ok(idleSeconds * 1000 < defaultTimeouts.keepAliveMs);
    // The default of nginx.
    assert.doesNotMatch(nginx, /keepalive_timeout/);
    assert.ok(60_000 < defaultTimeouts.keepAliveMs);
  });
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

async function get(port: number, path: string, headers = {}, localAddress = '127.0.0.1'): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port, path, headers, localAddress, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await readText(response) };
}

const pieceLength = 64 * 1024;

/** Reads the response while it is still sending: a proxy need not read all of it. */
async function upload(port: number, key: string, body: string): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const sent = request({ host: '127.0.0.1', port, path: '/api/v1/agents', method: 'POST', headers, agent: false });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let isOver = false;
  const answered = promise.finally(() => {
    isOver = true;
  });
  answered.catch(() => {});
  sent.once('response', resolve);
  sent.once('error', reject);
  // In pieces, up to the response: what is sent after it may be answered with a reset, which would hide it.
  for (let start = 0; start < body.length && !isOver; start += pieceLength) {
    const isFull = !sent.write(body.slice(start, start + pieceLength));
    if (isFull) await Promise.race([once(sent, 'drain').catch(() => {}), answered.catch(() => {})]);
    await nextIteration();
  }
  if (!isOver) sent.end();
  const response = await answered;
  const answer = { status: response.statusCode, headers: response.headers, text: await readText(response) };
  sent.destroy();
  return answer;
}
