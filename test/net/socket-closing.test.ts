import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { WebSocketServer } from 'ws';
import { createGuard } from '../../src/net/guard.ts';
import { AllowedNetworks } from '../../src/net/networks.ts';
import { realClock } from '../../src/voice/clock.ts';
import { LlmConnection } from '../../src/voice/engines/custom-llm/connection.ts';
import { outboundSocket } from '../../src/voice/engines/custom-llm/outbound-socket.ts';
import { openProviderSocket } from '../../src/voice/providers/connection/provider-socket.ts';
import { connectionsOf, flood, repeated, serverFrame } from '../support/flooding.ts';

const maxUnpreventedBytes = 512 * 1024;
const pings = repeated(serverFrame(9));

/** A server whose connections are flooded by the test. Resolves to its side of each connection. */
async function startServer(test: TestContext) {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  const connected = once(server, 'connection').then(([, request]) => request.socket as Socket);
  await once(http.listen(0, '127.0.0.1'), 'listening');
  test.after(() => http.close());
  const { port } = http.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}/`, connected };
}

describe('a server that floods the service', () => {
  it('with pings counts them as frames of a custom LLM, and nothing is read after they are too many', async (test) => {
    const { url, connected } = await startServer(test);
    const guard = createGuard({ allowedNetworks: new AllowedNetworks(['127.0.0.0/8']) });
    test.after(() => guard.close());
    let own: Socket | undefined;
    const watched = {
      connect: async (...args: Parameters<typeof guard.connect>) => {
        const connection = await guard.connect(...args);
        own = connection as Socket;
        return connection;
      },
    };
    const open = outboundSocket({ guard: watched, url, headers: async () => ({}) });
    const connection = new LlmConnection({ open, clock: realClock, time: Date.now });
    const failure = Promise.withResolvers<string>();
    connection.listener = {
      opened: () => {},
      lost: () => {},
      frame: () => {},
      warn: () => {},
      hungUp: () => {},
      failed: (reason, detail) => failure.resolve(`${reason}: ${detail}`),
    };
    connection.start();
    await flood(await connected, pings);
    assert.equal(await failure.promise, 'llm_failed: the custom LLM server sent more than 2000 frames in a second');
    assert.ok(own?.destroyed);
    assert.ok(own.bytesRead <= maxUnpreventedBytes, `${own.bytesRead} bytes were read`);
  });

  it('after the service has closed the connection is cut off after a megabyte', async (test) => {
    const sockets = connectionsOf(test, 'net.client.socket');
    const { url, connected } = await startServer(test);
    const opened = Promise.withResolvers<void>();
    const socket = openProviderSocket(
      { provider: 'test', url, headers: {}, proxy: null, clock: realClock, connectMs: 5000 },
      { open: () => opened.resolve(), message: () => {}, failed: ({ detail }) => opened.reject(new Error(detail)) },
    );
    const peer = await connected;
    await opened.promise;
    const own = sockets.find(({ localPort }) => localPort === peer.remotePort);
    socket.close();
    await flood(peer, pings);
    assert.ok(own?.destroyed);
    assert.ok(own.bytesRead <= 1024 * 1024 + maxUnpreventedBytes, `${own.bytesRead} bytes were read`);
  });
});
