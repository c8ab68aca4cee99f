import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError, readConfig, readDatabaseLocation } from '../src/config.ts';

describe('the configuration', () => {
  it('has a default for every variable, including empty ones', () => {
    const expected = {
      host: '127.0.0.1',
      port: 8080,
      database: { engine: 'sqlite', file: resolve('data/voice-agents.db') },
      logLevel: 'info',
      rateLimit: { requests: 600_000, windowSeconds: 60 },
      mediaFolder: resolve('data/media'),
      bootstrapApiKey: null,
      dataKeys: [],
      workers: 1,
      timeouts: { headersMs: 10_000, requestMs: 30_000, writeMs: 30_000, keepAliveMs: 72_000 },
      limits: { connections: 10_000, requestBytes: 256 * 1024 ** 2, responseBytes: 96 * 1024 ** 2 },
      allowedNetworks: ['127.0.0.0/8', '::1/128'],
      outboundProxy: null,
      eventRetentionDays: 30,
    };
    assert.deepEqual(readConfig({}), expected);
    assert.deepEqual(readConfig({ PORT: '', DATABASE_URL: '', RATE_LIMIT: '', BOOTSTRAP_API_KEY: '' }), expected);
  });

  it('reads every variable', () => {
    const config = readConfig({
      HOST: '::',
      PORT: '0',
      DATABASE_URL: 'postgres://u:p@db/x',
      LOG_LEVEL: 'WARN',
      RATE_LIMIT: '5/2m',
      MEDIA_DIR: 'elsewhere/media',
      BOOTSTRAP_API_KEY: 'a key of 20 letters!',
      DATA_KEY: `${Buffer.alloc(32, 1).toString('base64')}, ${Buffer.alloc(32, 2).toString('base64')}`,
      WORKERS: '4',
      HEADERS_TIMEOUT: '500ms',
      REQUEST_TIMEOUT: '1m',
      WRITE_TIMEOUT: '5s',
      KEEP_ALIVE_TIMEOUT: '10m',
      MAX_CONNECTIONS: '50',
      MAX_REQUEST_MEMORY: '64MB',
      MAX_RESPONSE_MEMORY: '1gb',
      OUTBOUND_ALLOWED_NETWORKS: '10.0.0.0/8, fd00::/8',
      OUTBOUND_PROXY: 'http://Proxy.internal:3128/',
      EVENT_RETENTION_DAYS: '365',
    });
    assert.deepEqual(config, {
      host: '::',
      port: 0,
      database: { engine: 'postgres', url: 'postgres://u:p@db/x' },
      logLevel: 'warn',
      rateLimit: { requests: 5, windowSeconds: 120 },
      mediaFolder: resolve('elsewhere/media'),
      bootstrapApiKey: 'a key of 20 letters!',
      dataKeys: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)],
      workers: 4,
      timeouts: { headersMs: 500, requestMs: 60_000, writeMs: 5000, keepAliveMs: 600_000 },
      limits: { connections: 50, requestBytes: 64 * 1024 ** 2, responseBytes: 1024 ** 3 },
      allowedNetworks: ['10.0.0.0/8', 'fd00::/8'],
      outboundProxy: 'http://proxy.internal:3128',
      eventRetentionDays: 365,
    });
    assert.equal(readConfig({ RATE_LIMIT: 'off' }).rateLimit, null);
    assert.deepEqual(readDatabaseLocation({ DATABASE_URL: 'sqlite:///var/x.db' }), {
      engine: 'sqlite',
      file: '/var/x.db',
    });
  });

  it('rejects a header timeout longer than the request timeout', () => {
    assert.throws(
      () => readConfig({ HEADERS_TIMEOUT: '40s' }),
      /HEADERS_TIMEOUT must not be longer than REQUEST_TIMEOUT/,
    );
  });

  it('allows connections to this machine by default while only this machine reaches the service', () => {
    for (const HOST of ['127.0.0.1', '::1', 'localhost']) {
      assert.deepEqual(readConfig({ HOST }).allowedNetworks, ['127.0.0.0/8', '::1/128'], HOST);
    }
    for (const HOST of ['0.0.0.0', '::', 'voice.example.com']) {
      assert.deepEqual(readConfig({ HOST }).allowedNetworks, [], HOST);
    }
    assert.deepEqual(readConfig({ OUTBOUND_ALLOWED_NETWORKS: 'none' }).allowedNetworks, []);
  });

  it('reports all invalid values at once, and never a secret', () => {
    const bad = {
      HOST: 'a b',
      PORT: '70000',
      DATABASE_URL: 'mysql://root:hunter2@db',
      LOG_LEVEL: 'loud',
      RATE_LIMIT: '0/60s',
      BOOTSTRAP_API_KEY: 'too-short-secret',
      DATA_KEY: 'not-a-data-key',
      HEADERS_TIMEOUT: '10',
      REQUEST_TIMEOUT: '2h',
      WRITE_TIMEOUT: '0s',
      KEEP_ALIVE_TIMEOUT: 'never',
      MAX_CONNECTIONS: '0',
      MAX_REQUEST_MEMORY: '1MB',
      MAX_RESPONSE_MEMORY: '128',
      OUTBOUND_ALLOWED_NETWORKS: '10.0.0.0',
      OUTBOUND_PROXY: 'http://user:swordfish@proxy:3128',
      EVENT_RETENTION_DAYS: '0',
    };
    assert.throws(
      () => readConfig(bad),
      (error: Error) => {
        assert.ok(error instanceof ConfigError);
        for (const name of Object.keys(bad)) assert.ok(error.message.includes(name), name);
        assert.ok(!/hunter2|too-short-secret|swordfish|not-a-data-key/.test(error.message));
        return true;
      },
    );
  });

  it('rejects values that only look valid', () => {
    const bad: Record<string, string>[] = [
      { PORT: '-1' },
      { PORT: '1e3' },
      { PORT: '80 ' },
      { DATABASE_URL: 'sqlite:' },
      { DATABASE_URL: 'sqlite::memory:' },
      { DATABASE_URL: 'postgres://[' },
      { WORKERS: '0' },
      { WORKERS: '65' },
      { WORKERS: 'two' },
      { RATE_LIMIT: '10' },
      { RATE_LIMIT: '10/0s' },
      { RATE_LIMIT: '10/5w' },
      { BOOTSTRAP_API_KEY: ` ${'x'.repeat(20)}` },
      { BOOTSTRAP_API_KEY: 'x'.repeat(201) },
      { BOOTSTRAP_API_KEY: `${'x'.repeat(20)}é` },
      { OUTBOUND_ALLOWED_NETWORKS: '10.0.0.0/8,' },
      { DATA_KEY: Buffer.alloc(31).toString('base64') },
      { DATA_KEY: Buffer.alloc(32).toString('hex') },
      { DATA_KEY: `${Buffer.alloc(32).toString('base64')},` },
      { OUTBOUND_ALLOWED_NETWORKS: '0.0.0.0/0' },
      { OUTBOUND_ALLOWED_NETWORKS: 'none,10.0.0.0/8' },
      { OUTBOUND_PROXY: 'proxy:3128' },
      { OUTBOUND_PROXY: 'https://proxy:3128' },
      { OUTBOUND_PROXY: 'socks5://proxy:1080' },
      { OUTBOUND_PROXY: 'http://:3128' },
      { OUTBOUND_PROXY: 'http://proxy:99999' },
      { OUTBOUND_PROXY: 'http://proxy:3128/path' },
      { OUTBOUND_PROXY: 'http://proxy:3128?a' },
      { EVENT_RETENTION_DAYS: '366' },
      { EVENT_RETENTION_DAYS: '1.5' },
    ];
    for (const environment of bad)
      assert.throws(() => readConfig(environment), ConfigError, JSON.stringify(environment));
  });
});
