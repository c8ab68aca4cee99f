import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { unauthorized } from '../../src/core/errors.ts';
import type { Caller } from '../../src/http/admission/caller.ts';
import { OverloadGuard } from '../../src/http/admission/overload.ts';
import { countInMemory } from '../../src/http/admission/rate-counts.ts';
import { createRateLimiter, noRateLimit } from '../../src/http/admission/rate-limit.ts';
import { createClientAddresses } from '../../src/http/client-address.ts';
import { Lifecycle } from '../../src/http/shutdown.ts';
import { type SocketParts, Sockets } from '../../src/http/sockets.ts';
import { createNotes } from '../areas/notes/area.ts';
import { sqliteEngine } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';

const handshake = [
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Sec-WebSocket-Protocol: token.good',
];

describe('WebSockets', () => {
  const engine = sqliteEngine();
  let service: Service;
  before(async () => {
    service = await startNotes();
  });
  after(() => service.close());

  const startNotes = (options: Parameters<typeof startService>[1] = {}) =>
    startService(engine, { ...options, otherAreas: (kernel) => [createNotes(kernel, { send: async () => 0 })] });
  const open = async (to: Service = service): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${to.port}/live/v1/notes/1`, ['notes.v1', 'token.good']);
    await once(socket, 'open');
    return socket;
  };
  /** Everything the server sends until it closes the connection or `enough` has been received. */
  const talk = async (lines: readonly string[], enough: RegExp): Promise<string> => {
    const socket = connect(service.port, '127.0.0.1');
    let text = '';
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    for await (const chunk of socket) {
      text += chunk;
      if (enough.test(text)) break;
    }
    socket.destroy();
    return text;
  };

  it('reject a client with an ordinary response and the error body', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${service.port}/live/v1/notes/1`, ['token.bad']);
    const [, response] = await once(socket, 'unexpected-response');
    let body = '';
    for await (const chunk of response) body += chunk;
    const { error } = JSON.parse(body);
    assert.deepEqual([response.statusCode, error.code], [401, 'UNAUTHORIZED']);
    assert.equal(response.headers['x-request-id'], error.requestId);
    const line = service.log.find(({ requestId }) => requestId === error.requestId);
    assert.deepEqual([line?.route, line?.status], ['notes.live', 401]);
  });

  it('reject a malformed handshake with 400', async () => {
    for (const broken of [/Sec-WebSocket-Key.*/, /Sec-WebSocket-Version.*/]) {
      const lines = handshake.map((line) => line.replace(broken, 'X-Nothing: 1'));
      assert.match(
        await talk(['GET /live/v1/notes/1 HTTP/1.1', ...lines], /\}\}$/),
        /^HTTP\/1\.1 400 .*VALIDATION_ERROR/s,
      );
    }
  });

  it('are opened only on their own paths: any other upgrade is served as an ordinary request', async () => {
    const healthz = await talk(['GET /healthz HTTP/1.1', ...handshake], /ok/);
    assert.match(healthz, /^HTTP\/1\.1 200 OK/);
    const none = await talk(['GET /live/v1/other HTTP/1.1', ...handshake], /\}\}$/);
    assert.match(none, /^HTTP\/1\.1 404 /);
    const otherProtocol = handshake.map((line) => line.replace('Upgrade: websocket', 'Upgrade: h2c'));
    assert.match(await talk(['GET /live/v1/notes/1 HTTP/1.1', ...otherProtocol], /\}\}$/), /^HTTP\/1\.1 404 /);
    const withBody = [...handshake, 'Content-Length: 2'];
    assert.match(await talk(['GET /live/v1/notes/1 HTTP/1.1', ...withBody, '', 'xx'], /\}\}$/), /^HTTP\/1\.1 404 /);
  });

  it('are not opened on a connection with a request in progress, whose response comes first', async () => {
    const text = await talk(['GET /healthz HTTP/1.1', '', 'GET /live/v1/notes/1 HTTP/1.1', ...handshake], /\}\}$/);
    assert.match(text, /^HTTP\/1\.1 200 OK.*HTTP\/1\.1 404 /s);
  });

  it('close with 1009 if a frame is too long', async () => {
    const socket = await open();
    socket.send('x'.repeat(2000));
    const [code] = await once(socket, 'close');
    assert.equal(code, 1009);
  });

  it('survive a peer that violates the protocol or breaks the connection', async () => {
    const broken = connect(service.port, '127.0.0.1');
    broken.write(`GET /live/v1/notes/1 HTTP/1.1\r\n${handshake.join('\r\n')}\r\n\r\n`);
    await once(broken, 'data');
    broken.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    await once(broken, 'close');
    const reset = await open();
    (reset as never as { _socket: { resetAndDestroy(): void } })._socket.resetAndDestroy();
    await once(reset, 'close');
    const socket = await open();
    socket.send('still there');
    assert.equal(String((await once(socket, 'message'))[0]), '1: still there');
    socket.close();
    await once(socket, 'close');
  });

  it('do not keep the connection of a rejected client, even if it keeps its side open', async () => {
    const small = await startNotes({ limits: { connections: 2 } });
    const bad = handshake.filter((line) => !line.includes('token.good'));
    const clients: Socket[] = [];
    for (let round = 0; round < 5; round += 1) {
      const client = connect({ port: small.port, host: '127.0.0.1', allowHalfOpen: true });
      client.write(`GET /live/v1/notes/1 HTTP/1.1\r\n${bad.join('\r\n')}\r\n\r\n`);
      let text = '';
      for await (const chunk of client.iterator({ destroyOnReturn: false })) text += chunk;
      assert.match(text, /^HTTP\/1\.1 401 /);
      clients.push(client);
    }
    const good = await open(small);
    good.terminate();
    await small.close();
    for (const client of clients) client.destroy();
  });

  it('count as connections, and free their place when they close', async () => {
    const small = await startNotes({ limits: { connections: 2 } });
    const first = await open(small);
    const second = await open(small);
    const third = new WebSocket(`ws://127.0.0.1:${small.port}/live/v1/notes/1`, ['notes.v1', 'token.good']);
    await once(third, 'error');
    first.close();
    await once(first, 'close');
    const fourth = await open(small);
    for (const socket of [second, fourth]) socket.terminate();
    await small.close();
  });

  it('ask their clients to reconnect when the service stops, and do not delay it further', async () => {
    const lifecycle = new Lifecycle();
    const stopping = await startNotes({ lifecycle });
    const socket = await open(stopping);
    const closed = once(socket, 'close');
    lifecycle.stage = 'closing';
    await stopping.close();
    const [code, reason] = await closed;
    assert.deepEqual([code, String(reason)], [4503, 'The service is shutting down.']);
  });
});

describe('an upgrade', () => {
  /** Upgrades to one endpoint without a service behind it; `statuses` are those that were logged. */
  const startSockets = async (test: TestContext, parts: Partial<SocketParts>, caller: Caller | null = null) => {
    const calls = { accepted: 0, statuses: [] as number[] };
    const sockets = new Sockets({
      routes: [
        {
          id: 'test.live',
          path: '/live',
          maxFrameBytes: 1024,
          accept: async () => {
            calls.accepted += 1;
            if (caller === null) throw unauthorized('no key');
            return { caller, drain: 'close', protocol: null, open: () => {} };
          },
        },
      ],
      overload: new OverloadGuard({ databaseWaitMs: () => 0 }),
      rateLimiter: noRateLimit,
      lifecycle: new Lifecycle(),
      requestIdOf: () => 'req_1',
      clientAddresses: createClientAddresses([]),
      requestLog: { request: ({ status }) => void calls.statuses.push(status), failure: () => {}, refusal: () => {} },
      ...parts,
    });
    const server = createServer().on('upgrade', (request, socket, head) =>
      sockets.upgrade(request, socket as Socket, head),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    test.after(async () => {
      await sockets.close();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const tryToOpen = async (): Promise<number> => {
      const client = new WebSocket(`ws://127.0.0.1:${port}/live`);
      const opened = once(client, 'open').then(() => 101);
      const refused = once(client, 'unexpected-response').then(([, response]) => response.statusCode as number);
      const status = await Promise.race([opened, refused]);
      client.on('error', () => {}).terminate();
      return status;
    };
    return { calls, port, tryToOpen };
  };

  it('is rejected with 503 under overload, before it is authenticated, however many arrive', async (test) => {
    let waitMs = 10_000;
    const overload = new OverloadGuard({ databaseWaitMs: () => waitMs });
    const { calls, tryToOpen } = await startSockets(test, { overload });
    const statuses = await Promise.all(Array.from({ length: 200 }, tryToOpen));
    assert.deepEqual(new Set(statuses), new Set([503]));
    assert.equal(calls.accepted, 0);
    waitMs = 0;
    assert.equal(await tryToOpen(), 401);
    assert.deepEqual(calls.statuses, [...Array(200).fill(503), 401]);
  });

  it('notices that its client disconnects while it waits', async (test) => {
    const admitted = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<{ isDisconnected: boolean }>();
    const overload = {
      admit: (request: { isDisconnected: boolean }) => {
        waiting.resolve(request);
        return admitted.promise;
      },
    } as unknown as OverloadGuard;
    const { port } = await startSockets(test, { overload });
    const client = connect(port, '127.0.0.1');
    client.write(`GET /live HTTP/1.1\r\n${handshake.join('\r\n')}\r\n\r\n`);
    const request = await waiting.promise;
    client.resetAndDestroy();
    while (!request.isDisconnected) await new Promise((resolve) => setImmediate(resolve));
    admitted.resolve();
  });

  it('counts towards the rate limit of its key', async (test) => {
    const limit = { requests: 2, windowSeconds: 60 };
    const rateLimiter = createRateLimiter(limit, countInMemory(limit));
    const caller = { workspaceId: 'wsp_1', keyId: 'key_1', scopes: new Set<never>(), access: null };
    const { tryToOpen } = await startSockets(test, { rateLimiter }, caller);
    assert.deepEqual([await tryToOpen(), await tryToOpen(), await tryToOpen()], [101, 101, 429]);
  });
});
