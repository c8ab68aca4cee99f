import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '../src/contract/index.ts';
import type { Operation } from '../src/contract/operation.ts';
import { allScopes } from '../src/contract/scopes.ts';
import { createAgent, send } from './support/client.ts';
import { onEachEngine } from './support/engines.ts';
import { type Service, startService } from './support/service.ts';

/** What holds for every operation alike is tested over the table, so that a new operation is covered when it is added. */
onEachEngine('every operation', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  /** A request that would succeed with the right key. */
  const goodRequest = async (operation: Operation, key: string) => {
    const { id } = await createAgent(service, key);
    return {
      path: operation.path.replace('{id}', id),
      call: operation.body === null ? {} : { body: operation.bodyExample },
    };
  };

  for (const operation of operations as readonly Operation[]) {
    describe(operation.id, () => {
      it('succeeds with its scope alone, and answers by its schema', async () => {
        const { key, workspaceId } = await service.newKey();
        const { path, call } = await goodRequest(operation, key);
        const [row] = await service.database.all<{ name: string }>('SELECT name FROM workspaces WHERE id = $1', [
          workspaceId,
        ]);
        const narrow = await service.newKey({ workspace: row?.name as string, scopes: [operation.scope] });
        const answer = await send(service, operation.method, path, { ...call, key: narrow.key });
        assert.equal(answer.status, operation.success.status);
      });

      it('answers 401 without a key, with a wrong one and with two that differ', async () => {
        const { key } = await service.newKey();
        const { path, call } = await goodRequest(operation, key);
        const wrong: Record<string, string>[] = [
          {},
          { authorization: `Bearer ${key}x` },
          { authorization: 'Bearer' },
          { authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}` },
          { authorization: `Bearer ${key}`, 'x-api-key': `${key}x` },
          { 'x-api-key': `${key}x` },
          { 'x-api-key': '' },
        ];
        for (const headers of wrong) {
          const answer = await send(service, operation.method, path, { ...call, headers });
          assert.equal(answer.status, 401, JSON.stringify(headers));
          assert.equal(answer.json.error.code, 'UNAUTHORIZED');
          assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="/);
        }
      });

      it('takes the key in either header', async () => {
        const { key } = await service.newKey();
        const good: Record<string, string>[] = [
          { authorization: `Bearer ${key}` },
          { authorization: `bEARER   ${key}` },
          { 'x-api-key': key },
          { authorization: `Bearer ${key}`, 'x-api-key': key },
          { authorization: 'Basic c29tZTpwcm94eQ==', 'x-api-key': key },
        ];
        for (const headers of good) {
          const { path, call } = await goodRequest(operation, key);
          const answer = await send(service, operation.method, path, { ...call, headers });
          assert.equal(answer.status, operation.success.status, JSON.stringify(headers));
        }
      });

      it('answers 403 to a key with every scope but its own, and names it', async () => {
        const { key } = await service.newKey();
        const { path, call } = await goodRequest(operation, key);
        const lacking = await service.newKey({ scopes: allScopes.filter((scope) => scope !== operation.scope) });
        const answer = await send(service, operation.method, path, { ...call, key: lacking.key });
        assert.equal(answer.status, 403);
        assert.equal(answer.json.error.code, 'SCOPE_INSUFFICIENT');
        assert.deepEqual(answer.json.error.details, { requiredScope: operation.scope, routeId: operation.id });
        assert.ok(answer.json.error.message.includes(operation.scope));
        assert.match(answer.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/);
      });

      it('tells nothing about a bad request before the key and the scope are right', async () => {
        const { key } = await service.newKey();
        const { path } = await goodRequest(operation, key);
        const lacking = await service.newKey({ scopes: allScopes.filter((scope) => scope !== operation.scope) });
        const bad = {
          ...(operation.body === null ? {} : { rawBody: '{"broken' }),
          headers: { prefer: 'handling=strict' },
        };
        const address = `${path}?limit=0&cursor=&unknown=1`;
        assert.equal((await send(service, operation.method, address, bad)).status, 401);
        assert.equal((await send(service, operation.method, address, { ...bad, key: lacking.key })).status, 403);
        assert.equal((await send(service, operation.method, address, { ...bad, key })).status, 400);
      });

      it('refuses unknown parameters when asked to be strict, and ignores them otherwise', async () => {
        const { key } = await service.newKey();
        const { path, call } = await goodRequest(operation, key);
        const lenient = await send(service, operation.method, `${path}?colour=red`, { ...call, key });
        assert.equal(lenient.status, operation.success.status);
        const strict = await send(service, operation.method, `${path}?colour=red`, {
          ...call,
          key,
          headers: { Prefer: 'respond-async, Handling=strict' },
        });
        assert.equal(strict.status, 400);
        assert.equal(strict.headers.get('preference-applied'), 'handling=strict');
        assert.deepEqual(Object.keys(strict.json.error.details.fieldErrors), ['colour']);
      });

      it('has a method of its own: another one is 405 with Allow', async () => {
        const { key } = await service.newKey();
        const { path } = await goodRequest(operation, key);
        const answer = await send(service, 'PUT', path, { key, body: {} });
        assert.equal(answer.status, 405);
        assert.equal(answer.json.error.code, 'METHOD_NOT_ALLOWED');
        assert.ok(answer.headers.get('allow')?.split(', ').includes(operation.method));
      });

      if (operation.path.includes('{id}')) {
        it('answers the same 404 for an unknown id, a foreign one and a malformed one', async () => {
          const { key } = await service.newKey();
          const foreign = await createAgent(service, (await service.newKey()).key);
          const own = await createAgent(service, key);
          const unknown = `${own.id.slice(0, -1)}${own.id.endsWith('0') ? '1' : '0'}`;
          const bodies = [];
          for (const id of [unknown, foreign.id, 'x', 'agt_', '%00', 'a'.repeat(5000), '../agents', '%F0%9F%98%80']) {
            const path = operation.path.replace('{id}', id.includes('%') ? id : encodeURIComponent(id));
            const answer = await send(service, operation.method, path, { key, headers: { 'x-request-id': 'same' } });
            assert.equal(answer.status, 404, id);
            bodies.push(answer.text);
          }
          assert.equal(new Set(bodies).size, 1);
        });
      }
    });
  }
});
