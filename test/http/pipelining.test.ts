import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, describe, it } from 'node:test';
import { createAgent, send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { holdWrites } from '../support/held-writes.ts';
import { RawClient } from '../support/raw-client.ts';
import type { RawAnswer } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';

const statusesOf = (answers: readonly RawAnswer[]) => answers.map(({ status }) => status);
const idsOf = (answers: readonly RawAnswer[]) => answers.map(({ headers }) => headers.get('x-request-id'));

describe('pipelined requests', () => {
  const service = useService(sqliteEngine());
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  const read = (requestId: string, path = '/api/v1/whoami') =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nX-Request-Id: ${requestId}\r\n\r\n`;
  const create = (requestId: string) => {
    const body = JSON.stringify({ name: requestId, voiceId: 'v' });
    const head = `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nX-Request-Id: ${requestId}\r\n`;
    return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const logged = () => service.log.map(({ requestId }) => requestId);
  /** When it returns, everything sent earlier on any connection has been read. */
  const settle = async () => {
    for (let count = 0; count < 5; count += 1) await send(service, 'GET', '/healthz');
  };

  it('are handled one at a time, and answered in order, after a slow one', async () => {
    for (const isCut of [false, true]) {
      const held = holdWrites(service);
      const client = await RawClient.open(service.port);
      const [slow, next, last] = [`slow-${isCut}`, `next-${isCut}`, `last-${isCut}`];
      const bytes = create(slow) + read(next) + read(last, '/healthz');
      if (isCut) {
        client.write(bytes.slice(0, 1));
        await settle();
      }
      client.write(bytes.slice(isCut ? 1 : 0));
      await settle();
      assert.equal(client.text, '', 'no response before the first');
      assert.ok(!logged().includes(next), 'the second has not started');
      held.release();
      const answers = await client.receive(3);
      assert.deepEqual(statusesOf(answers), [201, 200, 200]);
      assert.deepEqual(idsOf(answers), [slow, next, last]);
      client.destroy();
    }
  });

  it('are all answered if the client has half-closed its connection, however they arrived', async () => {
    const { id } = await createAgent(service, key);
    const kinds: Record<string, string[]> = {
      reads: [read('a'), read('b', `/api/v1/agents/${id}`), read('c')],
      'writes and reads': [create('a'), read('b'), create('c')],
      pages: [read('a', '/'), read('b', '/openapi.json'), read('c', '/healthz')],
      'pages and operations': [read('a', '/healthz'), create('b'), read('c', '/')],
      refusals: [read('a', '/nothing'), read('b', '/api/v1/agents/agt_x'), read('c')],
    };
    for (const [title, requests] of Object.entries(kinds)) {
      const whole = requests.join('');
      // Together with the end, with the last request alone, and the end on a connection that has been used.
      const together = await RawClient.open(service.port);
      together.end(whole);
      assert.deepEqual(idsOf(await together.untilClosed()), ['a', 'b', 'c'], `${title}, together`);

      const lastWithEnd = await RawClient.open(service.port);
      lastWithEnd.write(requests[0] as string);
      await lastWithEnd.receive(1);
      lastWithEnd.end(requests.slice(1).join(''));
      assert.deepEqual(idsOf(await lastWithEnd.untilClosed()), ['a', 'b', 'c'], `${title}, the last with the end`);

      const cut = await RawClient.open(service.port);
      cut.write(whole.slice(0, 9));
      await settle();
      cut.end(whole.slice(9));
      assert.deepEqual(idsOf(await cut.untilClosed()), ['a', 'b', 'c'], `${title}, cut`);

      const early = await RawClient.open(service.port);
      early.write(requests[0] as string);
      early.end(requests.slice(1).join(''));
      assert.deepEqual(idsOf(await early.untilClosed()), ['a', 'b', 'c'], `${title}, before the first is answered`);
    }
  });

  it('are all answered if the client half-closes its connection while the first is slow', async () => {
    const requests = [create('a'), read('b'), create('c'), read('d', '/healthz')];
    for (const before of [0, 1, 2, 3]) {
      const held = holdWrites(service);
      const client = await RawClient.open(service.port);
      for (const request of requests.slice(0, before)) {
        client.write(request);
        await settle();
      }
      client.end(requests.slice(before).join(''));
      await settle();
      held.release();
      const title = `${requests.length - before} with the end`;
      assert.deepEqual(statusesOf(await client.untilClosed()), [201, 200, 201, 200], title);
    }
  });

  it('are answered before a parse error that follows them, which is sent once', async () => {
    const garbage = 'no request at all\r\n\r\n';
    for (const [index, pieces] of [
      [create('a') + read('b') + garbage],
      [create('a'), read('b'), garbage, garbage],
      [create('a') + read('b'), garbage.slice(0, 5), garbage.slice(5) + garbage],
      [`${create('a').slice(0, 1)}`, create('a').slice(1) + read('b') + garbage.repeat(100)],
    ].entries()) {
      const held = holdWrites(service);
      const client = await RawClient.open(service.port);
      for (const piece of pieces) {
        client.write(piece);
        await settle();
      }
      assert.equal(client.text, '', `${index}: nothing is answered before the first`);
      held.release();
      const answers = await client.untilClosed();
      assert.deepEqual(statusesOf(answers), [201, 200, 400], `${index}`);
      assert.equal(answers.at(-1)?.headers.get('connection'), 'close');
    }
  });

  it('are accepted up to a limit, and then the connection is not read', async () => {
    const total = 32_000_000;
    for (const isCut of [false, true]) {
      const held = holdWrites(service);
      const socket = connect(service.port, '127.0.0.1').pause();
      socket.on('error', () => {});
      const chunk = read('many').repeat(500);
      let taken = 0;
      const first = create('first');
      if (isCut) {
        socket.write(first.slice(0, 1));
        await settle();
      }
      socket.write(first.slice(isCut ? 1 : 0));
      await settle();
      for (let sent = 0; sent < total; sent += chunk.length) {
        socket.write(chunk, () => {
          taken += chunk.length;
        });
      }
      // Until nothing more is accepted while the service serves others.
      for (let before = -1; before !== taken; ) {
        before = taken;
        for (let count = 0; count < 20; count += 1) await settle();
      }
      socket.destroy();
      held.release();
      assert.ok(taken < total / 2, `${taken} bytes were accepted behind a request in progress`);
    }
  });

  it('of a client that does not read do not delay other clients', async () => {
    const requests = 60_000;
    const socket = connect(service.port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(Buffer.alloc(18 * requests, 'GET / HTTP/1.1\r\n\r\n'));
    const served = () => service.log.filter(({ route }) => route === 'dashboard').length;
    const start = served();
    for (let count = 0; count < 20; count += 1) {
      const begun = served();
      const client = await RawClient.open(service.port);
      client.write('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
      assert.deepEqual(statusesOf(await client.untilClosed()), [200]);
      assert.ok(served() - begun < 500, `${served() - begun} were served before one of another client`);
    }
    assert.ok(served() - start < requests / 2, `${served() - start} were served, and none of the answers was read`);
    socket.destroy();
    const begun = served();
    await settle();
    assert.ok(served() - begun < 500, `${served() - begun} were served for a disconnected client`);
  });
});
