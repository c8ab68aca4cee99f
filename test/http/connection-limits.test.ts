import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DatabaseLocation } from '../../src/config.ts';
import { errorBody } from '../../src/contract/errors.ts';
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';
import { createAgent, send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { holdWrites } from '../support/held-writes.ts';
import { RawClient } from '../support/raw-client.ts';
import type { RawAnswer } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';
import { settle } from '../support/settle.ts';

const usual = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 72_000, writeMs: 30_000 };
/** A file whose writes never time out, however long a test locks it. */
const open = (location: DatabaseLocation) => openSqlite((location as { file: string }).file, () => 0);

const read = (path: string, key = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`;

function create(key: string, prompt = '', length = 0): string {
  const body = JSON.stringify({ name: 'Reception', voiceId: 'v', prompt });
  const head = `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${length || body.length}\r\n\r\n${body}`;
}

describe('the timeouts for headers and for a whole request', { concurrency: true }, () => {
  const service = useService(sqliteEngine(), { open, timeouts: { ...usual, headersMs: 1000, requestMs: 2000 } });
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  const assertTimeout = (answer: RawAnswer | undefined, title: string) => {
    assert.equal(answer?.status, 408, title);
    assert.equal(answer.headers.get('connection'), 'close', title);
    assert.equal(errorBody.parse(JSON.parse(answer.body)).error.code, 'REQUEST_TIMEOUT', title);
  };

  it('abort an incomplete request, whether it is the first of its connection or a later one', async () => {
    const halves = {
      'half a request line': 'GET /heal',
      'half a head': 'GET /healthz HTTP/1.1\r\nHost: a\r\n',
      'half a head of an operation': read('/api/v1/whoami', key).slice(0, -2),
      'half a body': create(key, '', 1000),
      'half a chunked body': `${
        create(key)
          .replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
          .split('\r\n\r\n')[0]
      }\r\n\r\n5\r\n{"nam`,
    };
    await Promise.all(
      Object.entries(halves).flatMap(([title, half]) =>
        [0, 1].map(async (earlier) => {
          const client = await RawClient.open(service.port);
          if (earlier === 1) {
            client.write(read('/api/v1/whoami', key));
            await client.receive(1);
          }
          client.write(half);
          const answers = await client.untilClosed();
          assert.equal(answers.length, earlier + 1, title);
          assertTimeout(answers.at(-1), title);
        }),
      ),
    );
  });

  it('close a connection that never sends anything, without a response', async () => {
    const client = await RawClient.open(service.port);
    await client.untilClosed();
    assert.equal(client.text, '');
  });

  it('do not abort a request with a slow handler', async () => {
    const held = holdWrites(service);
    const slow = await RawClient.open(service.port);
    slow.write(create(key));
    await settle(service);
    // Started later, and finished earlier.
    const halves = await Promise.all([RawClient.open(service.port), RawClient.open(service.port)]);
    halves[0].write('GET /healthz HTTP/1.1\r\n');
    halves[1].write(create(key, '', 1000));
    await Promise.all(halves.map((half) => half.untilClosed()));
    held.release();
    assert.deepEqual(
      (await slow.receive(1)).map(({ status }) => status),
      [201],
    );
    slow.destroy();
  });
});

describe('the keep-alive timeout', () => {
  const service = useService(sqliteEngine(), { open, timeouts: { ...usual, keepAliveMs: 100 } });

  it('closes idle connections, and none with a slow handler', async () => {
    const { key } = await service.newKey();
    const held = holdWrites(service);
    const slow = await RawClient.open(service.port);
    slow.write(create(key));
    await settle(service);
    const idle = await Promise.all(
      ['/healthz', '/api/v1/whoami', '/nothing'].map(async (path) => {
        const client = await RawClient.open(service.port);
        client.write(read(path, key));
        await client.receive(1);
        return client;
      }),
    );
    await Promise.all(idle.map((client) => client.untilClosed()));
    for (const client of idle) assert.equal(client.answers.length, 1, 'without a word');
    held.release();
    assert.equal((await slow.receive(1))[0]?.status, 201);
    slow.destroy();
  });
});

describe('the number of connections', () => {
  const service = useService(sqliteEngine(), { limits: { connections: 3 } });

  it('is limited: one more is closed immediately, and a closed connection frees its place', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => RawClient.open(service.port)));
    for (const client of clients) {
      client.write(read('/healthz'));
      assert.equal((await client.receive(1))[0]?.status, 200);
    }
    const more = await RawClient.open(service.port);
    more.write(read('/healthz'));
    assert.deepEqual(await more.untilClosed(), []);
    clients[0]?.destroy();
    for (let isServed = false; !isServed; ) {
      const next = await RawClient.open(service.port);
      next.write(read('/healthz'));
      isServed = (await next.receive(1)).length === 1;
      if (isServed) clients.push(next);
    }
    for (const client of clients.slice(1)) {
      client.write(read('/healthz'));
      assert.equal((await client.receive(2)).at(-1)?.status, 200, 'existing connections are served as before');
      client.destroy();
    }
  });
});

describe('the memory for request bodies', () => {
  const kib = 1024;
  // Space for one of these, even if part of each does not count.
  const large = 'x'.repeat(195 * kib);
  const service = useService(sqliteEngine(), { limits: { requestBytes: 205 * kib } });
  const clients: RawClient[] = [];
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  after(() => {
    for (const client of clients) client.destroy();
  });
  const inChunks = (request: string): string => {
    const [head = '', body = ''] = request.split('\r\n\r\n');
    const coded = head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
    return `${coded}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  };
  /** Sends all but the last bytes, and waits until they have been read. */
  const begin = async (request: string) => {
    const client = await RawClient.open(service.port);
    clients.push(client);
    client.write(request.slice(0, -100));
    await settle(service);
    return { client, finish: () => client.write(request.slice(-100)) };
  };
  const postLarge = () =>
    send(service, 'POST', '/api/v1/agents', { key, body: { name: 'a', voiceId: 'v', prompt: large } });

  it('is shared: a large body is rejected while a slow one is in progress, a small one is not, and later there is space again', async () => {
    for (const coding of [(request: string) => request, inChunks]) {
      const slow = await begin(coding(create(key, large)));
      const refused = await postLarge();
      assert.equal(refused.status, 503);
      assert.equal(refused.json.error.code, 'SERVICE_UNAVAILABLE');
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
      const refusedChunks = await RawClient.open(service.port);
      refusedChunks.write(inChunks(create(key, large)));
      assert.equal((await refusedChunks.receive(1))[0]?.status, 503);
      refusedChunks.destroy();
      await createAgent(service, key, { prompt: 'small' });
      slow.finish();
      assert.equal((await slow.client.receive(1))[0]?.status, 201);
      assert.equal((await postLarge()).status, 201);
    }
  });

  it('is freed when a client disconnects halfway or is rejected', async () => {
    const slow = await begin(create(key, large));
    assert.equal((await postLarge()).status, 503);
    slow.client.destroy();
    await settle(service);
    assert.equal((await postLarge()).status, 201);
    const malformed = await begin(inChunks(create(key, large)));
    malformed.client.write('zz\r\n'.repeat(100));
    assert.equal((await malformed.client.untilClosed())[0]?.status, 400);
    await settle(service);
    assert.equal((await postLarge()).status, 201);
  });
});
