import assert from 'node:assert/strict';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createFailureLimit } from '../../src/http/admission/failure-limit.ts';
import { createClientAddresses } from '../../src/http/client-address.ts';
import { sqliteEngine } from '../support/engines.ts';
import { useService } from '../support/service.ts';

type Header = string | readonly string[] | undefined;

describe('the address of a client', () => {
  const proxies = ['10.0.0.0/8', '192.0.2.10/32', '2001:db8:1::/48'];
  const addressOf = (remoteAddress: string | undefined, forwardedFor?: Header, trusted = proxies): string | null =>
    createClientAddresses(trusted).ofRequest({
      socket: { remoteAddress } as never,
      headers: (forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }) as never,
    });

  it('is that of the connection, unless a trusted proxy is connected', () => {
    assert.equal(addressOf('203.0.113.9'), '203.0.113.9');
    assert.equal(addressOf('203.0.113.9', '198.51.100.1'), '203.0.113.9');
    assert.equal(addressOf('10.0.0.1', '198.51.100.1', []), '10.0.0.1');
    assert.equal(addressOf('10.0.0.1'), '10.0.0.1');
    assert.equal(addressOf('10.0.0.1', '198.51.100.1'), '198.51.100.1');
  });

  it('is the last one that no trusted proxy has, whatever a client puts before it', () => {
    assert.equal(addressOf('10.0.0.1', '1.1.1.1, 198.51.100.1'), '198.51.100.1');
    assert.equal(addressOf('10.0.0.1', '1.1.1.1, 198.51.100.1, 192.0.2.10'), '198.51.100.1');
    assert.equal(addressOf('10.0.0.1', '1.1.1.1,198.51.100.1,10.9.9.9,2001:db8:1::5'), '198.51.100.1');
    assert.equal(addressOf('10.0.0.1', '10.0.0.3, 10.0.0.2'), '10.0.0.3');
    assert.equal(addressOf('10.0.0.1', '127.0.0.1, 198.51.100.1'), '198.51.100.1');
    // Several headers, as a parser returns them.
    assert.equal(addressOf('10.0.0.1', ['1.1.1.1', '198.51.100.1, 10.0.0.2']), '198.51.100.1');
  });

  it('is written in one way only', () => {
    assert.equal(addressOf('::ffff:203.0.113.9'), '203.0.113.9');
    assert.equal(addressOf('::ffff:10.0.0.1', '::ffff:198.51.100.1'), '198.51.100.1');
    assert.equal(addressOf('10.0.0.1', '2001:0DB8:0002:0000::00FF'), '2001:db8:2::ff');
    assert.equal(addressOf('2001:db8:1::9', '2001:db8:2::1'), '2001:db8:2::1');
    for (const entry of ['198.51.100.1:4711', ' 198.51.100.1 ', '\t198.51.100.1']) {
      assert.equal(addressOf('10.0.0.1', entry), '198.51.100.1', entry);
    }
    for (const entry of ['[2001:db8:2::1]', '[2001:db8:2::1]:4711', '2001:db8:2::1']) {
      assert.equal(addressOf('10.0.0.1', entry), '2001:db8:2::1', entry);
    }
  });

  it('is that of the last known proxy before anything that is no address', () => {
    const garbage = ['', ' ', ',', 'unknown', '_hidden', 'unix:', '256.1.1.1', '1.2.3', '0x7f.1', '1.2.3.4:x', '[::1'];
    for (const entry of [...garbage, 'fe80::1%eth0', '"],"status":200', '１.2.3.4', 'a'.repeat(16_000)]) {
      assert.equal(addressOf('10.0.0.1', entry), '10.0.0.1', entry);
      assert.equal(addressOf('10.0.0.1', `198.51.100.1, ${entry}, 10.0.0.2`), '10.0.0.2', entry);
      assert.equal(addressOf('10.0.0.1', `${entry}, 198.51.100.1`), '198.51.100.1', entry);
    }
  });

  it('is unknown over a Unix socket, and after the connection was closed', () => {
    assert.equal(addressOf(undefined), null);
    assert.equal(addressOf(undefined, '198.51.100.1'), null);
    assert.equal(addressOf('', '198.51.100.1'), null);
  });
});

describe('the address in the log', () => {
  const service = useService(sqliteEngine(), { trustedProxies: ['127.0.0.0/8'] });
  const lineOf = async (forwardedFor: string[]) => {
    const requestId = `req-${forwardedFor.length}-${service.log.length}`;
    await new Promise<void>((resolve, reject) => {
      const headers = { 'x-request-id': requestId, 'x-forwarded-for': forwardedFor };
      request(`${service.url}/healthz`, { headers }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end();
    });
    return service.log.find((line) => line.requestId === requestId);
  };

  it('is that of the client behind a trusted proxy', async () => {
    assert.equal((await lineOf([]))?.address, '127.0.0.1');
    assert.equal((await lineOf(['198.51.100.1']))?.address, '198.51.100.1');
    assert.equal((await lineOf(['1.1.1.1', '2001:db8::1', '127.0.0.2']))?.address, '2001:db8::1');
    assert.equal((await lineOf(['","level":"fatal']))?.address, '127.0.0.1');
  });

  it('is also in the line of a connection that sends no valid request', async () => {
    const { connect } = await import('node:net');
    const socket = connect(service.port, '127.0.0.1');
    socket.end('not HTTP\r\n\r\n');
    await new Promise((resolve) => socket.resume().on('close', resolve));
    assert.equal(service.log.find(({ reason }) => reason !== undefined)?.address, '127.0.0.1');
  });
});

describe('the log of a service on a Unix socket', () => {
  it('has no address, and every request is answered', async () => {
    const { createServer } = await import('node:http');
    const addresses = createClientAddresses(['0.0.0.0/1']);
    const seen: (string | null)[] = [];
    const server = createServer((incoming, response) => {
      seen.push(addresses.ofRequest(incoming));
      response.end();
    });
    const socketPath = join(tmpdir(), `voice-agents-${process.pid}.sock`);
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    await new Promise<void>((resolve) => {
      const headers = { 'x-forwarded-for': '1.1.1.1', connection: 'close' };
      request({ socketPath, headers }, (response) => response.resume().on('end', resolve)).end();
    });
    await new Promise((resolve) => server.close(resolve));
    assert.deepEqual(seen, [null]);
  });
});

describe('a limit of failures', () => {
  const newLimit = (maxAddresses = 100) => {
    const time = { now: 0 };
    const options = { failures: 3, windowMs: 60_000, subject: 'this address', now: () => time.now };
    const limit = createFailureLimit({ ...options, maxAddresses });
    const outcome = (address: string | null, isRight = false): Promise<string> =>
      limit(address, async () => {
        if (!isRight) throw new Error('wrong');
        return 'right';
      }).catch(({ code, message }: Error & { code?: string }) => code ?? message);
    return { time, outcome };
  };

  it('counts failures only, and forgets them when the window ends', async () => {
    const { time, outcome } = newLimit();
    for (let at = 0; at < 10; at += 1) assert.equal(await outcome('192.0.2.1', true), 'right');
    for (let at = 0; at < 3; at += 1) assert.equal(await outcome('192.0.2.1'), 'wrong');
    assert.equal(await outcome('192.0.2.1', true), 'RATE_LIMITED');
    assert.equal(await outcome('192.0.2.2', true), 'right');
    time.now = 60_000;
    assert.equal(await outcome('192.0.2.1', true), 'right');
  });

  it('counts concurrent attempts before they have failed', async () => {
    const { outcome } = newLimit();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome('192.0.2.1')));
    assert.equal(outcomes.filter((one) => one === 'wrong').length, 3);
  });

  it('counts the addresses of one IPv6 network together, and clients without an address', async () => {
    const { outcome } = newLimit();
    for (const address of ['2001:db8:0:1::1', '2001:db8:0:1:ffff::', '2001:db8:0:1::2']) await outcome(address);
    assert.equal(await outcome('2001:db8:0:1::3'), 'RATE_LIMITED');
    assert.equal(await outcome('2001:db8:0:2::1'), 'wrong');
    for (let at = 0; at < 3; at += 1) await outcome(null);
    assert.equal(await outcome(null), 'RATE_LIMITED');
  });

  it('keeps a bounded number of addresses, those that were seen last', async () => {
    const { outcome } = newLimit(2);
    for (let at = 0; at < 3; at += 1) await outcome('192.0.2.1');
    for (let at = 0; at < 1000; at += 1) {
      await outcome(`198.51.${at >> 8}.${at & 255}`);
      assert.equal(await outcome('192.0.2.1'), 'RATE_LIMITED');
    }
    await outcome('203.0.113.1');
    await outcome('203.0.113.2');
    assert.equal(await outcome('192.0.2.1'), 'wrong');
  });
});
