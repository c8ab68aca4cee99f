import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressIssue, type Scheme } from '../../src/net/address.ts';
import { AllowedNetworks } from '../../src/net/networks.ts';

const none = new AllowedNetworks([]);
const loopback = new AllowedNetworks(['127.0.0.0/8', '::1/128']);
const containers = new AllowedNetworks(['172.16.0.0/12', 'fd00::/8']);

const issue = (address: string, allowedNetworks = none, schemes: readonly Scheme[] = ['https']) =>
  addressIssue(address, { schemes, allowedNetworks });

const refused = (addresses: readonly string[], pattern: RegExp, allowedNetworks = none) => {
  for (const address of addresses) assert.match(issue(address, allowedNetworks) ?? 'accepted', pattern, address);
};
const accepted = (addresses: readonly string[], allowedNetworks = none) => {
  for (const address of addresses) assert.equal(issue(address, allowedNetworks), undefined, address);
};

describe('the address of another server', () => {
  it('is encrypted, with the scheme that its field takes', () => {
    accepted(['https://example.com', 'HTTPS://EXAMPLE.COM/a?b=c', 'https://例え.jp/予約']);
    refused(['wss://example.com', 'ftp://example.com', 'file:///etc/passwd', 'javascript:alert(1)'], /must start with/);
    refused(
      ['', 'example.com', '//example.com', 'https://', 'https://a b', 'https://[::1', 'https://1.2.3.4.5'],
      /URL/,
    );
    assert.equal(issue('wss://example.com/llm', none, ['wss']), undefined);
    assert.match(issue('https://example.com/llm', none, ['wss']) ?? '', /must start with wss:\/\//);
    assert.match(issue('ws://example.com/llm', none, ['wss']) ?? '', /must start with wss:\/\//);
    assert.equal(issue('ws://127.0.0.1:9000/llm', loopback, ['wss']), undefined);
    assert.match(issue('http://127.0.0.1:9000/llm', loopback, ['wss']) ?? '', /must start with wss:\/\//);
  });

  it('is unencrypted on this machine, and in networks that the operator allows, only', () => {
    const local = ['http://localhost:9000', 'http://localhost', 'http://127.1.2.3:8080/x', 'http://[::1]:3000'];
    accepted([...local, 'http://shop.localhost:9000', 'http://0x7f.1:9000', 'http://localhost.:9000'], loopback);
    refused(local, /network/);
    refused(['http://example.com', 'http://8.8.8.8', 'http://receiver:8080'], /must start with https/, loopback);
    accepted(['http://receiver:8080/hook', 'http://172.17.0.2:8080', 'http://[fd00::2]:8080'], containers);
    refused(['http://10.0.0.1:8080', 'http://8.8.8.8', 'http://[::1]:8080'], /must start with|network/, containers);
  });

  it('has no user, no password and no fragment', () => {
    refused(['https://user@example.com', 'https://:p@example.com', 'https://u:p@example.com'], /user name or password/);
    refused(['https://example.com/#', 'https://example.com/#a', 'https://example.com#@1.1.1.1'], /fragment/);
    accepted(['https://example.com/%23', 'https://example.com/a@b']);
  });

  it('uses port 443, a port from 1024 to 65535, or the default', () => {
    accepted([':443', ':1024', ':8443', ':65535', ''].map((port) => `https://example.com${port}/`));
    refused(
      [':0', ':1', ':22', ':25', ':80', ':442', ':444', ':1023'].map((port) => `https://example.com${port}/`),
      /port/,
    );
    refused(['https://example.com:65536/', 'https://example.com:x/'], /URL/);
    accepted(['http://127.0.0.1/', 'http://127.0.0.1:80/', 'http://127.0.0.1:443/'], loopback);
  });

  it('is at most 2,048 characters long', () => {
    const start = 'https://example.com/';
    accepted([start + 'a'.repeat(2048 - start.length), start + '😀'.repeat(2048 - start.length)]);
    refused([start + 'a'.repeat(2049 - start.length)], /2048/);
  });

  it('is public, in whatever notation it is written', () => {
    const hosts = {
      public: ['8.8.8.8', '134744072', '0x08080808', '010.8.8.8', '8.8.2056', '8.8.8.8.', '[2606:4700::1111]'],
      loopback: [
        '127.0.0.1',
        '2130706433',
        '0x7f000001',
        '0x7F.1',
        '0177.0.0.1',
        '017700000001',
        '127.1',
        '127.0.0.1.',
      ],
      metadata: ['169.254.169.254', '2852039166', '0xA9FEA9FE', '0251.0376.0251.0376', '169.254.43518'],
      unspecified: ['0.0.0.0', '0', '0x0', '00', '[::]'],
      full: ['１２７.０.０.１', '127。0。0。1', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1'],
      mapped: ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:FFFF:10.0.0.1]', '[::ffff:169.254.169.254]'],
      sixToFour: ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:c0a8:101::1]', '[2002:a9fe:a9fe::]'],
      nat64: ['[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::808:808]'],
      compatible: ['[::127.0.0.1]', '[::8.8.8.8]', '[::7f00:1]'],
    };
    for (const [kind, list] of Object.entries(hosts)) {
      const addresses = list.map((host) => `https://${host}/`);
      if (kind === 'public') accepted(addresses);
      else refused(addresses, /local, private or reserved/);
    }
    refused(['https://[fe80::1%25eth0]/', 'https://[fe80::1%eth0]/'], /URL/);
    accepted(['https://[::ffff:8.8.8.8]/', 'https://[2002:808:808::1]/', 'https://[64:ff9b::8.8.8.8]/']);
  });

  it('is not looked up: what a name resolves to is for the connection to check', () => {
    accepted([
      'https://localhost.example.com',
      'https://127.0.0.1.nip.io',
      'https://intranet',
      'https://metadata.internal',
    ]);
    refused(['https://localhost', 'https://LOCALHOST.', 'https://a.localhost:8443'], /network/);
    accepted(['https://localhost'], loopback);
  });
});
