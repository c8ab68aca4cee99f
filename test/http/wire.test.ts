import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { errorBody } from '../../src/contract/errors.ts';
import { createAgent, send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { RawClient } from '../support/raw-client.ts';
import { type RawAnswer, sendRaw } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';
import { settle } from '../support/settle.ts';

describe('the HTTP parser', () => {
  const engine = sqliteEngine();
  const service = useService(engine);
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  const assertError = (answer: RawAnswer | undefined, status: number, code: string) => {
    assert.ok(answer, 'there is an answer');
    assert.equal(answer.status, status);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    const { error } = errorBody.parse(JSON.parse(answer.body));
    assert.equal(error.code, code);
    assert.equal(error.requestId, answer.headers.get('x-request-id'));
    assert.ok(
      service.log.some((line) => line.requestId === error.requestId && line.status === status),
      'the log has a line with the same request id',
    );
  };

  const refused: [string, string | Buffer][] = [
    ['a line that is no HTTP', 'hello\r\n\r\n'],
    ['an unknown method', 'BREW /api/v1/agents HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/3.7\r\nHost: a\r\n\r\n'],
    ['a space in the address', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two lengths', 'POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a length that is no number', 'POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nContent-Length: two\r\n\r\n{}'],
    ['a length below zero', 'POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nContent-Length: -2\r\n\r\n{}'],
    ['an unknown transfer encoding', 'POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n'],
    ['a header name with a space', 'GET / HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n'],
    ['a header of 20 KiB', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`],
    ['an address of 20 KiB', `GET /api/v1/agents?q=${'y'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a bare TLS hello', Buffer.from('16030100c8010000c40303', 'hex')],
  ];
  for (const [title, bytes] of refused) {
    it(`responds with the error body and closes the connection: ${title}`, async () => {
      const [answer] = await sendRaw(service.port, bytes);
      assertError(answer, 400, 'VALIDATION_ERROR');
      assert.equal(answer?.headers.get('connection'), 'close');
    });
  }

  it('responds with the error body to an invalid chunk', async () => {
    const head = `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const [answer] = await sendRaw(service.port, `${head}zz\r\n{}\r\n0\r\n\r\n`);
    assertError(answer, 400, 'VALIDATION_ERROR');
  });

  it('responds to earlier requests first, in order', async () => {
    const body = JSON.stringify({ name: 'before a fault', voiceId: 'v' });
    // TE is what Node reads by itself; without it the first request is answered straight from the socket.
    for (const more of ['TE: trailers\r\n', '']) {
      const create = `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
      for (const pieces of [
        [`${create}no HTTP\r\n\r\n`],
        [create, 'no HTTP\r\n\r\n'],
        [create + create, 'no HTTP\r\n\r\n'],
      ]) {
        const answers = await sendRaw(service.port, pieces);
        const expected = pieces[0] === create + create ? [201, 201, 400] : [201, 400];
        assert.deepEqual(
          answers.map(({ status }) => status),
          expected,
        );
        assertError(answers.at(-1), 400, 'VALIDATION_ERROR');
      }
    }
  });

  it('responds once if invalid data follows a request that was already answered', async () => {
    const head = 'POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const client = await RawClient.open(service.port);
    client.write(head);
    await client.receive(1);
    client.write('zz\r\nx\r\n');
    const answers = await client.untilClosed();
    assert.equal(answers.length, 1);
    assertError(answers[0], 401, 'UNAUTHORIZED');
  });

  it('rejects CONNECT with 405', async () => {
    const [answer] = await sendRaw(service.port, 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    assertError(answer, 405, 'METHOD_NOT_ALLOWED');
  });

  it('accepts HTTP/1.0 and requests without a Host', async () => {
    const [old] = await sendRaw(service.port, 'GET /healthz HTTP/1.0\r\n\r\n');
    assert.equal(old?.status, 200);
    const [bare] = await sendRaw(service.port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
    assert.equal(bare?.status, 200);
  });

  it('uses the path of an absolute URL', async () => {
    const statusOf = async (target: string, more = '') =>
      (await sendRaw(service.port, `GET ${target} HTTP/1.1\r\nHost: a\r\n${more}\r\n`, { answers: 1 }))[0]?.status;
    assert.equal(await statusOf('http://a/api/v1/agents?limit=1', `X-API-Key: ${key}\r\n`), 200);
    assert.equal(await statusOf('HTTPS://a:443/healthz'), 200);
    assert.equal(await statusOf('http://a/api/v1/nope'), 401, 'authentication comes first here, too');
    assert.equal(await statusOf('http://a?x'), 200, 'the first page');
    assert.equal(await statusOf('*'), 404);
    assert.equal(
      await statusOf('/api/v1/agents#x', `X-API-Key: ${key}\r\n`),
      404,
      'a fragment is no part that may be cut off',
    );
    assert.equal(await statusOf('/api/v1/agents?q=a#b', `X-API-Key: ${key}\r\n`), 200);
  });

  it('answers requests that arrive together one after the other', async () => {
    const one = `GET /api/v1/agents?limit=1 HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n`;
    const answers = await sendRaw(service.port, `${one}\r\n${one}\r\n${one}Connection: close\r\n\r\n`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
  });

  it('serves other clients in between, however many requests one client pipelines', async () => {
    const read = (requestId: string) =>
      `GET /api/v1/whoami HTTP/1.1\r\nX-API-Key: ${key}\r\nX-Request-Id: ${requestId}\r\n\r\n`;
    const [many, one] = [connect(service.port, '127.0.0.1'), connect(service.port, '127.0.0.1')];
    await Promise.all([once(many, 'connect'), once(one, 'connect')]);
    many.resume().write(read('of-many').repeat(300));
    one.resume().write(read('of-one'));
    const served = () => service.log.map(({ requestId }) => requestId).filter((id) => String(id).startsWith('of-'));
    while (served().length < 301) await delay(5);
    assert.ok(served().indexOf('of-one') < 150, `${served().indexOf('of-one')} were served first`);
    many.destroy();
    one.destroy();
  });

  it('starts no request before the response to the previous one has started', async () => {
    const prompt = 'x'.repeat(100_000);
    const { id } = await createAgent(service, key, { prompt });
    const read = `GET /api/v1/agents/${id} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nX-Request-Id: unread\r\n\r\n`;
    const count = 500;
    const begun = () => service.log.filter((line) => line.requestId === 'unread').length;
    const socket = connect(service.port, '127.0.0.1').pause();
    socket.write(read.repeat(count));
    for (let known = 0; known === 0 || begun() > known; ) {
      known = begun();
      await settle(service);
    }
    assert.ok(begun() < count, 'the client has not read anything');
    let length = 0;
    socket.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    socket.resume();
    while (begun() < count || length < count * prompt.length) await delay(20);
    socket.destroy();
  });

  it('ignores unknown expectations', async () => {
    const [answer] = await sendRaw(service.port, 'GET /api/v1/agents HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n', {
      answers: 1,
    });
    assertError(answer, 401, 'UNAUTHORIZED');
  });

  it('ignores upgrades on other paths', async () => {
    const [answer] = await sendRaw(
      service.port,
      `GET /api/v1/agents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      { answers: 1 },
    );
    assert.equal(answer?.status, 200);
  });

  it('rejects a path that is not valid UTF-8 with 400, after authentication', async () => {
    assert.equal((await send(service, 'GET', '/api/v1/agents/%FF')).status, 401);
    const answer = await send(service, 'GET', '/api/v1/agents/%FF', { key });
    assert.equal(answer.status, 400);
    assert.ok(service.log.some((line) => line.requestId === answer.headers.get('x-request-id')));
  });
});

describe('slow requests', () => {
  const engine = sqliteEngine();
  const service = useService(engine, { timeouts: { headersMs: 200, requestMs: 400 } });

  it('get the error body, whether the headers or the body never arrive', async () => {
    const { key } = await service.newKey();
    const post = `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
    for (const half of ['GET /healthz HTTP/1.1\r\nHost: a\r\n', `${post}Content-Length: 100\r\n\r\n{"name":`]) {
      const [answer] = await sendRaw(service.port, half);
      assert.equal(answer?.status, 408);
      const { error } = errorBody.parse(JSON.parse(answer?.body ?? ''));
      assert.equal(error.code, 'REQUEST_TIMEOUT');
      assert.equal(error.requestId, answer?.headers.get('x-request-id'));
      assert.match(error.message, /in time/);
    }
  });
});

describe('unmatched requests', () => {
  const engine = sqliteEngine();
  const service = useService(engine);
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  it('get 404 for an unknown path', async () => {
    for (const path of [
      '/nope',
      '/api/v1/nope',
      '/api/v2/agents',
      '/api/v1/agents/x/y',
      '/API/V1/agents',
      '/api/v1/agents//',
    ]) {
      const answer = await send(service, 'GET', path, { key });
      assert.equal(answer.status, 404, path);
      assert.equal(answer.json.error.code, 'NOT_FOUND');
    }
  });

  it('get 405 with Allow for an unknown method, including routes that need no key', async () => {
    const answer = await send(service, 'DELETE', '/api/v1/agents', { key });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST');
    assert.equal((await send(service, 'POST', '/healthz', { body: {} })).headers.get('allow'), 'GET, HEAD');
    for (const method of ['OPTIONS', 'QUERY', 'PROPFIND'])
      assert.equal((await send(service, method, '/api/v1/agents', { key })).status, 405, method);
  });

  it('under /api/ reveal nothing without a valid key', async () => {
    assert.equal((await send(service, 'GET', '/api/v1/nope')).status, 401);
    assert.equal((await send(service, 'DELETE', '/api/v1/agents')).status, 401);
    assert.equal((await send(service, 'GET', '/nope')).status, 404);
  });
});
