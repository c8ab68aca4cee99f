import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allScopes } from '../../../src/contract/scopes.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { type Service, startService } from '../../support/service.ts';

onEachEngine('the sign-in link of the first start', (engine) => {
  const firstStart = async (options: Parameters<typeof startService>[1] = {}) => {
    const service = await startService(engine, options);
    const key = await service.keys.bootstrap(null);
    assert.ok(key !== null && key.signInCode !== null);
    return { service, key, code: key.signInCode };
  };
  const signIn = (service: Service, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const assertRefused = async (response: Response): Promise<void> => {
    assert.equal(response.status, 401);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    assert.equal(error.code, 'UNAUTHORIZED');
    assert.match(error.message, /^The sign-in link is not valid, has expired or was already used\./);
  };

  it('is exchanged for a key with every scope, which the audit log shows', async () => {
    const { service, key, code } = await firstStart();
    const response = await signIn(service, { code });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const body = (await response.json()) as { key: string };
    assert.deepEqual(Object.keys(body), ['key']);
    assert.notEqual(body.key, key.secret);
    const caller = (await send(service, 'GET', '/api/v1/whoami', { key: body.key })).json;
    assert.deepEqual(
      [caller.workspaceId, caller.workspaceName, caller.keyName, caller.scopes],
      [key.workspaceId, 'default', 'Dashboard (first start)', allScopes],
    );
    const [entry] = (await send(service, 'GET', '/api/v1/audit-log', { key: body.key })).json.items;
    assert.deepEqual(
      [entry.routeId, entry.resourceId, entry.resourceName, entry.keyId, entry.requestId],
      ['apiKeys.create', caller.keyId, 'Dashboard (first start)', key.id, response.headers.get('x-request-id')],
    );
    await service.close();
  });

  it('works once, even if two processes get it at the same time', async () => {
    const { service, code } = await firstStart();
    const other = await startService(engine, { databaseUrl: service.databaseUrl });
    const responses = await Promise.all([service, other, service, other].map((one) => signIn(one, { code })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    await assertRefused(await signIn(other, { code }));
    const keys = await service.keys.listEverywhere(null);
    assert.deepEqual(
      keys.map(({ name }) => name),
      ['first start', 'Dashboard (first start)'],
    );
    await other.close();
    await service.close();
  });

  it('works for ten minutes', async () => {
    let aheadMs = 0;
    const { service, code } = await firstStart({ now: () => Date.now() + aheadMs });
    aheadMs = 600_001;
    await assertRefused(await signIn(service, { code }));
    aheadMs = 0;
    await assertRefused(await signIn(service, { code }));
    await service.close();
    const early = await firstStart({ now: () => Date.now() + 590_000 });
    assert.equal((await signIn(early.service, { code: early.code })).status, 200);
    await early.service.close();
  });

  it('ends with the key of the first start', async () => {
    const { service, key, code } = await firstStart();
    await send(service, 'POST', `/api/v1/api-keys/${key.id}/revoke`, { key: key.secret });
    await assertRefused(await signIn(service, { code }));
    await service.close();
  });

  it('is refused without a hint if the code is wrong, which does not use it up', async () => {
    const { service, code } = await firstStart();
    for (const wrong of ['x', `${code}x`, code.slice(1), code.toUpperCase()]) {
      await assertRefused(await signIn(service, { code: wrong }));
    }
    for (const malformed of [{}, { code: '' }, { code: 1 }, { code: 'x'.repeat(101) }]) {
      assert.equal((await signIn(service, malformed)).status, 400);
    }
    const form = await fetch(`${service.url}/sign-in`, { method: 'POST', body: `code=${code}` });
    assert.equal(form.status, 400);
    assert.equal((await signIn(service, { code })).status, 200);
    const later = await startService(engine);
    await assertRefused(await signIn(later, { code }));
    await later.close();
    await service.close();
  });

  it('can fail 20 times per minute from each address, which locks out no other address', async () => {
    const { service, code } = await firstStart({ trustedProxies: ['127.0.0.1/32'] });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const attempts = await Promise.all(
      Array.from({ length: 25 }, () => signIn(service, { code: 'wrong' }, from('203.0.113.7'))),
    );
    const statuses = attempts.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 401).length, 20);
    assert.equal(statuses.filter((status) => status === 429).length, 5);
    const refused = await signIn(service, { code }, from('203.0.113.7'));
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await signIn(service, { code }, from('203.0.113.8'))).status, 200);
    await service.close();
  });

  it('does not trust an address that a client sends', async () => {
    const { service } = await firstStart();
    const attempts = await Promise.all(
      Array.from({ length: 21 }, (_, at) =>
        signIn(service, { code: 'wrong' }, { 'x-forwarded-for': `203.0.113.${at}` }),
      ),
    );
    assert.deepEqual(attempts.map(({ status }) => status).filter((status) => status === 429).length, 1);
    await service.close();
  });

  it('is stored as a digest only, and appears in no log line', async () => {
    const { service, code } = await firstStart();
    await signIn(service, { code: `${code}x` });
    const rows = await service.database.all<{ value: string }>('SELECT value FROM settings');
    assert.ok(rows.every(({ value }) => !value.includes(code)));
    await signIn(service, { code });
    assert.ok(service.log.some(({ route }) => route === 'signIn'));
    assert.ok(!JSON.stringify(service.log).includes(code));
    await service.close();
  });

  it('does not exist if the operator has chosen the key', async () => {
    const service = await startService(engine);
    const key = await service.keys.bootstrap('the-key-that-we-want-0001');
    assert.equal(key?.signInCode, null);
    await service.close();
  });
});
