import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { DirectServer } from '../../src/http/direct-server.ts';
import { listen } from '../../src/http/listen.ts';

describe('listening', () => {
  const servers: FastifyInstance[] = [];
  const newServer = () => {
    const options = { keepAliveTimeout: 5000, connectionsCheckingInterval: 1000, mostConnections: 1000 };
    const server = Fastify({ serverFactory: (handle) => new DirectServer(options, () => false, handle) });
    server.get('/', async () => 'well');
    server.get('/slow', () => delay(50, 'well'));
    servers.push(server);
    return server;
  };
  after(() => Promise.all(servers.map((server) => server.close())));
  const address = { host: '127.0.0.1', port: 0 };

  it('takes newcomers on several sockets, all of which answer', { skip: process.platform !== 'linux' }, async () => {
    const port = await listen(newServer(), address, true);
    assert.equal(socketsOn(port), 128);
    // The system spreads them over the sockets.
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })),
    );
    assert.ok(answers.every(({ status }) => status === 200));
  });

  it('answers a client that has ended its side, whichever socket took it', async () => {
    const port = await listen(newServer(), address, true);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => {
        const socket = connect(port, '127.0.0.1');
        socket.end('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
        return text(socket);
      }),
    );
    for (const answer of answers) assert.match(answer, /^HTTP\/1.1 200/);
  });

  it('shares its port with nobody else', async () => {
    const port = await listen(newServer(), address, true);
    await assert.rejects(listen(newServer(), { ...address, port }, true), { code: 'EADDRINUSE' });
  });

  it('takes nobody any more once it is closed, on none of the sockets', async () => {
    const server = newServer();
    const port = await listen(server, address, true);
    await server.close();
    for (let attempt = 0; attempt < 20; attempt += 1) await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
    await listen(newServer(), { ...address, port }, true);
  });
});

/** How many sockets listen on the port, by what the system tells. */
function socketsOn(port: number): number {
  const place = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const isListening = '0A';
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local === place && state === isListening).length;
}
