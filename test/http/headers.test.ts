import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sqliteEngine } from '../support/engines.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';

describe('every response', () => {
  const service = useService(sqliteEngine());

  it('is private: not cached, not sniffed, without CORS, and without the name of the server', async () => {
    const { key } = await service.newKey();
    const origin = 'Host: a\r\nOrigin: https://evil.example\r\n';
    const withKey = `${origin}X-API-Key: ${key}\r\n`;
    const preflight = `${origin}Access-Control-Request-Method: POST\r\n`;
    const requests = [
      `GET /api/v1/agents HTTP/1.1\r\n${withKey}\r\n`,
      `GET /api/v1/agents HTTP/1.1\r\n${withKey}TE: trailers\r\n\r\n`,
      `GET /api/v1/agents HTTP/1.1\r\n${origin}\r\n`,
      `GET /api/v1/nothing HTTP/1.1\r\n${withKey}\r\n`,
      `OPTIONS /api/v1/agents HTTP/1.1\r\n${preflight}\r\n`,
      `OPTIONS /healthz HTTP/1.1\r\n${preflight}\r\n`,
      `GET /healthz HTTP/1.1\r\n${origin}\r\n`,
      `GET /docs/ HTTP/1.1\r\n${origin}\r\n`,
      'nonsense\r\n\r\n',
      `CONNECT a:443 HTTP/1.1\r\n${origin}\r\n`,
    ];
    for (const request of requests) {
      const [answer] = await sendRaw(service.port, request, { answers: 1 });
      assert.ok(answer, request);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', request);
      assert.equal(answer.headers.get('cache-control'), 'no-store', request);
      for (const name of answer.headers.keys()) {
        assert.ok(!name.startsWith('access-control-'), `${request} is answered with ${name}`);
        assert.ok(!['server', 'x-powered-by'].includes(name), `${request} is answered with ${name}`);
      }
    }
  });
});
