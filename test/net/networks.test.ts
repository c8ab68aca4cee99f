import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AllowedNetworks, defaultNetworks, isPublicUnicast, networkIssue } from '../../src/net/networks.ts';

/** The first and the last address of each range, which are not public, and their neighbors, which are. */
const ranges: readonly (readonly [before: string | null, first: string, last: string, after: string | null])[] = [
  [null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '239.255.255.255', null],
  [null, '240.0.0.0', '255.255.255.255', null],
  [null, '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
];

describe('addresses', () => {
  it('are public unicast outside of every special range, up to its very edges', () => {
    for (const [before, first, last, after] of ranges) {
      for (const ip of [first, last]) assert.equal(isPublicUnicast(ip), false, ip);
      for (const ip of [before, after]) if (ip !== null) assert.equal(isPublicUnicast(ip), true, ip);
    }
  });

  it('inside of others count as what they lead to', () => {
    for (const [before, first, last, after] of ranges) {
      for (const ip of [before, first, last, after]) {
        if (ip === null || ip.includes(':')) continue;
        const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const forms = [`::ffff:${ip}`, `::ffff:${hex}`, `64:ff9b::${ip}`, `64:ff9b::${hex}`, `2002:${hex}::1`];
        for (const form of forms) assert.equal(isPublicUnicast(form), isPublicUnicast(ip), form);
        assert.equal(isPublicUnicast(`::${hex}`), false, 'compatible addresses are withdrawn');
        assert.equal(isPublicUnicast(`64:ff9b:1::${hex}`), false, 'NAT64 of a local network');
      }
    }
  });

  it('with a zone, and texts that are none, are never allowed', () => {
    const networks = new AllowedNetworks(['10.0.0.0/8', 'fc00::/7', '::1/128']);
    for (const text of [
      'fe80::1%eth0',
      '2606:4700::1111%1',
      '::1%lo',
      '',
      'localhost',
      '10.1',
      '10.0.0.1/8',
      '[::1]',
    ]) {
      assert.equal(networks.isAllowedAddress(text), false, text);
    }
  });

  it('in allowed networks are allowed, also when mapped, and no others', () => {
    const networks = new AllowedNetworks(['10.1.0.0/16', 'fd12::/16', '::1/128']);
    for (const ip of ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', '::ffff:a01:203', 'fd12::1', '::1', '8.8.8.8']) {
      assert.equal(networks.isAllowedAddress(ip), true, ip);
    }
    for (const ip of [
      '10.0.255.255',
      '10.2.0.0',
      '127.0.0.1',
      'fd13::1',
      '::2',
      '169.254.169.254',
      '::ffff:10.2.0.0',
    ]) {
      assert.equal(networks.isAllowedAddress(ip), false, ip);
    }
    // The relay of 6to4 or NAT64 is elsewhere: its private network is not ours.
    for (const ip of ['2002:a01:203::1', '64:ff9b::10.1.2.3']) assert.equal(networks.isAllowedAddress(ip), false, ip);
  });
});

describe('the networks that an operator allows', () => {
  it('are this machine by default, while only this machine reaches the service', () => {
    for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'localhost', 'LOCALHOST']) {
      assert.deepEqual(defaultNetworks(host), ['127.0.0.0/8', '::1/128'], host);
    }
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.com', 'localhost.example.com']) {
      assert.deepEqual(defaultNetworks(host), [], host);
    }
  });

  it('are loopback or private, in CIDR notation', () => {
    const good = ['127.0.0.0/8', '127.0.0.1/32', '10.0.0.0/8', '10.4.0.0/16', '172.16.0.0/12', '172.31.0.0/16'];
    for (const network of [...good, '192.168.1.0/24', '100.64.0.0/10', '::1/128', 'fc00::/7', 'FD00::/8']) {
      assert.equal(networkIssue(network), undefined, network);
    }
    const malformed = ['10.0.0.0', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '/8', '::1', 'fd00::/129', 'fd00::%a/8'];
    for (const network of [...malformed, '', 'localhost', '010.0.0.0/8', '10.0.0.0/8/8', '10.0.0.0/-1']) {
      assert.match(networkIssue(network) ?? '', /such as/, network);
    }
    const wide = ['0.0.0.0/0', '::/0', '10.0.0.0/7', '172.16.0.0/11', '169.254.0.0/16', '224.0.0.0/4', '8.8.8.8/32'];
    for (const network of [...wide, 'fe80::/10', '::/127', '::ffff:10.0.0.0/104', '2001:db8::/32', 'fc00::/6']) {
      assert.match(networkIssue(network) ?? '', /loopback and private/, network);
    }
  });
});
