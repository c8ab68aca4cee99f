import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { errorBody } from '../../src/contract/errors.ts';
import { sqliteEngine } from '../support/engines.ts';
import { RawClient } from '../support/raw-client.ts';
import type { RawAnswer } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';

function assertRefused(answer: RawAnswer | undefined, title = ''): void {
  assert.equal(answer?.status, 400, title);
  assert.equal(answer.headers.get('connection'), 'close', title);
  const { error } = errorBody.parse(JSON.parse(answer.body));
  assert.equal(error.code, 'VALIDATION_ERROR', title);
  assert.equal(error.requestId, answer.headers.get('x-request-id'), title);
}

describe('the limit for headers', () => {
  const service = useService(sqliteEngine());
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  const read = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n${more}\r\n`;
  const small = () => read('/api/v1/whoami');
  const manyHeaders = (count: number) =>
    Array.from({ length: count }, (_, index) => `X-Header-${index}: v\r\n`).join('');
  const tooLong = (): Record<string, string> => ({
    'an address of 17 KB': read(`/api/v1/whoami?${'y'.repeat(17_000)}`),
    'a header of 17 KB': read('/api/v1/whoami', `X: ${'y'.repeat(17_000)}\r\n`),
    'many small headers': read('/api/v1/whoami', manyHeaders(1200)),
    'an address and headers, each of 10 KB': read(`/api/v1/whoami?${'y'.repeat(10_000)}`, `X: ${'y'.repeat(10_000)}\r\n`),
    'an address of 17 KB of a page': `GET /?${'y'.repeat(17_000)} HTTP/1.1\r\n\r\n`,
  }); // biome-ignore format: a table

  it('applies to the first request of a connection and to later ones', async () => {
    for (const [title, bytes] of Object.entries(tooLong())) {
      for (const earlier of [0, 1, 3]) {
        const client = await RawClient.open(service.port);
        for (let count = 1; count <= earlier; count += 1) {
          client.write(small());
          await client.receive(count);
        }
        client.write(bytes);
        const answers = await client.receive(earlier + 1);
        assertRefused(answers[earlier], `${title} after ${earlier}`);
        assert.equal((await client.untilClosed()).length, earlier + 1);
      }
    }
  });

  it('applies to a request that arrives in one chunk with others', async () => {
    for (const [title, bytes] of Object.entries(tooLong())) {
      const client = await RawClient.open(service.port);
      client.write(small() + small() + bytes);
      const answers = await client.receive(3);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 400],
        title,
      );
      assertRefused(answers.at(-1), title);
      await client.untilClosed();
    }
  });

  it('allows 15 KB for every request', async () => {
    const client = await RawClient.open(service.port);
    for (let count = 1; count <= 3; count += 1) {
      client.write(read(`/api/v1/whoami?${'y'.repeat(7000)}`, `X: ${'y'.repeat(8000)}\r\n`));
      const answers = await client.receive(count);
      assert.equal(answers.at(-1)?.status, 200);
    }
    client.destroy();
  });
});

describe('a malformed request', () => {
  const service = useService(sqliteEngine());

  it('is rejected: the HTTP/2 preface, and its method', async () => {
    for (const bytes of [
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'PRI /x HTTP/1.1\r\n\r\nSM\r\n\r\n',
      'PRI /x HTTP/1.1\r\nHost: a\r\n\r\n',
      'PRI /api/v1/agents HTTP/1.1\r\nHost: a\r\n\r\n',
      'PRI / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
    ]) {
      const client = await RawClient.open(service.port);
      client.write(bytes);
      const answers = await client.untilClosed();
      assert.equal(answers.length, 1, bytes);
      assertRefused(answers[0], bytes);
    }
    assert.deepEqual(
      service.log.filter(({ level }) => level === 'error'),
      [],
    );
  });

  it('gets no body if it is a HEAD', async () => {
    const malformed = [
      'HEAD /a b HTTP/1.1\r\nHost: a\r\n\r\n',
      'HEAD / HTTP/3.7\r\n\r\n',
      'HEAD / HTTP/1.1\r\nX Y: z\r\n\r\n',
      `HEAD / HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      'HEAD /healthz HTTP/1.1\r\nContent-Length: two\r\n\r\n',
    ];
    for (const bytes of malformed) {
      for (const isFirst of [true, false]) {
        const client = await RawClient.open(service.port);
        if (!isFirst) {
          client.write('GET /healthz HTTP/1.1\r\n\r\n');
          await client.receive(1);
        }
        const before = client.text.length;
        client.write(bytes);
        await client.untilClosed();
        const answer = client.text.slice(before);
        assert.match(answer, /^HTTP\/1\.1 400 .*\r\nconnection: close\r\n/is, bytes.slice(0, 60));
        assert.match(answer, /\r\n\r\n$/, bytes.slice(0, 60));
        assert.equal(answer.indexOf('\r\n\r\n'), answer.length - 4, `nothing follows the head: ${bytes.slice(0, 60)}`);
      }
    }
  });

  it('gets the error body if its method only starts with HEAD', async () => {
    const client = await RawClient.open(service.port);
    client.write('HEADS /a HTTP/1.1\r\n\r\n');
    const [answer] = await client.untilClosed();
    assertRefused(answer);
  });
});
