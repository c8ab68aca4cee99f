import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, isIPv6, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { createGuard } from '../../src/net/guard.ts';
import { AllowedNetworks, isPublicUnicast } from '../../src/net/networks.ts';
import { httpReceiver } from '../support/receiver.ts';

/** Only 127.0.0.1 is allowed, so that 127.0.0.2 is as forbidden as an address inside the operator's network. */
const one = new AllowedNetworks(['127.0.0.1/32']);
const request = { method: 'POST', body: '{}', timeoutMs: 5000, maxResponseBytes: 1000 } as const;

/** Forbidden addresses at which this machine can be reached; also those of its network, if it has any. */
const own = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses.map(({ address }) => address))
  .filter((address) => address !== '127.0.0.1' && !address.startsWith('fe80:') && !isPublicUnicast(address));
/** On Linux, all of 127.0.0.0/8 is this machine. */
const loopback = process.platform === 'linux' ? ['127.0.0.2', '127.255.255.254'] : [];
const forbidden = [...new Set([...loopback, '0.0.0.0', ...own])];

/** The same address in every notation that a URL has for it. */
function notations(address: string): string[] {
  if (isIPv6(address)) return [`[${address}]`];
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => value.toString(16);
  const low = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
  return [
    address,
    `${a}.${b}.${c * 256 + d}`,
    String(number),
    `0x${hex(number)}`,
    `0${a.toString(8)}.0${b.toString(8)}.0${c.toString(8)}.0${d.toString(8)}`,
    address.replaceAll('.', '。'),
    address.replace(/^\d/, (digit) => `%3${digit}`),
    `[::ffff:${address}]`,
    `[::ffff:${low}]`,
    `[::${address}]`,
    `[64:ff9b::${low}]`,
    `[2002:${low}::]`,
  ];
}

describe('a listener on a forbidden address', () => {
  let listener: Server;
  let port = 0;
  let connections = 0;
  before(async () => {
    listener = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    listener.listen(0, own.some(isIPv6) ? '::' : '0.0.0.0');
    await once(listener, 'listening');
    ({ port } = listener.address() as AddressInfo);
  });
  after(() => listener.close());

  const isRefused = async (url: string, lookup: (name: string) => Promise<readonly string[]>) => {
    const before = connections;
    for (const scheme of ['http', 'https']) {
      const guard = createGuard({ allowedNetworks: one, lookup });
      const refused = guard.request(url.replace('http', scheme), request);
      await assert.rejects(refused, { code: 'address_not_allowed' }, `${scheme} ${url}`);
      const socket = guard.connect(url.replace('http', scheme === 'http' ? 'ws' : 'wss'));
      await assert.rejects(socket, { code: 'address_not_allowed' }, `${scheme} ${url}`);
    }
    assert.equal(connections, before, url);
  };
  const noLookup = () => Promise.reject(new Error('a literal address needs no lookup'));

  for (const address of forbidden) {
    it(`at ${address} can be reached from here, but by no request of a partner`, async () => {
      const before = connections;
      const socket = connect({ host: address, port });
      await once(socket, 'connect');
      await once(socket.resume(), 'close');
      assert.equal(connections, before + 1);
      for (const host of notations(address)) await isRefused(`http://${host}:${port}/`, noLookup);
      for (const host of notations(address)) await isRefused(`http://user:secret@${host}:${port}/`, noLookup);
      // A name that leads there, alone or next to an address that is allowed.
      for (const list of [[address], ['127.0.0.1', address], [address, '127.0.0.1']]) {
        await isRefused(`http://receiver.example:${port}/`, async () => list);
      }
    });
  }

  it('is not reached by a name that is public when it is checked and forbidden afterwards', async () => {
    const before = connections;
    const allowed = new AllowedNetworks(['127.0.0.1/32', '10.0.0.0/8']);
    const receiver = await httpReceiver((_request, response) => response.end());
    const lookups: string[][] = [];
    const lookup = async () => {
      lookups.push(lookups.length === 0 ? ['127.0.0.1'] : ['127.0.0.2']);
      return lookups.at(-1) as string[];
    };
    const guard = createGuard({ allowedNetworks: allowed, lookup });
    const { status } = await guard.request(`http://rebinding.example:${receiver.port}/`, request);
    assert.deepEqual([status, lookups.length, receiver.connections()], [200, 1, 1]);
    const again = guard.request(`http://rebinding.example:${port}/`, request);
    await assert.rejects(again, { code: 'address_not_allowed' });
    assert.equal(connections, before);
  });

  it('is not reached by a redirect of an allowed receiver', async () => {
    const before = connections;
    const location = `http://127.0.0.2:${port}/`;
    for (const status of [301, 302, 303, 307, 308]) {
      const receiver = await httpReceiver((_request, response) => response.writeHead(status, { location }).end());
      const guard = createGuard({ allowedNetworks: one });
      assert.equal((await guard.request(`http://127.0.0.1:${receiver.port}/`, request)).status, status);
    }
    assert.equal(connections, before);
  });
});
