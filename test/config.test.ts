import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError, readConfig, readDatabaseLocation } from '../src/config.ts';

describe('the configuration', () => {
  it('has a default for everything, also where a variable is empty', () => {
    const expected = {
      host: '127.0.0.1',
      port: 8080,
      database: { engine: 'sqlite', file: resolve('data/voice-agents.db') },
      logLevel: 'info',
      rateLimit: { requests: 600_000, windowSeconds: 60 },
      bootstrapApiKey: null,
      workers: 1,
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
      BOOTSTRAP_API_KEY: 'a key of 20 letters!',
      WORKERS: '4',
    });
    assert.deepEqual(config, {
      host: '::',
      port: 0,
      database: { engine: 'postgres', url: 'postgres://u:p@db/x' },
      logLevel: 'warn',
      rateLimit: { requests: 5, windowSeconds: 120 },
      bootstrapApiKey: 'a key of 20 letters!',
      workers: 4,
    });
    assert.equal(readConfig({ RATE_LIMIT: 'off' }).rateLimit, null);
    assert.deepEqual(readDatabaseLocation({ DATABASE_URL: 'sqlite:///var/x.db' }), {
      engine: 'sqlite',
      file: '/var/x.db',
    });
  });

  it('names every bad value at once, and never a secret', () => {
    const bad = {
      HOST: 'a b',
      PORT: '70000',
      DATABASE_URL: 'mysql://root:hunter2@db',
      LOG_LEVEL: 'loud',
      RATE_LIMIT: '0/60s',
      BOOTSTRAP_API_KEY: 'too-short-secret',
    };
    assert.throws(
      () => readConfig(bad),
      (error: Error) => {
        assert.ok(error instanceof ConfigError);
        for (const name of Object.keys(bad)) assert.ok(error.message.includes(name), name);
        assert.ok(!/hunter2|too-short-secret/.test(error.message));
        return true;
      },
    );
  });

  it('refuses what only looks like a value', () => {
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
    ];
    for (const environment of bad)
      assert.throws(() => readConfig(environment), ConfigError, JSON.stringify(environment));
  });
});
