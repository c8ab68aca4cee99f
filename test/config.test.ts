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
      callRate: { requests: 600, windowSeconds: 60 },
      callConcurrency: 20,
      reservedInbound: 0,
      sharesProviders: true,
      twilioUrl: 'https://api.twilio.com',
      publicUrl: null,
      mediaFolder: resolve('data/media'),
      trustedProxies: [],
      bootstrapApiKey: null,
      dataKeys: [],
      workers: 1,
      drainSeconds: 0,
      timeouts: { headersMs: 10_000, requestMs: 30_000, writeMs: 30_000, keepAliveMs: 72_000 },
      limits: { connections: 10_000, requestBytes: 256 * 1024 ** 2, responseBytes: 96 * 1024 ** 2 },
      allowedNetworks: ['127.0.0.0/8', '::1/128'],
      outboundProxy: null,
      llm: null,
      speech: { models: resolve('data/speech'), isPreloaded: false },
      speechProviders: { deepgram: null, elevenlabs: null, cartesia: null },
      eventRetentionDays: 30,
      mediaBucket: null,
      embeddings: null,
      knowledgeMemoryMb: 256,
      tracing: null,
      unusedTracingVariables: [],
    };
    assert.deepEqual(readConfig({}), expected);
    assert.deepEqual(readConfig({ PORT: '', DATABASE_URL: '', RATE_LIMIT: '', OPENAI_API_KEY: '' }), expected);
  });

  it('reads every variable', () => {
    const config = readConfig({
      HOST: '::',
      PORT: '0',
      DATABASE_URL: 'postgres://u:p@db/x',
      LOG_LEVEL: 'WARN',
      RATE_LIMIT: '5/2m',
      CALL_RATE: '7/1h',
      CALL_CONCURRENCY: '100000',
      RESERVED_INBOUND: '99999',
      SHARED_PROVIDERS: 'off',
      TWILIO_BASE_URL: 'https://api.sydney.au1.twilio.com/',
      PUBLIC_URL: 'HTTPS://Voice.example.com:8443/api/',
      MEDIA_DIR: 'elsewhere/media',
      TRUSTED_PROXIES: '10.0.0.5, 172.16.0.0/12,2001:db8::/32, ::1',
      BOOTSTRAP_API_KEY: 'a key of 20 letters!',
      DATA_KEY: `${Buffer.alloc(32, 1).toString('base64')}, ${Buffer.alloc(32, 2).toString('base64')}`,
      WORKERS: '4',
      DRAIN_SECONDS: '600',
      HEADERS_TIMEOUT: '500ms',
      REQUEST_TIMEOUT: '1m',
      WRITE_TIMEOUT: '5s',
      KEEP_ALIVE_TIMEOUT: '10m',
      MAX_CONNECTIONS: '50',
      MAX_REQUEST_MEMORY: '64MB',
      MAX_RESPONSE_MEMORY: '1gb',
      OUTBOUND_ALLOWED_NETWORKS: '10.0.0.0/8, fd00::/8',
      OUTBOUND_PROXY: 'http://Proxy.internal:3128/',
      OPENAI_API_KEY: 'sk-0123456789',
      OPENAI_BASE_URL: 'http://Models.internal:11434/v1/',
      LLM_MODEL_MAP: 'gpt-5.4-mini=llama3.2:3b, *=qwen3',
      DEEPGRAM_API_KEY: 'dg-1',
      ELEVENLABS_API_KEY: 'el-1',
      ELEVENLABS_BASE_URL: 'https://api.eu.residency.elevenlabs.io/',
      CARTESIA_BASE_URL: 'http://127.0.0.1:9000',
      SPEECH_MODELS: 'elsewhere/speech',
      SPEECH_PRELOAD: 'true',
      EVENT_RETENTION_DAYS: '365',
      EMBEDDINGS_MODEL: 'bge-m3',
      EMBEDDINGS_BASE_URL: 'http://Models.internal:8080/v1/',
      EMBEDDINGS_API_KEY: 'emb-1',
      EMBEDDINGS_DIMENSIONS: '512',
      KNOWLEDGE_MEMORY_MB: '1024',
    });
    assert.deepEqual(config, {
      host: '::',
      port: 0,
      database: { engine: 'postgres', url: 'postgres://u:p@db/x' },
      logLevel: 'warn',
      rateLimit: { requests: 5, windowSeconds: 120 },
      callRate: { requests: 7, windowSeconds: 3600 },
      callConcurrency: 100_000,
      reservedInbound: 99_999,
      sharesProviders: false,
      twilioUrl: 'https://api.sydney.au1.twilio.com',
      publicUrl: 'https://voice.example.com:8443/api',
      mediaFolder: resolve('elsewhere/media'),
      trustedProxies: ['10.0.0.5/32', '172.16.0.0/12', '2001:db8::/32', '::1/128'],
      bootstrapApiKey: 'a key of 20 letters!',
      dataKeys: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)],
      workers: 4,
      drainSeconds: 600,
      timeouts: { headersMs: 500, requestMs: 60_000, writeMs: 5000, keepAliveMs: 600_000 },
      limits: { connections: 50, requestBytes: 64 * 1024 ** 2, responseBytes: 1024 ** 3 },
      allowedNetworks: ['10.0.0.0/8', 'fd00::/8'],
      outboundProxy: 'http://proxy.internal:3128',
      llm: {
        apiKey: 'sk-0123456789',
        baseUrl: 'http://models.internal:11434/v1',
        modelMap: new Map([
          ['gpt-5.4-mini', 'llama3.2:3b'],
          ['*', 'qwen3'],
        ]),
      },
      speech: { models: resolve('elsewhere/speech'), isPreloaded: true },
      speechProviders: {
        deepgram: { apiKey: 'dg-1', baseUrl: 'https://api.deepgram.com' },
        elevenlabs: { apiKey: 'el-1', baseUrl: 'https://api.eu.residency.elevenlabs.io' },
        cartesia: { apiKey: null, baseUrl: 'http://127.0.0.1:9000' },
      },
      mediaBucket: null,
      eventRetentionDays: 365,
      embeddings: {
        model: 'bge-m3',
        dimensions: 512,
        baseUrl: 'http://models.internal:8080/v1',
        apiKey: 'emb-1',
      },
      knowledgeMemoryMb: 1024,
      // These have a file of their own.
      tracing: null,
      unusedTracingVariables: [],
    });
    assert.equal(readConfig({ RATE_LIMIT: 'off' }).rateLimit, null);
    assert.equal(readConfig({ CALL_RATE: 'off' }).callRate, null);
    assert.equal(readConfig({ PUBLIC_URL: 'http://127.0.0.1:80/' }).publicUrl, 'http://127.0.0.1');
    assert.deepEqual(readDatabaseLocation({ DATABASE_URL: 'sqlite:///var/x.db' }), {
      engine: 'sqlite',
      file: '/var/x.db',
    });
  });

  it('connects a model with a key or an address, and not with names of models alone', () => {
    const modelMap = new Map();
    assert.deepEqual(readConfig({ OPENAI_API_KEY: 'sk-1' }).llm, {
      apiKey: 'sk-1',
      baseUrl: 'https://api.openai.com/v1',
      modelMap,
    });
    const OPENAI_BASE_URL = 'http://127.0.0.1:11434/v1';
    assert.deepEqual(readConfig({ OPENAI_BASE_URL }).llm, { apiKey: null, baseUrl: OPENAI_BASE_URL, modelMap });
    assert.equal(readConfig({ LLM_MODEL_MAP: '*=qwen3' }).llm, null);
  });

  it('sends no text to a provider of embeddings until a model is named', () => {
    const OPENAI_API_KEY = 'sk-1';
    assert.equal(readConfig({ OPENAI_API_KEY }).embeddings, null);
    assert.deepEqual(readConfig({ OPENAI_API_KEY, EMBEDDINGS_MODEL: 'small' }).embeddings, {
      model: 'small',
      dimensions: null,
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'sk-1',
    });
    assert.throws(() => readConfig({ EMBEDDINGS_MODEL: 'small' }), /EMBEDDINGS_MODEL requires EMBEDDINGS_API_KEY/);
  });

  it('does not send the key of the language model to another server of embeddings', () => {
    const environment = { OPENAI_API_KEY: 'sk-1', EMBEDDINGS_MODEL: 'm', EMBEDDINGS_BASE_URL: 'http://other:1/v1' };
    assert.equal(readConfig(environment).embeddings?.apiKey, null);
  });

  it('sends a key for embeddings to the server of the language model', () => {
    const OPENAI_BASE_URL = 'http://127.0.0.1:11434/v1';
    const { embeddings } = readConfig({ OPENAI_BASE_URL, EMBEDDINGS_MODEL: 'm', EMBEDDINGS_API_KEY: 'emb-1' });
    assert.deepEqual(embeddings, { model: 'm', dimensions: null, baseUrl: OPENAI_BASE_URL, apiKey: 'emb-1' });
  });

  it('rejects a header timeout longer than the request timeout', () => {
    assert.throws(
      () => readConfig({ HEADERS_TIMEOUT: '40s' }),
      /HEADERS_TIMEOUT must not be longer than REQUEST_TIMEOUT/,
    );
  });

  it('leaves at least one call that is not reserved for inbound phone calls', () => {
    assert.equal(readConfig({ RESERVED_INBOUND: '19' }).reservedInbound, 19);
    assert.throws(() => readConfig({ RESERVED_INBOUND: '20' }), /RESERVED_INBOUND must be less than CALL_CONCURRENCY/);
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
      CALL_RATE: '600',
      CALL_CONCURRENCY: '0',
      RESERVED_INBOUND: '-1',
      TWILIO_BASE_URL: 'https://user:swordfish@twilio',
      PUBLIC_URL: 'https://user:swordfish@voice.example.com',
      TRUSTED_PROXIES: 'proxy.internal',
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
      OPENAI_API_KEY: 'sk my-model-key',
      OPENAI_BASE_URL: 'https://user:swordfish@models/v1',
      LLM_MODEL_MAP: 'gpt-5.4-mini',
      DEEPGRAM_API_KEY: 'dg my-model-key',
      ELEVENLABS_BASE_URL: 'https://user:swordfish@voices',
      CARTESIA_API_KEY: 'cé',
      EVENT_RETENTION_DAYS: '0',
    };
    assert.throws(
      () => readConfig(bad),
      (error: Error) => {
        assert.ok(error instanceof ConfigError);
        for (const name of Object.keys(bad)) assert.ok(error.message.includes(name), name);
        assert.ok(!/hunter2|too-short-secret|swordfish|not-a-data-key|my-model-key/.test(error.message));
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
      { DRAIN_SECONDS: '86401' },
      { DRAIN_SECONDS: '5m' },
      { WORKERS: '0' },
      { WORKERS: '65' },
      { WORKERS: 'two' },
      { RATE_LIMIT: '10' },
      { RATE_LIMIT: '10/0s' },
      { RATE_LIMIT: '10/5w' },
      { CALL_CONCURRENCY: '100001' },
      { CALL_CONCURRENCY: '1.5' },
      { PUBLIC_URL: 'voice.example.com' },
      { PUBLIC_URL: 'ftp://voice.example.com' },
      { PUBLIC_URL: 'https://voice.example.com?a=1' },
      { PUBLIC_URL: 'https://voice.example.com/#a' },
      { PUBLIC_URL: 'https://voice.example.com:99999' },
      { BOOTSTRAP_API_KEY: `vat_${'x'.repeat(20)}` },
      { BOOTSTRAP_API_KEY: ` ${'x'.repeat(20)}` },
      { BOOTSTRAP_API_KEY: 'x'.repeat(201) },
      { BOOTSTRAP_API_KEY: `${'x'.repeat(20)}é` },
      { OUTBOUND_ALLOWED_NETWORKS: '10.0.0.0/8,' },
      { DATA_KEY: Buffer.alloc(31).toString('base64') },
      { DATA_KEY: Buffer.alloc(32).toString('hex') },
      { DATA_KEY: `${Buffer.alloc(32).toString('base64')},` },
      { OUTBOUND_ALLOWED_NETWORKS: '0.0.0.0/0' },
      { OUTBOUND_ALLOWED_NETWORKS: 'none,10.0.0.0/8' },
      { TRUSTED_PROXIES: '0.0.0.0/0' },
      { TRUSTED_PROXIES: '10.0.0.1,::/0' },
      { TRUSTED_PROXIES: '10.0.0.0/33' },
      { TRUSTED_PROXIES: '10.0.0.1,' },
      { TRUSTED_PROXIES: '10.0.0.1:80' },
      { OUTBOUND_PROXY: 'proxy:3128' },
      { OUTBOUND_PROXY: 'https://proxy:3128' },
      { OUTBOUND_PROXY: 'socks5://proxy:1080' },
      { OUTBOUND_PROXY: 'http://:3128' },
      { OUTBOUND_PROXY: 'http://proxy:99999' },
      { OUTBOUND_PROXY: 'http://proxy:3128/path' },
      { OUTBOUND_PROXY: 'http://proxy:3128?a' },
      { EMBEDDINGS_MODEL: 'a model' },
      { EMBEDDINGS_DIMENSIONS: '7' },
      { EMBEDDINGS_DIMENSIONS: '1025' },
      { EMBEDDINGS_DIMENSIONS: '12.5' },
      { KNOWLEDGE_MEMORY_MB: '15' },
      { KNOWLEDGE_MEMORY_MB: '256MB' },
      { OPENAI_API_KEY: 'sk-é' },
      { OPENAI_BASE_URL: 'models:11434' },
      { OPENAI_BASE_URL: 'ftp://models/v1' },
      { OPENAI_BASE_URL: 'http://models/v1?key=1' },
      { OPENAI_BASE_URL: 'http://models:99999/v1' },
      { LLM_MODEL_MAP: 'a=b,' },
      { LLM_MODEL_MAP: 'a=' },
      { LLM_MODEL_MAP: 'a=b=c' },
      { LLM_MODEL_MAP: 'a=b,a=c' },
      { EVENT_RETENTION_DAYS: '366' },
      { EVENT_RETENTION_DAYS: '1.5' },
    ];
    for (const environment of bad)
      assert.throws(() => readConfig(environment), ConfigError, JSON.stringify(environment));
  });

  it('reads where media files are', () => {
    const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const bucket = (environment: Record<string, string>) =>
      readConfig({ MEDIA_URL: 's3://recordings', ...environment }).mediaBucket;
    assert.deepEqual(bucket(keys), {
      bucket: 'recordings',
      prefix: '',
      region: 'us-east-1',
      endpoint: 'https://s3.us-east-1.amazonaws.com',
      isPathStyle: false,
      hasLinks: false,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: null },
    });
    assert.deepEqual(
      bucket({
        MEDIA_URL: 's3://recordings/voice/agents/',
        MEDIA_DOWNLOADS: 'link',
        MEDIA_PATH_STYLE: 'false',
        AWS_REGION: 'eu-central-1',
        AWS_ENDPOINT_URL: 'http://127.0.0.1:9000/',
        AWS_SHARED_CREDENTIALS_FILE: '/run/credentials',
      }),
      {
        bucket: 'recordings',
        prefix: 'voice/agents/',
        region: 'eu-central-1',
        endpoint: 'http://127.0.0.1:9000',
        isPathStyle: false,
        hasLinks: true,
        credentials: { file: '/run/credentials', profile: 'default' },
      },
    );
    assert.equal(bucket({ ...keys, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000' })?.isPathStyle, true);
    const refused = (environment: Record<string, string>, message: RegExp): void => {
      assert.throws(
        () => bucket(environment),
        (error) => error instanceof ConfigError && message.test(error.message) && !/secret$/.test(error.message),
      );
    };
    refused({}, /^MEDIA_URL requires credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a file/);
    refused({ AWS_ACCESS_KEY_ID: 'id' }, /^AWS_SECRET_ACCESS_KEY is missing/);
    refused(
      { ...keys, MEDIA_URL: 'https://u:secret@x/y' },
      /^MEDIA_URL must be s3:\/\/bucket or s3:\/\/bucket\/prefix$/,
    );
    refused({ ...keys, MEDIA_URL: 's3://A' }, /^MEDIA_URL must name a bucket/);
    refused({ ...keys, MEDIA_URL: 's3://recordings/../x' }, /^MEDIA_URL must have a prefix of letters/);
    refused({ ...keys, AWS_ENDPOINT_URL: 'minio:9000' }, /^AWS_ENDPOINT_URL must be http/);
    refused({ ...keys, MEDIA_DOWNLOADS: 'yes' }, /^MEDIA_DOWNLOADS must be stream or link, not "yes"$/);
  });
});
