import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, describe, it } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { Lifecycle } from '../../src/http/shutdown.ts';
import { createAgent, send } from '../support/client.ts';
import { onPostgres, postgresEngine, sqliteEngine } from '../support/engines.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { type Service, startService, useService } from '../support/service.ts';
import { settle } from '../support/settle.ts';

describe('requests on a connection', () => {
  const engine = sqliteEngine();
  const service = useService(engine);
  let key: string;
  let agent: Agent;
  before(async () => {
    ({ key } = await service.newKey());
    agent = await createAgent(service, key, { name: '銀座店' });
    await createAgent(service, key, { name: 'long', prompt: '長い'.repeat(20_000) });
  });

  const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n${more}`;
  const withBody = (line: string, body: string, more = '') =>
    `${head(line, `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}`)}\r\n${body}`;

  const requests = () => [
    `${head(`GET /api/v1/agents/${agent.id}`)}\r\n`,
    `${head('GET /api/v1/agents?limit=1')}\r\n`,
    `${head('GET /api/v1/agents')}\r\n`,
    `${head(`GET /api/v1/agents?q=${encodeURIComponent('銀座')}`)}\r\n`,
    withBody('POST /api/v1/agents', JSON.stringify({ name: '受付', voiceId: 'v' })),
  ];

  it('are parsed wherever the input is split', async () => {
    const bytes = Buffer.from(withBody('POST /api/v1/agents', JSON.stringify({ name: '受付', voiceId: 'v' })));
    for (let cut = 1; cut < bytes.length; cut += 7) {
      const socket = connect(service.port, '127.0.0.1').setNoDelay();
      const answer = once(socket, 'data');
      socket.write(bytes.subarray(0, cut));
      await settle(service);
      socket.write(bytes.subarray(cut));
      assert.match(String((await answer)[0]), /^HTTP\/1\.1 201 /, `cut at ${cut}`);
      socket.destroy();
    }
  });

  it('are answered in order if the client does not wait', async () => {
    const create = withBody('POST /api/v1/agents', JSON.stringify({ name: 'x', voiceId: 'v' }));
    const read = `${head(`GET /api/v1/agents/${agent.id}`)}\r\n`;
    const last = `${head('GET /api/v1/agents/agt_x', 'Connection: close\r\n')}\r\n`;
    const socket = connect(service.port, '127.0.0.1').setNoDelay();
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // Split, so that parts arrive before and during the first request.
    for (const piece of [create, read, create + read, last]) {
      socket.write(piece);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    await once(socket, 'close');
    const statuses = [
      ...Buffer.concat(chunks)
        .toString()
        .matchAll(/HTTP\/1\.1 (\d+) /g),
    ].map(([, status]) => status);
    assert.deepEqual(statuses, ['201', '200', '201', '200', '404']);
  });

  it('are answered after the client has half-closed its connection', async () => {
    for (const bytes of requests()) {
      const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.end(bytes);
      await once(socket, 'end');
      socket.destroy();
      assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 20[01] /);
    }
  });

  it('get a complete response if the client reads slowly', async () => {
    const request = `${head('GET /api/v1/agents')}\r\n`;
    const [whole] = await sendRaw(service.port, request, { answers: 1 });
    const socket = connect(service.port, '127.0.0.1');
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      socket.pause();
      setImmediate(() => socket.resume());
    });
    for (let count = 0; count < 30; count += 1) {
      socket.write(request);
      const isWhole = () => received.toString().endsWith(whole?.body ?? 'nothing');
      while (!isWhole()) await nextTurn();
      received = Buffer.alloc(0);
    }
    socket.destroy();
  });
});

describe('connections', () => {
  const engine = sqliteEngine();
  const talk = async (service: Service, key: string) => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`GET /api/v1/agents HTTP/1.1\r\nX-API-Key: ${key}\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    return { socket, answer: String(answer) };
  };

  it('are closed with the last response during shutdown, which announces it', async () => {
    const lifecycle = new Lifecycle();
    const service = await startService(engine, { lifecycle });
    const { key } = await service.newKey();
    const { socket, answer } = await talk(service, key);
    assert.match(answer, /\r\nConnection: keep-alive\r\n/);
    lifecycle.stage = 'closing';
    const closed = once(socket, 'close');
    socket.write(`GET /api/v1/agents HTTP/1.1\r\nX-API-Key: ${key}\r\n\r\n`);
    const [last] = await once(socket, 'data');
    assert.match(String(last), /\r\nConnection: close\r\n/i);
    await closed;
    await service.close();
  });

  it(`get all outstanding responses before the last one announces the close`, async () => {
    const lifecycle = new Lifecycle();
    const service = await startService(engine, { lifecycle });
    const { key } = await service.newKey();
    const request = `GET /api/v1/agents HTTP/1.1\r\nX-API-Key: ${key}\r\n\r\n`;
    lifecycle.stage = 'closing';
    const answers = await sendRaw(service.port, request.repeat(3));
    assert.deepEqual(
      answers.map(({ headers }) => headers.get('connection')),
      ['keep-alive', 'keep-alive', 'close'],
    );
    await service.close();
  });

  it(`are not closed during a response that is read slowly`, async () => {
    const lifecycle = new Lifecycle();
    const service = await startService(engine, { lifecycle });
    const { key } = await service.newKey();
    for (let count = 0; count < 40; count += 1) await createAgent(service, key, { prompt: 'x'.repeat(200_000) });
    lifecycle.stage = 'closing';
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`GET /api/v1/agents?limit=100 HTTP/1.1\r\nX-API-Key: ${key}\r\n\r\n`);
    await once(socket, 'readable');
    const closing = service.close();
    // Enough iterations to close what must not be closed: the service runs in this process.
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.once('error', () => {});
    await once(socket, 'close');
    assert.ok(received > 40 * 200_000, `${received} bytes of more than eight million`);
    await closing;
  });
  it('do not block shutdown when idle, whether they have been used or not', async () => {
    const service = await startService(engine);
    const { key } = await service.newKey();
    const { socket } = await talk(service, key);
    const unused = connect(service.port, '127.0.0.1');
    await once(unused, 'connect');
    const closed = Promise.all([once(socket, 'close'), once(unused, 'close')]);
    for (const other of [socket, unused]) other.on('error', () => {});
    await service.close();
    await closed;
  });

  it('do not block shutdown if the rest of a body arrives after it was rejected', async () => {
    const service = await startService(engine);
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`POST /api/v1/agents HTTP/1.1\r\nContent-Length: 4000000\r\n\r\n`);
    await once(socket, 'data');
    await new Promise((resolve) => socket.write('x'.repeat(4_000_000), resolve));
    // On another connection: by then, everything sent on this one has been read.
    assert.equal((await send(service, 'GET', '/healthz')).status, 200);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    // Far below the keep-alive timeout of 72 seconds.
    await Promise.race([
      service.close(),
      delay(50_000, null, { ref: false }).then(() => assert.fail('the service does not close')),
    ]);
    await closed;
  });

  it('are closed without a response if they never send anything', async () => {
    const service = await startService(engine, { timeouts: { headersMs: 200, requestMs: 400 } });
    const socket = connect(service.port, '127.0.0.1');
    socket.resume();
    await once(socket, 'close');
    assert.equal(socket.bytesRead, 0);
    await service.close();
  });
});

describe('a client that has half-closed its connection', onPostgres, () => {
  const engine = postgresEngine();
  const service = useService(engine);

  it('gets all its responses, however many there are', async () => {
    const { key } = await service.newKey();
    const { id } = await createAgent(service, key);
    const read = `GET /api/v1/agents/${id} HTTP/1.1\r\nX-API-Key: ${key}\r\n\r\n`;
    for (const requests of [[read], [read, read, read]]) {
      const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.end(requests.join(''));
      await once(socket, 'end');
      socket.destroy();
      const answers = Buffer.concat(chunks)
        .toString()
        .match(/HTTP\/1\.1 200 /g);
      assert.equal(answers?.length, requests.length);
    }
  });
});
