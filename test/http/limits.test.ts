import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../src/errors.ts';
import { DirectServer } from '../../src/http/direct-server.ts';
import { BodyRoom, NodeTransport } from '../../src/http/transport.ts';

describe('the room for bodies', () => {
  const kib = 1024;
  const room = new BodyRoom(100 * kib);
  const outcomes: string[] = [];
  const server = createServer(async (message, response) => {
    const transport = new NodeTransport(message, response, { bodyRoom: room, isNewest: () => true });
    try {
      const body = await transport.readBody();
      outcomes.push(`read ${body.length / kib}`);
    } catch (error) {
      outcomes.push(error instanceof AppError ? error.code : (error as Error).message);
    }
    response.end();
  });
  after(() => server.close());
  const begin = async (size: number) => {
    if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, method: 'POST', agent: false, headers: { 'content-length': size } });
    sent.on('response', (answer) => answer.resume());
    sent.on('error', () => {});
    return sent;
  };

  it('is shared: a large one beside others that take it is refused, a small one never', async () => {
    const slow = await begin(150 * kib);
    slow.write(Buffer.alloc(149 * kib));
    await delay(100);
    (await begin(150 * kib)).end(Buffer.alloc(150 * kib));
    await untilOutcomes(1);
    (await begin(60 * kib)).end(Buffer.alloc(60 * kib));
    await untilOutcomes(2);
    assert.deepEqual(outcomes, ['SERVICE_UNAVAILABLE', 'read 60']);

    slow.end(Buffer.alloc(kib));
    await untilOutcomes(3);
    (await begin(150 * kib)).end(Buffer.alloc(150 * kib));
    await untilOutcomes(4);
    assert.deepEqual(outcomes.slice(2), ['read 150', 'read 150'], 'and is there again when they are done');
  });

  it('is given back by a client that goes away half-way', async () => {
    outcomes.length = 0;
    const slow = await begin(150 * kib);
    slow.write(Buffer.alloc(149 * kib));
    await delay(100);
    slow.destroy();
    await untilOutcomes(1);
    (await begin(150 * kib)).end(Buffer.alloc(150 * kib));
    await untilOutcomes(2);
    assert.deepEqual(outcomes, ['the body ended early', 'read 150']);
  });

  async function untilOutcomes(count: number): Promise<void> {
    while (outcomes.length < count) await delay(5);
  }
});

describe('the number of connections', () => {
  it('is bounded: one more is closed at once, and there is room again when one has gone', async () => {
    const options = { keepAliveTimeout: 5000, connectionsCheckingInterval: 1000, mostConnections: 2 };
    const server = new DirectServer(
      options,
      () => false,
      (_request, response) => response.end('well'),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const open = async () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    };
    const first = await open();
    const second = await open();
    await delay(50);
    const third = await open();
    await once(third, 'close');
    first.destroy();
    await delay(50);
    const fourth = await open();
    fourth.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(fourth, 'data');
    assert.match(String(answer), /^HTTP\/1.1 200/);
    for (const socket of [second, fourth]) socket.destroy();
    server.close();
  });
});
