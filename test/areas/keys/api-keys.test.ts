import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allScopes } from '../../../src/contract/scopes.ts';
import { send, walkPages } from '../../support/client.ts';
import { runInProcess } from '../../support/command-line.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { newWorkspaceName, startService, useService } from '../../support/service.ts';

const path = '/api/v1/api-keys';

onEachEngine('API keys over REST', (engine) => {
  let aheadMs = 0;
  const service = useService(engine, { now: () => Date.now() + aheadMs });

  const call = (key: string, method: string, where = '', body?: unknown) =>
    send(service, method, `${path}${where}`, { key, ...(body === undefined ? {} : { body }) });
  const statusWith = async (key: string) => (await send(service, 'GET', '/api/v1/whoami', { key })).status;
  /** While the key is cached: the test of the cache has its own clock. */
  const untilRefused = (key: string) => eventually(async () => (await statusWith(key)) === 401, 'the end of the key');

  it('show their secret once, when they are created', async () => {
    const { key, workspaceId } = await service.newKey();
    const made = await call(key, 'POST', '', { name: '店の鍵', scopes: ['agents:read', 'agents:read'] });
    assert.equal(made.status, 201);
    const { key: secret, ...rest } = made.json;
    assert.match(secret, /^vak_[0-9A-Za-z]{38}$/);
    assert.deepEqual(rest, {
      id: rest.id,
      workspaceId,
      name: '店の鍵',
      hint: `${secret.slice(0, 8)}…`,
      scopes: ['agents:read'],
      createdAt: rest.createdAt,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    assert.deepEqual((await call(key, 'GET', `/${rest.id}`)).json, rest);
    assert.ok(!(await call(key, 'GET')).text.includes(secret.slice(8)));
    const me = await send(service, 'GET', '/api/v1/whoami', { key: secret });
    assert.equal(me.json.workspaceId, workspaceId);
    assert.deepEqual(me.json.scopes, ['agents:read']);
    assert.equal(me.json.keyId, rest.id);
    assert.equal(me.json.keyName, '店の鍵');
  });

  it('cannot grant a scope that they lack, by creating or rotating', async () => {
    const workspace = newWorkspaceName();
    const all = await service.newKey({ workspace });
    const narrow = await service.newKey({ workspace, scopes: ['keys:write', 'agents:read'] });
    const refused = await call(narrow.key, 'POST', '', { scopes: ['agents:read', 'agents:write'] });
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.json.error.details, { requiredScope: 'agents:write', routeId: 'apiKeys.create' });
    const faulty = await call(narrow.key, 'POST', '', { scopes: ['agents:write'], expiresAt: '2001-01-01T00:00:00Z' });
    assert.equal(faulty.status, 400, 'the content is validated first');
    assert.equal((await call(narrow.key, 'POST', '', { scopes: ['agents:read'] })).status, 201);
    assert.equal((await call(narrow.key, 'POST', `/${all.id}/rotate`, {})).status, 403);
    assert.equal((await send(service, 'GET', '/api/v1/whoami', { key: all.key })).status, 200, 'and it lives on');
    assert.equal((await call(narrow.key, 'POST', `/${narrow.id}/rotate`, {})).status, 201, 'it may rotate itself');
  });

  it('are listed newest first, page by page, for their workspace only', async () => {
    const { key, id } = await service.newKey();
    // The first key comes from a generator of its own: the order of ids in one millisecond is that of one generator.
    aheadMs += 1;
    const ids = [id];
    for (let count = 0; count < 4; count += 1)
      ids.push((await call(key, 'POST', '', { scopes: ['agents:read'] })).json.id);
    for (const limit of ['1', '2', '5', '50']) {
      const pages = await walkPages<{ id: string }>(service, key, path, { limit });
      assert.deepEqual(
        pages.flat().map((item) => item.id),
        ids.toReversed(),
      );
      assert.equal(pages.length, Math.ceil(5 / Number(limit)));
    }
  });

  it('are revoked within a second, permanently, by POST or DELETE', async () => {
    const { key } = await service.newKey();
    for (const [method, suffix] of [
      ['POST', '/revoke'],
      ['DELETE', ''],
    ] as const) {
      const made = (await call(key, 'POST', '', { scopes: ['agents:read'] })).json;
      assert.equal((await send(service, 'GET', '/api/v1/whoami', { key: made.key })).status, 200);
      const revoked = await call(key, method, `/${made.id}${suffix}`);
      assert.equal(revoked.status, 200);
      assert.ok(revoked.json.revokedAt);
      await untilRefused(made.key);
      assert.equal((await call(key, method, `/${made.id}${suffix}`)).json.revokedAt, revoked.json.revokedAt);
      assert.equal((await call(key, 'POST', `/${made.id}/rotate`)).status, 422);
    }
  });

  it('are rotated with a grace period', async () => {
    const { key } = await service.newKey();
    const old = (await call(key, 'POST', '', { name: 'n', scopes: ['agents:read'] })).json;
    const fresh = await call(key, 'POST', `/${old.id}/rotate`, { graceSeconds: 1 });
    assert.equal(fresh.status, 201);
    assert.deepEqual([fresh.json.name, fresh.json.scopes], ['n', ['agents:read']]);
    assert.notEqual(fresh.json.key, old.key);
    assert.equal((await send(service, 'GET', '/api/v1/whoami', { key: old.key })).status, 200);
    assert.ok((await call(key, 'GET', `/${old.id}`)).json.expiresAt);
    aheadMs += 1000;
    assert.equal(await statusWith(old.key), 401);
    assert.equal(await statusWith(fresh.json.key), 200);
    const day = (await call(key, 'POST', `/${fresh.json.id}/rotate`)).json;
    const ends = Date.parse((await call(key, 'GET', `/${fresh.json.id}`)).json.expiresAt) - Date.now() - aheadMs;
    assert.ok(ends > 86_000_000 && ends <= 86_400_000, 'a day by default');
    assert.equal(day.expiresAt, null);
  });

  it('are rotated once: another rotation, even concurrently, gets 422 and creates no second successor', async () => {
    const { key } = await service.newKey();
    const old = (await call(key, 'POST', '', { scopes: ['agents:read'] })).json;
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => call(key, 'POST', `/${old.id}/rotate`, { graceSeconds: 60 })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422, 422]);
    const successor = answers.find(({ status }) => status === 201)?.json;
    assert.equal(successor.expiresAt, null);
    assert.equal((await call(key, 'GET')).json.items.length, 3);
    const entries = (await send(service, 'GET', '/api/v1/audit-log', { key })).json.items as { resourceId: string }[];
    assert.deepEqual(
      entries.slice(0, 2).map(({ resourceId }) => resourceId),
      [successor.id, old.id],
    );
  });

  it('that expire cannot create keys that outlive them', async () => {
    const { key } = await service.newKey();
    const soon = new Date(Date.now() + 60_000).toISOString();
    const ending = (await call(key, 'POST', '', { scopes: ['keys:write'], expiresAt: soon })).json;
    const later = new Date(Date.now() + 120_000).toISOString();
    for (const expiresAt of [null, later]) {
      assert.equal((await call(ending.key, 'POST', '', { scopes: ['keys:write'], expiresAt })).json.expiresAt, soon);
    }
    const sooner = new Date(Date.now() + 30_000).toISOString();
    assert.equal(
      (await call(ending.key, 'POST', '', { scopes: ['keys:write'], expiresAt: sooner })).json.expiresAt,
      sooner,
    );
  });

  it('that expire limit the expiry of a successor to their own', async () => {
    const { key } = await service.newKey();
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
    const [sooner, soon] = [at(30), at(60)];
    const make = async (expiresAt: string | null) =>
      (await call(key, 'POST', '', { scopes: ['keys:write'], expiresAt })).json;
    const expiring = await make(soon);
    const expiryOfSuccessor = async (id: string, by: string) => {
      const answer = await call(by, 'POST', `/${id}/rotate`, { graceSeconds: 60 });
      assert.equal(answer.status, 201, answer.text);
      return answer.json.expiresAt;
    };
    assert.equal(await expiryOfSuccessor((await make(null)).id, expiring.key), soon);
    assert.equal(await expiryOfSuccessor((await make(at(120))).id, expiring.key), soon);
    assert.equal(await expiryOfSuccessor((await make(sooner)).id, expiring.key), sooner);
    assert.equal(
      await expiryOfSuccessor((await make(soon)).id, key),
      soon,
      'a permanent caller does not limit the expiry',
    );
    assert.equal(await expiryOfSuccessor(expiring.id, expiring.key), soon);
    const permanent = await make(null);
    assert.equal(await expiryOfSuccessor(permanent.id, permanent.key), null);
  });

  it('that have been rotated can no longer create or rotate keys during their grace period, but can revoke them', async () => {
    const { key, id } = await service.newKey();
    const other = (await call(key, 'POST', '', { scopes: ['agents:read'] })).json;
    const successor = (await call(key, 'POST', `/${id}/rotate`, { graceSeconds: 60 })).json;
    const before = (await call(successor.key, 'GET')).json;
    for (const answer of [
      await call(key, 'POST', '', { scopes: ['agents:read'] }),
      await call(key, 'POST', `/${successor.id}/rotate`, { graceSeconds: 0 }),
      await call(key, 'POST', `/${other.id}/rotate`, { graceSeconds: 0 }),
      await call(key, 'POST', `/${id}/rotate`),
    ]) {
      assert.equal(answer.status, 422, answer.text);
      assert.equal(answer.json.error.code, 'UNPROCESSABLE_CONTENT');
      assert.deepEqual(answer.json.error.details, {
        fieldErrors: {},
        formErrors: ['the calling API key has been rotated; use its successor'],
      });
    }
    assert.deepEqual((await call(successor.key, 'GET')).json, before, 'and nothing has changed');
    assert.equal((await call(key, 'POST', `/${other.id}/revoke`)).status, 200);
    assert.equal((await call(successor.key, 'POST', '', { scopes: ['agents:read'] })).status, 201);
  });

  it('expire on time', async () => {
    const { key } = await service.newKey();
    const soon = new Date(Date.now() + aheadMs + 60_000).toISOString();
    const made = await call(key, 'POST', '', { scopes: ['agents:read'], expiresAt: soon });
    assert.equal(made.json.expiresAt, soon);
    assert.equal((await send(service, 'GET', '/api/v1/whoami', { key: made.json.key })).status, 200);
    aheadMs += 60_000;
    assert.equal(await statusWith(made.json.key), 401);
  });

  it('are rejected if the request is invalid', async () => {
    const { key } = await service.newKey();
    const cases: [unknown, string[]][] = [
      [{}, ['scopes']],
      [{ scopes: [] }, ['scopes']],
      [{ scopes: ['agents:fly'] }, ['scopes']],
      [{ scopes: 'agents:read' }, ['scopes']],
      [{ scopes: allScopes, name: 'x'.repeat(256), expiresAt: 'tomorrow' }, ['name', 'expiresAt']],
      [{ scopes: allScopes, expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt']],
      [{ scopes: allScopes, expiresAt: '9999-12-31T23:59:59-23:59' }, ['expiresAt']],
    ];
    for (const [body, fields] of cases) {
      const answer = await call(key, 'POST', '', body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors).sort(), fields.sort());
    }
    const bad = await call(key, 'POST', `/${(await service.newKey()).id}/rotate`, { graceSeconds: -1 });
    assert.deepEqual(Object.keys(bad.json.error.details.fieldErrors), ['graceSeconds']);
  });

  it('record their last use, without a write in a request', async () => {
    const own = await startService(engine, { databaseUrl: service.databaseUrl });
    const { key, id } = await service.newKey();
    const before = Date.now();
    assert.equal((await send(own, 'GET', '/api/v1/agents', { key })).status, 200);
    assert.equal((await call(key, 'GET', `/${id}`)).json.lastUsedAt, null);
    await own.close();
    const { lastUsedAt } = (await call(key, 'GET', `/${id}`)).json;
    assert.ok(Date.parse(lastUsedAt) >= before && Date.parse(lastUsedAt) <= Date.now());
  });
});

onEachEngine('the audit log', (engine) => {
  const service = useService(engine);

  it('is listed newest first, page by page, for all resources or one, and keeps its filter', async () => {
    const { key } = await service.newKey();
    const make = async () =>
      (await send(service, 'POST', '/api/v1/agents', { key, body: { name: 'a', voiceId: 'v' } })).json.id;
    const [one, two] = [await make(), await make()];
    for (const id of [one, two, one]) await send(service, 'POST', `/api/v1/agents/${id}/publish`, { key });
    await send(service, 'DELETE', `/api/v1/agents/${two}`, { key });
    type Entry = { routeId: string; resourceId: string };
    const read = async (query: Record<string, string>) =>
      (await walkPages<Entry>(service, key, '/api/v1/audit-log', query))
        .flat()
        .map(({ routeId, resourceId }) => [routeId, resourceId]);
    const whole = [
      ['agents.delete', two],
      ['agents.publish', one],
      ['agents.publish', two],
      ['agents.publish', one],
      ['agents.create', two],
      ['agents.create', one],
    ];
    for (const limit of ['1', '4', '50']) {
      assert.deepEqual(await read({ limit }), whole);
      assert.deepEqual(
        await read({ limit, resourceId: one }),
        whole.filter(([, id]) => id === one),
      );
    }
    const page = (await send(service, 'GET', `/api/v1/audit-log?limit=1&resourceId=${one}`, { key })).json;
    const next = await send(service, 'GET', `/api/v1/audit-log?limit=1&cursor=${page.pagination.nextCursor}`, { key });
    assert.equal(next.json.items[0].resourceId, one);
    const mixed = await send(
      service,
      'GET',
      `/api/v1/audit-log?resourceId=${two}&cursor=${page.pagination.nextCursor}`,
      { key },
    );
    assert.equal(mixed.status, 400);
    assert.deepEqual(await read({ resourceId: 'agt_unknown' }), []);
  });

  it('belongs to the workspace, and includes changes of the command line', async () => {
    const [mine, theirs] = [await service.newKey(), await service.newKey()];
    await send(service, 'POST', '/api/v1/agents', { key: theirs.key, body: { name: 'a', voiceId: 'v' } });
    assert.deepEqual((await send(service, 'GET', '/api/v1/audit-log', { key: mine.key })).json.items, []);
    const [row] = await service.database.all<{ name: string }>('SELECT name FROM workspaces WHERE id = $1', [
      mine.workspaceId,
    ]);
    const settings = { DATABASE_URL: service.databaseUrl };
    const args = ['keys', 'create', '--workspace', row?.name as string, '--scopes', 'agents:read', '--json'];
    const made = JSON.parse((await runInProcess(args, settings)).stdout);
    await runInProcess(['keys', 'revoke', made.id], settings);
    const entries = (await send(service, 'GET', '/api/v1/audit-log', { key: mine.key })).json.items;
    assert.deepEqual(
      entries.map(({ id: _, at: __, ...entry }: { id: string; at: string }) => entry),
      ['apiKeys.revoke', 'apiKeys.create'].map((routeId) => ({
        keyId: null,
        routeId,
        resourceId: made.id,
        resourceName: null,
        requestId: null,
      })),
    );
  });
});
