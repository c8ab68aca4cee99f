import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import { WebSocket, WebSocketServer } from 'ws';
import { createGuard, type GuardOptions, type RequestOptions } from '../../src/net/guard.ts';
import { AllowedNetworks } from '../../src/net/networks.ts';
import { OutboundError, type OutboundErrorCode } from '../../src/net/outbound-error.ts';
import { certificate } from '../support/certificate.ts';
import { httpReceiver, httpsReceiver, type Receiver, rawReceiver } from '../support/receiver.ts';

const none = new AllowedNetworks([]);
const loopback = new AllowedNetworks(['127.0.0.0/8', '::1/128']);
/** As for receivers in a network of containers, where names may be called without TLS. */
const containers = new AllowedNetworks(['127.0.0.0/8', '172.16.0.0/12']);

const get: RequestOptions = { method: 'GET', timeoutMs: 5000, maxResponseBytes: 1000 };
/** Far beyond what a test takes. */
const patience = { connectTimeoutMs: 5000 };

/** Answers a lookup with the next list, and then always with the last. */
function resolving(...answers: readonly string[][]) {
  const names: string[] = [];
  return {
    names,
    lookup: async (name: string) => {
      names.push(name);
      return answers[Math.min(names.length, answers.length) - 1] ?? [];
    },
  };
}

const never = { lookup: () => new Promise<never>(() => undefined) };

async function fails(code: OutboundErrorCode, url: string, options: Partial<GuardOptions>, more = {}) {
  const guard = createGuard({ allowedNetworks: loopback, ...patience, ...options });
  await assert.rejects(guard.request(url, { ...get, ...more }), (error) => {
    assert.ok(error instanceof OutboundError, inspect(error));
    assert.equal(error.code, code, url);
    // Neither the message nor anything attached to it says what a name resolved to.
    assert.doesNotMatch(inspect(error, { showHidden: true, depth: 9 }), /\b(127|10|169)\.\d+\.\d+\.\d+|::1\b/);
    assert.equal(error.cause, undefined);
    return true;
  });
}

const hello: RequestListener = (request, response) => response.end(`hello ${request.headers.host}`);

describe('a request to an address of a partner', () => {
  it('reaches this machine if that is allowed, and not otherwise', async () => {
    const { port, connections } = await httpReceiver(hello);
    const guard = createGuard({ allowedNetworks: loopback, ...never });
    for (const host of ['127.0.0.1', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', 'localhost', 'a.localhost']) {
      const { status, body } = await guard.request(`http://${host}:${port}/`, get);
      assert.deepEqual([status, String(body)], [200, `hello ${new URL(`http://${host}`).hostname}:${port}`]);
    }
    const reached = connections();
    for (const host of ['127.0.0.1', '127.1', '2130706433', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost']) {
      await fails('address_not_allowed', `http://${host}:${port}/`, { allowedNetworks: none, ...never });
      await fails('address_not_allowed', `https://${host}:${port}/`, { allowedNetworks: none, ...never });
    }
    assert.equal(connections(), reached);
  });

  it('reaches no other private address, in any notation, and no address that cannot be saved', async () => {
    const hosts = ['10.0.0.1', '167772161', '012.0.0.1', '0xa9fea9fe', '169.254.169.254', '[::ffff:10.0.0.1]', '[::]'];
    for (const host of hosts) await fails('address_not_allowed', `https://${host}/`, never);
    for (const url of [
      'http://example.com/',
      'ftp://localhost/',
      'https://u:p@localhost/',
      'https://localhost:22/',
      'x',
    ])
      await fails('address_not_allowed', url, never);
  });

  it('goes to the address that was checked, after one lookup', async () => {
    const { port } = await httpReceiver(hello);
    const { lookup, names } = resolving(['127.0.0.1'], ['169.254.169.254']);
    const guard = createGuard({ allowedNetworks: containers, lookup });
    const { body } = await guard.request(`http://receiver.example:${port}/`, get);
    assert.equal(String(body), `hello receiver.example:${port}`);
    assert.deepEqual(names, ['receiver.example']);
  });

  it('is checked again each time: no connection outlives a change of the name', async () => {
    const { port, connections } = await httpReceiver(hello);
    const { lookup, names } = resolving(['127.0.0.1'], ['127.0.0.1'], ['10.0.0.1']);
    const guard = createGuard({ allowedNetworks: containers, lookup });
    const url = `http://receiver.example:${port}/`;
    for (let count = 1; count <= 2; count += 1) {
      await guard.request(url, get);
      assert.equal(connections(), count);
    }
    await assert.rejects(guard.request(url, get), { code: 'address_not_allowed' });
    assert.equal(names.length, 3);
    assert.equal(connections(), 2);
  });

  it('is refused if one address among several is forbidden, whatever its place and form', async () => {
    const { port, connections } = await httpReceiver(hello);
    const forbidden = ['10.0.0.1', '::ffff:10.0.0.1', '::ffff:a00:1', '64:ff9b::a00:1', '2002:a00:1::', 'fe80::1%lo'];
    for (const address of [...forbidden, '169.254.169.254', '0.0.0.0', '::', 'fd00::1', 'no address']) {
      for (const list of [[address], ['127.0.0.1', address], [address, '127.0.0.1'], ['8.8.8.8', address]]) {
        await fails('address_not_allowed', `https://receiver.example:${port}/`, resolving(list));
      }
    }
    assert.equal(connections(), 0);
  });

  it('tries the next address if one does not answer', async () => {
    const { port } = await httpReceiver(hello);
    const guard = createGuard({ allowedNetworks: containers, ...resolving(['127.0.0.2', '127.0.0.1']) });
    assert.equal((await guard.request(`http://receiver.example:${port}/`, get)).status, 200);
  });

  it('is unencrypted only if every address of the name is in an allowed network', async () => {
    for (const list of [['8.8.8.8'], ['127.0.0.1', '8.8.8.8'], ['10.0.0.1']]) {
      await fails('address_not_allowed', 'http://receiver:9000/', {
        allowedNetworks: containers,
        ...resolving(list),
      });
    }
    await fails('address_not_allowed', 'http://receiver:9000/', resolving(['127.0.0.1']));
  });

  it('fails to connect to a name without addresses, and to a port without a server', async () => {
    await fails('connect_failed', 'https://receiver.example/', resolving([]));
    const lookup = () => Promise.reject(new Error('getaddrinfo ENOTFOUND receiver.example via 10.0.0.53'));
    await fails('connect_failed', 'https://receiver.example/', { lookup });
    const { port } = await closedReceiver();
    await fails('connect_failed', `http://127.0.0.1:${port}/`, {});
    await fails('connect_failed', `https://receiver.example:${port}/`, resolving(['127.0.0.1', '127.0.0.2']));
  });

  it('has a limited time to connect, which includes the lookup and the TLS handshake', async () => {
    await fails('connect_timeout', 'https://receiver.example/', { ...never, connectTimeoutMs: 20 });
    const { port, isIdle } = await rawReceiver((socket) => socket.resume());
    await fails('connect_timeout', `https://127.0.0.1:${port}/`, { connectTimeoutMs: 20 });
    await fails('connect_timeout', `https://127.0.0.1:${port}/`, {}, { connectTimeoutMs: 20 });
    await fails('timeout', `https://127.0.0.1:${port}/`, {}, { timeoutMs: 20 });
    await isIdle();
  });

  it('has the time to connect for connecting only', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { port } = await httpReceiver((_request, response) => {
      mock.timers.tick(59_000);
      response.end();
    });
    const guard = createGuard({ allowedNetworks: loopback });
    assert.equal((await guard.request(`http://127.0.0.1:${port}/`, { ...get, timeoutMs: 60_000 })).status, 200);
  });

  it('ends when its caller or the service does', async () => {
    const { port, isIdle } = await httpReceiver(() => undefined);
    const url = `http://127.0.0.1:${port}/`;
    await fails('aborted', url, {}, { signal: AbortSignal.abort() });
    await fails('aborted', 'https://receiver.example/', never, { signal: AbortSignal.timeout(20) });
    await fails('aborted', url, {}, { signal: AbortSignal.timeout(20) });
    const guard = createGuard({ allowedNetworks: loopback, ...patience });
    const requests = ['/a', '/b'].map((path) => assert.rejects(guard.request(url + path, get), { code: 'aborted' }));
    await guard.close();
    await Promise.all(requests);
    await assert.rejects(guard.request(url, get), { code: 'aborted' });
    await isIdle();
  });
});

describe('the TLS connection of a request', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await httpsReceiver((request, response) => {
      const { servername } = request.socket as unknown as { servername: string | false };
      response.end(JSON.stringify([servername, request.headers.host]));
    });
  });

  it('needs a certificate that is trusted and for this name', async (test) => {
    const { port } = receiver;
    await fails('tls_failed', `https://127.0.0.1:${port}/`, {});
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    await fails('tls_failed', `https://127.0.0.1:${port}/`, {}).finally(
      () => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED,
    );
    trustTestCertificate(test);
    await fails('tls_failed', `https://other.example:${port}/`, resolving(['127.0.0.1']));
  });

  it('uses the name, not the address it resolves to', async (test) => {
    trustTestCertificate(test);
    const { port } = receiver;
    const guard = createGuard({ allowedNetworks: loopback, ...resolving(['127.0.0.1']) });
    const answer = async (host: string) =>
      JSON.parse(String((await guard.request(`https://${host}:${port}/`, get)).body));
    assert.deepEqual(await answer('receiver.example'), ['receiver.example', `receiver.example:${port}`]);
    assert.deepEqual(await answer('receiver.example.'), ['receiver.example', `receiver.example.:${port}`]);
    assert.deepEqual(await answer('127.0.0.1'), [false, `127.0.0.1:${port}`]);
  });

  it('fails with a server that does not speak TLS', async () => {
    const { port } = await httpReceiver(hello);
    await fails('tls_failed', `https://127.0.0.1:${port}/`, {});
    const closing = await rawReceiver((socket) => socket.once('data', () => socket.destroy()));
    await fails('tls_failed', `https://127.0.0.1:${closing.port}/`, {});
  });
});

describe('a proxy for outgoing requests', () => {
  it('gets CONNECT with the name, for encrypted and plain requests, and no lookup is made', async (test) => {
    trustTestCertificate(test);
    const targets: string[] = [];
    const proxy = await tunnel(targets, await httpsReceiver(hello));
    const guard = createGuard({ allowedNetworks: loopback, ...never, proxy: proxyUrl(proxy) });
    const { status, body } = await guard.request('https://receiver.example/x', get);
    assert.deepEqual([status, String(body)], [200, 'hello receiver.example']);
    await assert.rejects(guard.request('https://other.example:8443/', get), { code: 'tls_failed' });

    const plain = await tunnel(targets, await httpReceiver(hello));
    const options = { allowedNetworks: containers, ...never, proxy: proxyUrl(plain) };
    assert.equal((await createGuard(options).request('http://receiver:9000/', get)).status, 200);
    assert.deepEqual(targets, ['receiver.example:443', 'other.example:8443', 'receiver:9000']);
  });

  it('does not get literal addresses that are forbidden', async () => {
    const targets: string[] = [];
    const proxy = proxyUrl(await tunnel(targets, await httpReceiver(hello)));
    for (const host of ['10.0.0.1', '0xa9fea9fe', '[::ffff:10.0.0.1]', '127.0.0.1', 'localhost']) {
      await fails('address_not_allowed', `https://${host}/`, { allowedNetworks: none, ...never, proxy });
    }
    assert.deepEqual(targets, []);
  });

  it('fails to connect if the proxy refuses, closes, talks nonsense or is away', async () => {
    for (const reply of [
      'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n',
      'HTTP/1.1 407 x\r\n\r\n',
      'garbage\n\n',
      '',
    ]) {
      const proxy = proxyUrl(await rawReceiver((socket) => socket.once('data', () => socket.end(reply))));
      await fails('connect_failed', 'https://receiver.example/', { ...never, proxy });
    }
    await fails('connect_failed', 'https://receiver.example/', { ...never, proxy: proxyUrl(await closedReceiver()) });
  });

  it('has the same time to connect', async () => {
    const silent = await rawReceiver((socket) => socket.resume());
    await fails('connect_timeout', 'https://receiver.example/', {
      ...never,
      proxy: proxyUrl(silent),
      connectTimeoutMs: 20,
    });
    await silent.isIdle();
  });

  it('is not taken from the variables that other programs use', async () => {
    const { port } = await httpReceiver(hello);
    const proxy = await rawReceiver((socket) => socket.destroy());
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) {
      process.env[name] = proxyUrl(proxy);
      after(() => delete process.env[name]);
    }
    assert.equal(
      (await createGuard({ allowedNetworks: loopback }).request(`http://127.0.0.1:${port}/`, get)).status,
      200,
    );
    assert.equal(proxy.connections(), 0);
  });
});

describe('a connection for a WebSocket', () => {
  it('is checked in the same way, and carries the WebSocket', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    after(() => server.close());
    await once(server, 'listening');
    server.on('connection', (socket) => socket.on('message', (data) => socket.send(`heard ${data}`)));
    const { port } = server.address() as { port: number };
    const guard = createGuard({ allowedNetworks: containers, ...resolving(['127.0.0.1'], ['10.0.0.1']) });
    const url = `ws://receiver.example:${port}/llm`;
    const connection = await guard.connect(url);
    const socket = new WebSocket(url, { createConnection: () => connection });
    await once(socket, 'open');
    socket.send('hi');
    assert.equal(String((await once(socket, 'message'))[0]), 'heard hi');
    socket.terminate();
    await assert.rejects(guard.connect(url), { code: 'address_not_allowed' });
    await assert.rejects(guard.connect('http://127.0.0.1:9000/'), { code: 'address_not_allowed' });
    await assert.rejects(guard.connect('wss://169.254.169.254/'), { code: 'address_not_allowed' });
  });
});

/** Until the end of the test: others in the same process must not trust it. */
function trustTestCertificate(test: TestContext): void {
  const trusted = getCACertificates('default');
  test.after(() => setDefaultCACertificates(trusted));
  setDefaultCACertificates([...trusted, certificate]);
}

const proxyUrl = ({ port }: { readonly port: number }): string => `http://127.0.0.1:${port}`;

/** A port on which nothing listens. */
async function closedReceiver(): Promise<{ readonly port: number }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return { port };
}

/** A proxy that takes every name for the given receiver. */
function tunnel(targets: string[], { port }: Receiver): Promise<Receiver> {
  return rawReceiver((socket) => {
    socket.once('data', (data) => {
      targets.push(/^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(String(data))?.[1] ?? String(data));
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      const target = connect(port, '127.0.0.1').on('error', () => socket.destroy());
      socket.pipe(target).pipe(socket);
      socket.once('close', () => target.destroy());
    });
  });
}
