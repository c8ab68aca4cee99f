import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defaultTimeouts } from '../../src/config.ts';
import { createIdGenerator } from '../../src/core/ids.ts';
import { ByteBudget } from '../../src/http/admission/byte-budget.ts';
import { OverloadGuard } from '../../src/http/admission/overload.ts';
import { noRateLimit } from '../../src/http/admission/rate-limit.ts';
import { UnsentResponses } from '../../src/http/admission/unsent-responses.ts';
import { createClientAddresses } from '../../src/http/client-address.ts';
import { listen } from '../../src/http/listen.ts';
import { HttpServer } from '../../src/http/server.ts';
import { drain, Lifecycle } from '../../src/http/shutdown.ts';
import { Sockets } from '../../src/http/sockets.ts';

describe('listening', () => {
  const servers: HttpServer[] = [];
  const newServer = (maxConnections = 1000, lifecycle = new Lifecycle()) => {
    const newId = createIdGenerator();
    const requestLog = { request: () => {}, refusal: () => {}, failure: () => {} };
    const page = (path: string, turns: number) => ({
      id: path,
      methods: ['GET' as const],
      path,
      serve: async (exchange: { send(status: number, body: string): void }) => {
        for (let turn = 0; turn < turns; turn += 1) await nextTurn();
        exchange.send(200, 'well');
      },
    });
    const requestIdOf = () => newId('req');
    const clientAddresses = createClientAddresses([]);
    const overload = new OverloadGuard({ databaseWaitMs: () => 0 });
    const server = new HttpServer({
      routes: [page('/', 0), page('/slow', 20)],
      sockets: new Sockets({
        routes: [],
        overload,
        rateLimiter: noRateLimit,
        lifecycle,
        requestIdOf,
        clientAddresses,
        requestLog,
      }),
      notFoundPage: page('*', 0),
      admitUnmatched: async () => {},
      exchangeParts: {
        requestLog,
        requestIdOf,
        clientAddresses,
        lifecycle,
        requestBytes: new ByteBudget(1_000_000),
        unsentResponses: new UnsentResponses(1_000_000),
      },
      newId,
      requestLog,
      timeouts: defaultTimeouts,
      maxConnections,
    });
    servers.push(server);
    return server;
  };
  after(() => Promise.all(servers.map((server) => server.close())));
  const address = { host: '127.0.0.1', port: 0 };

  it('accepts connections on several sockets, all of which respond', {
    skip: process.platform !== 'linux',
  }, async () => {
    const port = await listen(newServer(), address, true);
    assert.equal(socketsOn(port), 128);
    // The kernel distributes connections over the sockets.
    const responses = await Promise.all(
      Array.from({ length: 200 }, () => fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })),
    );
    assert.ok(responses.every(({ status }) => status === 200));
  });

  it('limits the connections of all sockets in total', async () => {
    const port = await listen(newServer(20), address, true);
    const sockets = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => {});
        const closed = new Promise<'closed'>((resolve) => socket.once('close', () => resolve('closed')));
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        const outcome = await Promise.race([
          closed,
          new Promise<'served'>((resolve) => socket.once('data', () => resolve('served'))),
        ]);
        return { socket, outcome };
      }),
    );
    assert.equal(sockets.filter(({ outcome }) => outcome === 'served').length, 20);
    for (const { socket } of sockets) socket.destroy();
  });

  it('responds to a client that has half-closed its connection, whichever socket accepted it', async () => {
    const port = await listen(newServer(), address, true);
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => {
        const socket = connect(port, '127.0.0.1');
        socket.end('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
        return text(socket);
      }),
    );
    for (const response of responses) assert.match(response, /^HTTP\/1.1 200/);
  });

  it('shares its port with no other service', async () => {
    const port = await listen(newServer(), address, true);
    await assert.rejects(listen(newServer(), { ...address, port }, true), { code: 'EADDRINUSE' });
  });

  it('serves everyone whose connection the kernel has completed before a shutdown closes the port', async () => {
    const lifecycle = new Lifecycle();
    const server = newServer(1000, lifecycle);
    const port = await listen(server, address, false);
    const responding = Array.from({ length: 10 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return text(socket);
    });
    const [responses] = await Promise.all([Promise.all(responding), drain(server, lifecycle)]);
    for (const response of responses) assert.match(response, /^HTTP\/1.1 200/);
  });

  it('accepts no connection on any socket once it is closed', async () => {
    const server = newServer();
    const port = await listen(server, address, true);
    await server.close();
    for (let attempt = 0; attempt < 20; attempt += 1) await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
    await listen(newServer(), { ...address, port }, true);
  });
});

/** The number of sockets listening on the port, according to the kernel. */
function socketsOn(port: number): number {
  const place = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const isListening = '0A';
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local === place && state === isListening).length;
}
