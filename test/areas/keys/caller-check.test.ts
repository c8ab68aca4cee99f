import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, send } from '../../support/client.ts';
import { onEachEngine, onPostgres, postgresEngine } from '../../support/engines.ts';
import { newWorkspaceName, type Service, useService } from '../../support/service.ts';

const path = '/api/v1/api-keys';
const newKeyBody = { scopes: ['agents:read'] };

type Change = (service: Service, key: string, id: string) => Promise<Answer>;

/** Every operation that changes keys, on a given key. */
const changes: Readonly<Record<string, Change>> = {
  'apiKeys.create': (service, key) => send(service, 'POST', path, { key, body: newKeyBody }),
  'apiKeys.rotate': (service, key, id) => send(service, 'POST', `${path}/${id}/rotate`, { key }),
  'apiKeys.revoke': (service, key, id) => send(service, 'POST', `${path}/${id}/revoke`, { key }),
  'apiKeys.delete': (service, key, id) => send(service, 'DELETE', `${path}/${id}`, { key }),
};

onEachEngine('a change to keys', (engine) => {
  const service = useService(engine);

  /** Two callers of one workspace, both cached by authentication, and a key to change. */
  const newCallers = async () => {
    const workspace = newWorkspaceName();
    const [admin, caller] = [await service.newKey({ workspace }), await service.newKey({ workspace })];
    const target = await service.newKey({ workspace, scopes: ['agents:read'] });
    for (const { key } of [admin, caller])
      assert.equal((await send(service, 'GET', '/api/v1/whoami', { key })).status, 200);
    return { admin, caller, target };
  };
  const withoutRequestId = ({ json }: Answer) => ({ ...json.error, requestId: null });
  const trail = async (key: string): Promise<{ routeId: string; keyId: string; resourceId: string }[]> =>
    (await send(service, 'GET', '/api/v1/audit-log?limit=200', { key })).json.items;

  for (const [id, change] of Object.entries(changes)) {
    it(`gets the response for an unknown key once the caller is revoked: ${id}`, async () => {
      const unknown = await change(service, 'vak_unknown', 'key_unknown');
      for (let round = 0; round < 10; round += 1) {
        const { admin, caller, target } = await newCallers();
        assert.equal((await changes['apiKeys.revoke']?.(service, admin.key, caller.id))?.status, 200);
        const refused = await change(service, caller.key, target.id);
        assert.equal(refused.status, 401, `round ${round}`);
        assert.deepEqual(withoutRequestId(refused), withoutRequestId(unknown));
        assert.equal(refused.headers.get('www-authenticate'), unknown.headers.get('www-authenticate'));
        assert.equal((await trail(admin.key)).length, 1, 'and nothing was done');
      }
    });

    it(`is rejected once the caller has expired: ${id}`, async () => {
      const { admin, caller, target } = await newCallers();
      const rotation = { key: admin.key, body: { graceSeconds: 0 } };
      assert.equal((await send(service, 'POST', `${path}/${caller.id}/rotate`, rotation)).status, 201);
      assert.equal((await change(service, caller.key, target.id)).status, 401);
    });
  }

  it('can affect the caller itself, once', async () => {
    for (const revoke of [changes['apiKeys.revoke'], changes['apiKeys.delete']] as Change[]) {
      const { caller } = await newCallers();
      assert.equal((await revoke(service, caller.key, caller.id)).status, 200);
      assert.equal((await revoke(service, caller.key, caller.id)).status, 401);
    }
  });

  it('is not replayed under its Idempotency-Key after the caller was revoked', async () => {
    const { admin, caller } = await newCallers();
    const call = { key: caller.key, body: newKeyBody, headers: { 'idempotency-key': 'once' } };
    assert.equal((await send(service, 'POST', path, call)).status, 201);
    assert.equal((await send(service, 'POST', path, call)).headers.get('idempotent-replayed'), 'true');
    await changes['apiKeys.revoke']?.(service, admin.key, caller.id);
    assert.equal((await send(service, 'POST', path, call)).status, 401);
  });

  it('happens before or after the revocation of its caller, even concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { admin, caller } = await newCallers();
      const create = () => send(service, 'POST', path, { key: caller.key, body: newKeyBody });
      const revoke = () => send(service, 'POST', `${path}/${caller.id}/revoke`, { key: admin.key });
      const answers = await Promise.all([create(), create(), create(), revoke(), create(), create(), create()]);
      assert.equal(answers[3]?.status, 200);
      const made = answers.filter(({ status }) => status === 201).length;
      assert.equal(answers.filter(({ status }) => status === 401).length, 6 - made);
      const [last, ...earlier] = await trail(admin.key);
      assert.deepEqual([last?.routeId, last?.resourceId], ['apiKeys.revoke', caller.id]);
      assert.equal(earlier.length, made);
    }
  });

  it('has one winner if two callers revoke each other concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { admin, caller } = await newCallers();
      const answers = await Promise.all([
        send(service, 'POST', `${path}/${caller.id}/revoke`, { key: admin.key }),
        send(service, 'POST', `${path}/${admin.id}/revoke`, { key: caller.key }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
    }
  });
});

describe('a change to keys on PostgreSQL', onPostgres, () => {
  const service = useService(postgresEngine());

  it('locks caller and target in the order of their ids, so that two opposite changes never deadlock', async () => {
    const workspace = newWorkspaceName();
    const [lower, upper] = [await service.newKey({ workspace }), await service.newKey({ workspace })];
    const lock = 'SELECT id FROM api_keys WHERE id = $1 FOR UPDATE';
    const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    let revocation: Promise<Answer> | undefined;
    await service.database.transaction(async (queries) => {
      await queries.get(lock, [lower.id]);
      revocation = changes['apiKeys.revoke']?.(service, upper.key, lower.id);
      // Outside of the transaction, in which the statistics do not change after the first read.
      while ((await service.database.all(waiting)).length === 0);
      assert.deepEqual(await queries.get(`${lock} SKIP LOCKED`, [upper.id]), { id: upper.id });
    });
    assert.equal((await revocation)?.status, 200);
  });
});
