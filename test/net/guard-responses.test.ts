import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { exchange } from '../../src/net/exchange.ts';
import { createGuard, type RequestOptions } from '../../src/net/guard.ts';
import { AllowedNetworks } from '../../src/net/networks.ts';
import { OutboundError, type OutboundErrorCode } from '../../src/net/outbound-error.ts';
import { httpReceiver, type Receiver, rawReceiver } from '../support/receiver.ts';

const guard = createGuard({ allowedNetworks: new AllowedNetworks(['127.0.0.0/8', '::1/128']) });
const get: RequestOptions = { method: 'GET', timeoutMs: 5000, maxResponseBytes: 1000 };

const request = ({ port }: Receiver, options: Partial<RequestOptions> = {}, path = '/') =>
  guard.request(`http://127.0.0.1:${port}${path}`, { ...get, ...options });

async function fails(code: OutboundErrorCode, receiver: Receiver, options: Partial<RequestOptions> = {}) {
  await assert.rejects(request(receiver, options), (error) => {
    assert.ok(error instanceof OutboundError);
    assert.equal(error.code, code);
    assert.equal(error.cause, undefined);
    return true;
  });
  await receiver.isIdle();
}

/** Sends these bytes in response to whatever it gets. */
const replying = (bytes: string | Buffer, end: 'end' | 'stay' | 'reset' = 'end'): Promise<Receiver> =>
  rawReceiver((socket) => {
    socket.once('data', () => {
      socket.write(bytes, () => {
        if (end === 'end') socket.end();
        if (end === 'reset') socket.resetAndDestroy();
      });
    });
  });

describe('an outgoing request', () => {
  it('is sent as given, on a connection that is then closed', async () => {
    const requests: unknown[] = [];
    const receiver = await httpReceiver(async (incoming, response) => {
      const { method, url, headers } = incoming;
      requests.push({ method, url, headers, body: await text(incoming) });
      response.writeHead(201, { 'X-Reply': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('ありがとう');
    });
    const response = await request(
      receiver,
      { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Name': 'caf\u00e9' }, body: '{"名":1}' },
      '/a b?c=日',
    );
    assert.equal(response.status, 201);
    assert.equal(String(response.body), 'ありがとう');
    assert.equal(response.isTruncated, false);
    assert.equal(response.headers['x-reply'], 'yes');
    assert.deepEqual(response.headers['set-cookie'], ['a=1', 'b=2']);
    await receiver.isIdle();
    const headers = {
      host: `127.0.0.1:${receiver.port}`,
      connection: 'close',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': '9',
      'x-name': 'caf\u00e9',
    };
    assert.deepEqual(requests, [{ method: 'POST', url: '/a%20b?c=%E6%97%A5', headers, body: '{"名":1}' }]);
  });

  it('cannot be given headers that end early, frame the body or name another host', async () => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const bad: Record<string, string>[] = [
      { 'x-a': 'b\r\nx-evil: c' },
      { 'x-a': 'b\nc' },
      { 'x-a': 'b\rc' },
      { 'x-a': 'b\0c' },
      { 'x-a': '日本' },
      { 'x-a\r\nx-evil': 'c' },
      { 'x a': 'b' },
      { 'x-a:': 'b' },
      { '': 'b' },
      { Host: 'metadata.internal' },
      { 'content-LENGTH': '0' },
      { 'Transfer-Encoding': 'chunked' },
      { connection: 'keep-alive' },
      { Upgrade: 'websocket' },
      { expect: '100-continue' },
      { 'Proxy-Authorization': 'Basic x' },
    ];
    for (const headers of bad) {
      await assert.rejects(request(receiver, { headers }), (error: Error) => {
        assert.ok(error instanceof TypeError, JSON.stringify(headers));
        assert.doesNotMatch(error.message, /evil|metadata|Basic/);
        return true;
      });
    }
    assert.equal(receiver.connections(), 0);
    // The URL parser drops line breaks, or encodes them.
    assert.equal((await request(receiver, {}, '/a\r\nX-Evil: b')).status, 200);
  });

  it('is made once, even if the host closes the connection without a response', async () => {
    const receiver = await rawReceiver((socket) => socket.once('data', () => socket.end()));
    await fails('invalid_response', receiver);
    await fails('invalid_response', receiver, { method: 'POST', body: 'x' });
    const silent = await rawReceiver((socket) => socket.resume().end());
    await fails('invalid_response', silent);
    assert.deepEqual([receiver.connections(), silent.connections()], [2, 1]);
    const closed = new Socket().destroy();
    const early = exchange(closed, new URL('http://127.0.0.1/'), get, new AbortController().signal);
    await assert.rejects(early, { code: 'invalid_response' });
  });
});

describe('the response to an outgoing request', () => {
  it('may be a redirect, which is not followed', async () => {
    const other = await httpReceiver((_request, response) => response.end());
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `http://127.0.0.1:${other.port}/`;
      const receiver = await httpReceiver((_request, response) => response.writeHead(status, { location }).end());
      const response = await request(receiver);
      assert.deepEqual([response.status, response.headers.location], [status, location]);
    }
    assert.equal(other.connections(), 0);
  });

  it('is read up to a limit, after which the connection is closed', async () => {
    const sending =
      (bytes: number): RequestListener =>
      (_request, response) =>
        void response.end('a'.repeat(bytes));
    for (const [bytes, isTruncated] of [
      [0, false],
      [999, false],
      [1000, false],
      [1001, true],
      [500_000, true],
    ] as const) {
      const response = await request(await httpReceiver(sending(bytes)));
      assert.deepEqual([response.body.length, response.isTruncated], [Math.min(bytes, 1000), isTruncated]);
    }
    const none = await request(await httpReceiver(sending(5)), { maxResponseBytes: 0 });
    assert.deepEqual([none.status, none.body.length, none.isTruncated], [200, 0, true]);
  });

  it('may be endless: no more than the limit is read', async () => {
    let sent = 0;
    const receiver = await httpReceiver((_request, response) => {
      const chunk = Buffer.alloc(65_536, 'a');
      const sendMore = (): void => {
        do sent += chunk.length;
        while (response.write(chunk));
      };
      response.on('drain', sendMore).on('error', () => undefined);
      sendMore();
    });
    const response = await request(receiver, { maxResponseBytes: 100_000 });
    assert.deepEqual([response.body.length, response.isTruncated], [100_000, true]);
    await receiver.isIdle();
    // What fits into the buffers of both sides besides.
    assert.ok(sent < 50_000_000, String(sent));
  });

  it('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const receiver = await httpReceiver((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const response = await request(receiver, { maxResponseBytes: 20_000 });
    assert.deepEqual(response.body, bomb);
    assert.equal(response.headers['content-encoding'], 'gzip');
  });

  it('has a limited time, whether the headers, the body or the end is missing', async () => {
    const head = 'HTTP/1.1 200 OK\r\n';
    for (const bytes of ['', head, `${head}x: `, `${head}content-length: 10\r\n\r\nabc`, `${head}\r\nabc`]) {
      await fails('timeout', await replying(bytes, 'stay'), { timeoutMs: 50 });
    }
    const dripping = await rawReceiver((socket) => {
      socket.once('data', () => {
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
        const timer = setInterval(() => socket.write('1\r\na\r\n'), 5);
        socket.once('close', () => clearInterval(timer));
      });
    });
    await fails('timeout', dripping, { timeoutMs: 50 });
    const informing = await rawReceiver((socket) => {
      socket.resume();
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
      socket.once('close', () => clearInterval(timer));
    });
    await fails('timeout', informing, { timeoutMs: 50 });
  });

  it('has to be complete', async () => {
    const head = 'HTTP/1.1 200 OK\r\n';
    await fails('invalid_response', await replying(`${head}content-length: 10\r\n\r\nabc`));
    await fails('invalid_response', await replying(`${head}transfer-encoding: chunked\r\n\r\n5\r\nabc`));
    await fails('invalid_response', await replying(`${head}content-length: 10\r\n\r\nabc`, 'reset'));
    await fails('invalid_response', await replying('', 'reset'));
    await fails('invalid_response', await replying(head));
    const untilClosed = await request(await replying(`${head}\r\nabc`));
    assert.equal(String(untilClosed.body), 'abc');
  });

  it('has to be HTTP', async () => {
    const nonsense = [
      'garbage\r\n\r\n',
      'SSH-2.0-OpenSSH_9.9\r\n',
      Buffer.alloc(5000, 0xff),
      'HTTP/1.1 abc OK\r\n\r\n',
      'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ];
    for (const bytes of nonsense) await fails('invalid_response', await replying(bytes));
  });

  it('has headers of at most 16 KiB, of any name', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n';
    await fails('response_too_large', await replying(`${head}x: ${'a'.repeat(17_000)}\r\n\r\n`));
    await fails('response_too_large', await replying(`${head}${'x: a\r\n'.repeat(9000)}\r\n`));
    await fails('response_too_large', await replying(`${head}x: ${'a'.repeat(17_000)}`, 'stay'));
    const response = await request(await replying(`${head}constructor: a\r\n__proto__: b\r\n__proto__: c\r\n\r\n`));
    assert.deepEqual(Object.entries(response.headers).slice(1), [
      ['constructor', 'a'],
      ['__proto__', ['b', 'c']],
    ]);
    assert.equal(({} as Record<string, unknown>).b, undefined);
  });
});
