import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inject } from 'light-my-request';
import { sqliteEngine } from '../support/engines.ts';
import { useService } from '../support/service.ts';

describe('routing', () => {
  const service = useService(sqliteEngine());
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  const statusOf = async (method: 'GET' | 'OPTIONS', url: string) =>
    (await inject(service.handle, { method, url, headers: { 'x-api-key': key } })).statusCode;

  it('decodes letters in a path, and leaves everything else unchanged', async () => {
    assert.equal(await statusOf('GET', '/%61pi/v1/%61gents'), 200);
    assert.equal(await statusOf('GET', '/api/v1/agents/agt_1%2Fpublish'), 404);
    assert.equal(await statusOf('GET', '/API/v1/agents'), 404);
    assert.equal(await statusOf('GET', '/api/v1/agents//'), 404);
    assert.equal(await statusOf('GET', '/api//v1/agents'), 404);
    assert.equal(await statusOf('GET', '/api/v1/agents;x=1'), 404);
  });

  it('lists the methods of a path in Allow', async () => {
    const response = await inject(service.handle, {
      method: 'PUT',
      url: '/api/v1/agents',
      headers: { 'x-api-key': key },
    });
    assert.equal(response.statusCode, 405);
    assert.equal(response.headers.allow, 'GET, HEAD, POST');
    assert.equal(await statusOf('OPTIONS', '/healthz'), 405);
  });
});
