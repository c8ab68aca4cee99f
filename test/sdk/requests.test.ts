import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { VoiceAgents, type VoiceAgentsOptions, version } from '../../sdk/src/index.ts';

const secret = 'vak_a_secret_that_nobody_may_see';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
  readonly redirect: string;
}

/** A client whose requests end here, each with the next of the given responses. */
function clientWith(answers: readonly (() => Response)[], options: VoiceAgentsOptions = {}) {
  const sent: Sent[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const { method = '', headers, body, redirect = '' } = init;
    sent.push({
      url: String(url),
      method,
      headers: new Headers(headers),
      body: (body ?? null) as string | null,
      redirect,
    });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    return answer?.() ?? json({});
  };
  return { sent, client: new VoiceAgents({ apiKey: secret, baseUrl: 'http://service.test', fetch, ...options }) };
}

function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  return json({ error: { code, message: 'No.', requestId: 'req_1' } }, status, headers);
}

describe('an SDK request', () => {
  it('has the headers of the client, which the options of a call replace', async () => {
    const { client, sent } = clientWith([], { headers: { prefer: 'handling=strict', authorization: 'none' } });
    await client.whoami();
    await client.whoami({ headers: { Prefer: 'handling=lenient' } });
    assert.deepEqual(
      sent.map(({ headers }) => headers.get('prefer')),
      ['handling=strict', 'handling=lenient'],
    );
    assert.equal(sent[0]?.headers.get('authorization'), `Bearer ${secret}`);
  });

  it('is in the debug log, with ignored fields and retries, and without content or credentials', async () => {
    const lines: string[] = [];
    const ignored = { 'ignored-fields': 'colour, %E8%89%B2.0, a%0Ab', 'x-request-id': 'req_7' };
    const page = { items: [], pagination: { nextCursor: null } };
    const answers = [() => refusal(503, 'SERVICE_UNAVAILABLE'), () => json(page, 200, ignored)];
    const { client } = clientWith(answers, { debug: (line) => lines.push(line) });
    await client.agents.list({ q: 'private words' });
    const known = lines.map((line) => line.replaceAll(/\d+ ms/g, 'n ms'));
    assert.deepEqual(known, [
      'GET /api/v1/agents: 503 after n ms',
      'GET /api/v1/agents: retry 1 in n ms',
      'GET /api/v1/agents: 200 after n ms, req_7',
      'GET /api/v1/agents: the service ignored fields that it does not know: colour, 色.0, a%0Ab',
    ]);
    const failing = async (): Promise<Response> => {
      throw new TypeError('private words');
    };
    const broken = clientWith([], { debug: (line) => lines.push(line), maxRetries: 0, fetch: failing });
    await assert.rejects(broken.client.agents.create({ name: 'private words', voiceId: 'v' }));
    assert.match(lines.at(-1) ?? '', /^POST \/api\/v1\/agents: no response after \d+ ms, TypeError$/);
    assert.doesNotMatch(lines.join(), /private|vak_/);
  });

  it('is logged on the console with debug: true, and not at all by default', async (context) => {
    const log = context.mock.method(console, 'debug', () => undefined);
    await clientWith([]).client.whoami();
    assert.equal(log.mock.callCount(), 0);
    await clientWith([], { debug: true }).client.whoami();
    assert.match(String(log.mock.calls[0]?.arguments[0]), /^voice-agents: GET \/api\/v1\/whoami: 200 after/);
  });

  it('is sent to the base URL, with or without a path and a trailing slash', async () => {
    for (const [baseUrl, expected] of [
      ['http://service.test', 'http://service.test/api/v1/whoami'],
      ['http://service.test/', 'http://service.test/api/v1/whoami'],
      ['https://service.test:8443/voice', 'https://service.test:8443/voice/api/v1/whoami'],
      ['https://service.test:8443/voice/', 'https://service.test:8443/voice/api/v1/whoami'],
    ] as const) {
      const { client, sent } = clientWith([], { baseUrl });
      await client.whoami();
      assert.equal(sent[0]?.url, expected);
    }
  });

  it('encodes path parameters, and omits undefined ones', async () => {
    const { client, sent } = clientWith([]);
    await client.agents.get('a/b?c#d%2e ü');
    assert.equal(sent[0]?.url, 'http://service.test/api/v1/agents/a%2Fb%3Fc%23d%252e%20%C3%BC');
    await client.agents.diff('x', { from: 1, to: undefined });
    assert.equal(sent[1]?.url, 'http://service.test/api/v1/agents/x/diff?from=1');
    await client.agents.diff('x', { from: 'a&b', to: 2 });
    assert.equal(sent[2]?.url, 'http://service.test/api/v1/agents/x/diff?from=a%26b&to=2');
  });

  it('is not sent if an id would change the path', async () => {
    const { client, sent } = clientWith([]);
    for (const id of ['', '.', '..', '\ud800', undefined as unknown as string, null as unknown as string]) {
      const call = client.agents.get(id);
      await assert.rejects(call, {
        name: 'VoiceAgentsError',
        message: /^The value after \/api\/v1\/agents\/ must be an id/,
      });
    }
    assert.equal(sent.length, 0);
  });

  it('has all its headers, and an Idempotency-Key if it is a POST', async () => {
    const { client, sent } = clientWith([]);
    await client.agents.create({ name: 'a', voiceId: 'v' }, { headers: { prefer: 'handling=strict' } });
    await client.agents.update('x', { name: 'b' }, { ifMatch: '"tag"' });
    await client.agents.publish('x', undefined, { idempotencyKey: 'mine' });
    const [create, update, publish] = sent;
    assert.equal(create?.headers.get('authorization'), `Bearer ${secret}`);
    assert.equal(create?.headers.get('content-type'), 'application/json');
    assert.equal(create?.headers.get('user-agent'), `voice-agent-sdk/${version}`);
    assert.equal(create?.headers.get('prefer'), 'handling=strict');
    assert.equal(create?.redirect, 'manual');
    assert.match(create?.headers.get('idempotency-key') ?? '', /^[0-9a-f]{32}$/);
    assert.deepEqual([update?.method, update?.headers.get('if-match')], ['PATCH', '"tag"']);
    assert.equal(update?.headers.has('idempotency-key'), false);
    assert.deepEqual([publish?.body, publish?.headers.get('idempotency-key')], [null, 'mine']);
    assert.equal(publish?.headers.has('content-type'), false);
  });

  it('is not sent with invalid options', async () => {
    const { client, sent } = clientWith([]);
    const calls = [
      () => client.whoami({ timeout: 0 }),
      () => client.whoami({ timeout: Number.NaN }),
      () => client.whoami({ maxRetries: -1 }),
      () => client.whoami({ maxRetries: 1.5 }),
      () => client.agents.update('x', {}, { ifMatch: null }),
      () => client.agents.update('x', {}, { ifMatch: '' }),
      () => client.agents.create({ name: 'a', voiceId: 'v' }, { idempotencyKey: '' }),
      () => client.agents.create({ name: 'a', voiceId: 'v' }, { idempotencyKey: 'ü' }),
    ];
    for (const call of calls) await assert.rejects(call(), { name: 'VoiceAgentsError' });
    assert.equal(sent.length, 0);
    // Timers cannot count that far; the call must not time out immediately because of it.
    await client.whoami({ timeout: Number.POSITIVE_INFINITY });
  });

  it('is repeated after a 409 for a request in progress, and after no other 409', async () => {
    const inWork = () => refusal(409, 'IDEMPOTENCY_IN_PROGRESS', { 'retry-after': '0' });
    const repeated = clientWith([inWork, () => json({ id: 'agt_1' })]);
    assert.equal((await repeated.client.agents.duplicate('x')).id, 'agt_1');
    const [first, second] = repeated.sent.map(({ headers }) => headers.get('idempotency-key'));
    assert.equal(first, second);
    const refused = clientWith([() => refusal(409, 'VERSION_CONFLICT')]);
    await assert.rejects(refused.client.agents.delete('x'), { name: 'ConflictError' });
    assert.equal(refused.sent.length, 1);
  });

  it('is not repeated if that would not help', async () => {
    for (const status of [400, 401, 403, 404, 405, 418, 422]) {
      const { client, sent } = clientWith([() => refusal(status, 'X')]);
      await assert.rejects(client.whoami(), { status, code: 'X', message: 'No.', requestId: 'req_1' });
      assert.equal(sent.length, 1);
    }
  });

  it('follows no redirect, and reports its target', async () => {
    const { client, sent } = clientWith([
      () => new Response(null, { status: 307, headers: { location: 'http://evil.test/' } }),
    ]);
    await assert.rejects(client.whoami(), { name: 'VoiceAgentsError', message: /redirects to http:\/\/evil\.test\// });
    assert.equal(sent.length, 1);
  });

  it('accepts only responses of the service', async () => {
    const page = () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
    const wrong = clientWith([page]);
    await assert.rejects(wrong.client.whoami(), { name: 'VoiceAgentsError', message: /not a Voice Agent Service/ });
    assert.equal(wrong.sent.length, 1);
    const gateway = clientWith([() => new Response('<html>', { status: 502 })], { maxRetries: 0 });
    await assert.rejects(gateway.client.whoami(), { name: 'BadGatewayError', status: 502, code: 'UNKNOWN' });
    const older = clientWith([() => new Response('', { status: 504 })], { maxRetries: 0 });
    await assert.rejects(older.client.whoami(), { name: 'InternalServerError', status: 504 });
  });
});

describe('the SDK client', () => {
  it('rejects invalid keys and URLs, without showing them', () => {
    for (const apiKey of ['', 'two words', `${secret}\n`, `${secret}\r\nx: y`, 'schlüssel']) {
      assert.throws(
        () => new VoiceAgents({ apiKey, baseUrl: 'http://service.test' }),
        (error) => {
          assert.match(String(error), /^VoiceAgentsError: .*(apiKey|API key)/);
          return apiKey === '' || !inspect(error).includes(apiKey.trim());
        },
      );
    }
    const wrong = [
      'service.test',
      'localhost:8080',
      'ftp://service.test',
      'http://u:hidden@service.test',
      'http://a/?b',
      'http://a/#b',
    ];
    for (const baseUrl of wrong) {
      assert.throws(
        () => new VoiceAgents({ apiKey: secret, baseUrl }),
        (error) => /^VoiceAgentsError: baseUrl/.test(String(error)) && !inspect(error).includes('hidden'),
      );
    }
  });

  it('reads missing options from the environment', async (context) => {
    const { VOICE_AGENTS_API_KEY, VOICE_AGENTS_BASE_URL } = process.env;
    context.after(() => {
      for (const [name, value] of Object.entries({ VOICE_AGENTS_API_KEY, VOICE_AGENTS_BASE_URL })) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
    process.env.VOICE_AGENTS_API_KEY = 'from-the-environment';
    process.env.VOICE_AGENTS_BASE_URL = 'http://environment.test';
    const given = { apiKey: undefined, baseUrl: undefined };
    const { client, sent } = clientWith([], given);
    await client.whoami();
    assert.equal(sent[0]?.headers.get('authorization'), 'Bearer from-the-environment');
    process.env.VOICE_AGENTS_BASE_URL = '';
    const other = clientWith([], given);
    await other.client.whoami();
    assert.deepEqual(
      [sent[0]?.url, other.sent[0]?.url],
      ['http://environment.test/api/v1/whoami', 'http://127.0.0.1:8080/api/v1/whoami'],
    );
    delete process.env.VOICE_AGENTS_API_KEY;
    assert.throws(() => new VoiceAgents(), /No API key: pass apiKey, or set VOICE_AGENTS_API_KEY/);
  });

  it('never shows its key: not when inspected, not as JSON, not in errors', async () => {
    const cut = () => new Response(`{"key":"${secret}`, { headers: { 'content-type': 'application/json' } });
    const { client } = clientWith([cut], { maxRetries: 0 });
    const failed = await client.apiKeys.create({ scopes: ['agents:read'] }).catch((error: unknown) => error);
    const away = new VoiceAgents({ apiKey: secret, baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
    const unreachable = await away.whoami().catch((error: unknown) => error);
    assert.match(String(unreachable), /^ConnectionError: No complete response from http:\/\/127\.0\.0\.1:1/);
    for (const thing of [client, client.agents, client.whoami(), failed, unreachable]) {
      if (thing instanceof Promise) thing.catch(() => {});
      const shown = [
        inspect(thing, { depth: 20, showHidden: true, getters: true }),
        JSON.stringify(thing),
        String(thing),
      ];
      for (const text of [...shown, (thing as Error).stack ?? '']) assert.ok(!text?.includes(secret), text);
    }
  });
});
