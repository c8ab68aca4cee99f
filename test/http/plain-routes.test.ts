import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { defineArea } from '../../src/areas/area.ts';
import { serviceUnavailable, unauthorized } from '../../src/core/errors.ts';
import type { PlainRequest, PlainRoute } from '../../src/http/plain-routes.ts';
import { sqliteEngine } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';

const secret = 'a secret that the other system has';
const signatureOf = (url: string, body: string) => createHmac('sha1', secret).update(url).update(body).digest('base64');

interface ErrorBody {
  readonly error: { readonly code: string; readonly details: { readonly formErrors?: readonly string[] } };
}

/** A report in the format of another system, with its signature. */
const reports: PlainRoute = {
  id: 'reports.receive',
  method: 'POST',
  path: '/reports/v1/{id}',
  isWrite: false,
  maxBodyBytes: 64 * 1024,
  serve: async (request) => {
    if (request.headers['x-signature'] !== signatureOf(request.url, request.body.toString())) {
      throw unauthorized('no key');
    }
    const form = request.form();
    const shown = { id: request.params.id, kind: request.query.get('kind'), state: form.getAll('State') };
    return { status: 200, headers: { 'content-type': 'text/xml' }, body: `<Reply>${JSON.stringify(shown)}</Reply>` };
  },
};

describe('a plain route of an area', () => {
  let service: Service;
  const waiting = Promise.withResolvers<PlainRequest>();
  before(async () => {
    const hold: PlainRoute = {
      ...reports,
      id: 'reports.hold',
      method: 'GET',
      path: '/reports/v1/hold',
      serve: (request) => {
        waiting.resolve(request);
        return new Promise(() => {});
      },
    };
    const busy: PlainRoute = {
      ...reports,
      id: 'reports.busy',
      path: '/reports/v1/busy/{id}',
      whenUnavailable: (url) => ({ status: 200, body: `ask ${url} again` }),
      serve: async ({ params }) => {
        throw params.id === 'database' ? serviceUnavailable('The database is busy.') : unauthorized('no key');
      },
    };
    const contract = { tag: { name: 'Reports', description: '' }, idPrefixes: [], scopes: {}, operations: [] };
    service = await startService(sqliteEngine(), {
      otherAreas: () => [defineArea(contract, { handlers: {}, plainRoutes: [reports, hold, busy] })],
    });
  });
  after(() => service.close());

  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-signature': signatureOf(path, body),
        ...headers,
      },
    });

  it('gets the form, the path and the query of a request that it has authenticated itself', async () => {
    const response = await post('/reports/v1/a%20b?kind=%E7%95%AA%E5%8F%B7', 'State=ringing&State=%E9%80%9A%E8%A9%B1');
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/xml');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(await response.text(), '<Reply>{"id":"a b","kind":"番号","state":["ringing","通話"]}</Reply>');
  });

  it('refuses in the shape of the contract what is not signed, too long or no form', async () => {
    const statusAndCode = async (response: Response) => [
      response.status,
      ((await response.json()) as ErrorBody).error.code,
    ];
    const bad = await post('/reports/v1/a', 'State=x', { 'x-signature': 'wrong' });
    assert.deepEqual(await statusAndCode(bad), [401, 'UNAUTHORIZED']);
    const long = await post('/reports/v1/a', `State=${'x'.repeat(64 * 1024)}`);
    const { error } = (await long.json()) as ErrorBody;
    assert.equal(long.status, 400);
    assert.deepEqual(error.details.formErrors, ['the body is larger than 64 KiB']);
    const json = await post('/reports/v1/a', '{}', { 'content-type': 'application/json' });
    assert.deepEqual(await statusAndCode(json), [400, 'VALIDATION_ERROR']);
    const other = await fetch(`${service.url}/reports/v1/a`, { method: 'PUT', body: 'x' });
    assert.equal(other.status, 405);
    assert.equal(other.headers.get('allow'), 'POST');
  });

  it('has a reply of its own while the database is not available, which the log shows', async () => {
    const response = await post('/reports/v1/busy/database', 'State=x');
    assert.deepEqual([response.status, await response.text()], [200, 'ask /reports/v1/busy/database again']);
    const lines = service.log.filter(({ requestId }) => requestId === response.headers.get('x-request-id'));
    assert.ok(lines.some(({ code }) => code === 'SERVICE_UNAVAILABLE'));
    const other = await post('/reports/v1/busy/other', 'State=x');
    assert.equal(other.status, 401);
  });

  it('is in the log by its id', async () => {
    const { headers } = await post('/reports/v1/logged', 'State=x');
    const line = service.log.find(({ requestId }) => requestId === headers.get('x-request-id'));
    assert.deepEqual([line?.route, line?.status], ['reports.receive', 200]);
  });

  it('is told that the connection is broken', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write('GET /reports/v1/hold HTTP/1.1\r\nHost: a\r\n\r\n');
    const { signal } = await waiting.promise;
    const aborted = once(signal, 'abort');
    socket.resetAndDestroy();
    await aborted;
  });
});
