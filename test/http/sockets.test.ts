import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { Lifecycle } from '../../src/process/shutdown.ts';
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
