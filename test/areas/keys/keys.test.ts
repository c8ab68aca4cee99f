import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { createAuthenticator } from '../../../src/areas/keys/authenticate.ts';
import { createSecret } from '../../../src/areas/keys/secret.ts';
import type { ApiKey } from '../../../src/areas/keys/store.ts';
import { allScopes } from '../../../src/contract/scopes.ts';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { newWorkspaceName, type Service, startService, useService } from '../../support/service.ts';

/** As a secret scanner verifies it: the last six characters are the CRC32 of the others in base 62. */
function hasValidChecksum(secret: string): boolean {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const checksum = [...secret.slice(36)].reduce((sum, character) => sum * 62 + alphabet.indexOf(character), 0);
  return checksum === crc32(secret.slice(4, 36));
}

describe('secrets', () => {
  it('have the form that scanners look for, and a checksum that detects typing errors', () => {
    const secrets = Array.from({ length: 200 }, createSecret);
    assert.equal(new Set(secrets).size, 200);
    for (const [number, secret] of secrets.entries()) {
      assert.match(secret, /^vak_[0-9A-Za-z]{38}$/);
      assert.ok(hasValidChecksum(secret));
      const place = 4 + (number % 38);
      const changed = secret.slice(0, place) + (secret[place] === 'a' ? 'b' : 'a') + secret.slice(place + 1);
      assert.ok(!hasValidChecksum(changed), `${changed} at ${place}`);
    }
  });
});

onEachEngine('API keys', (engine) => {
  let aheadMs = 0;
  const service = useService(engine, { now: () => Date.now() + aheadMs });

  const revoke = (target: Service, id: string) =>
    target.database.transaction(async (queries) => {
      const key = await target.keys.findAnywhere(queries, id);
      return target.keys.revoke(queries, key as ApiKey);
    });
  const statusWith = async (key: string) => (await send(service, 'GET', '/api/v1/agents', { key })).status;

  it('belong to a workspace that is created if it is new, and found by its name otherwise', async () => {
    const workspace = newWorkspaceName();
    const [one, two] = await Promise.all([service.newKey({ workspace }), service.newKey({ workspace })]);
    assert.equal(one.workspaceId, two.workspaceId);
    assert.match(one.workspaceId, /^ws_/);
    assert.match(one.id, /^key_/);
    const agent = await createAgent(service, one.key);
    assert.equal((await send(service, 'GET', `/api/v1/agents/${agent.id}`, { key: two.key })).status, 200);
    assert.equal((await service.newKey()).workspaceId === one.workspaceId, false);
  });

  it('are not stored in the database', async () => {
    const { key } = await service.newKey();
    const rows = await service.database.all('SELECT * FROM api_keys');
    assert.ok(!JSON.stringify(rows).includes(key.slice(8)));
  });

  it('are rejected within a second of their revocation, even while in use', async () => {
    const { key, id } = await service.newKey();
    assert.equal(await statusWith(key), 200);
    assert.ok((await revoke(service, id)).revokedAt);
    const revokedAt = performance.now();
    let sentAt: number;
    let status: number;
    do {
      await delay(20);
      sentAt = performance.now();
      status = await statusWith(key);
    } while (status === 200 && sentAt - revokedAt < 1000);
    assert.equal(status, 401, 'it was sent a second after the revocation');
  });

  it('are rotated: the new secret has the same permissions, the old one works during the grace period', async () => {
    const { key, id, workspaceId } = await service.newKey({ scopes: ['agents:read'] });
    const rotated = await service.database.transaction(async (queries) => {
      const found = await service.keys.findAnywhere(queries, id);
      return service.keys.rotate(queries, found as ApiKey, 60_000);
    });
    assert.equal(rotated.workspaceId, workspaceId);
    assert.deepEqual(rotated.scopes, ['agents:read']);
    assert.equal(await statusWith(rotated.secret), 200);
    assert.equal(await statusWith(key), 200);
    aheadMs += 60_000;
    assert.equal(await statusWith(key), 401);
    assert.equal(await statusWith(rotated.secret), 200);
  });

  it('are created at the first start, only on an empty database', async () => {
    const empty = await startService(engine);
    const made = await Promise.all([empty.keys.bootstrap(null), empty.keys.bootstrap(null)]);
    assert.equal(made.filter((key) => key !== null).length, 1);
    const [key] = await empty.keys.listEverywhere('default');
    assert.deepEqual(key?.scopes, allScopes);
    assert.equal(await empty.keys.bootstrap(null), null);
    await empty.close();
  });

  it('set by the operator are created with every scope, and stay revoked once they are', async () => {
    const own = await startService(engine);
    const secret = "an operator's own key";
    const made = await own.keys.bootstrap(secret);
    assert.equal(made?.secret, secret);
    await own.database.run("UPDATE api_keys SET scopes = 'agents:read'");
    assert.equal(await own.keys.bootstrap(secret), null);
    assert.equal(
      (await send(own, 'POST', '/api/v1/agents', { key: secret, body: { name: 'a', voiceId: 'v' } })).status,
      201,
    );
    await revoke(own, made?.id as string);
    const status = async () => (await send(own, 'GET', '/api/v1/whoami', { key: secret })).status;
    // The key that was just used is cached for half a second.
    await eventually(async () => (await status()) === 401, 'the end of the revoked key');
    assert.equal(await own.keys.bootstrap(secret), null);
    assert.equal(await status(), 401);
    assert.equal((await own.keys.listEverywhere(null)).length, 1);
    await own.close();
  });

  it('with a scope of a later version grant only known scopes', async () => {
    const { key, id } = await service.newKey({ scopes: ['agents:read'] });
    await service.database.run("UPDATE api_keys SET scopes = 'agents:read planets:write' WHERE id = $1", [id]);
    assert.deepEqual((await send(service, 'GET', '/api/v1/whoami', { key })).json.scopes, ['agents:read']);
    const answer = await send(service, 'POST', '/api/v1/agents', { key, body: {} });
    assert.equal(answer.status, 403);
  });
});

describe('cached keys', () => {
  const key = (revokedAt: number | null = null, expiresAt: number | null = null) => ({
    id: 'key_1',
    workspaceId: 'ws_1',
    workspaceName: 'w',
    name: null,
    hint: '',
    scopes: ['agents:read' as const],
    createdAt: 0,
    expiresAt,
    revokedAt,
    rotatedAt: null,
    lastUsedAt: null,
  });

  it('are looked up again after half a second, and a known expiry is respected to the millisecond', async () => {
    let clock = 0;
    let lookUps = 0;
    let stored = key(null, 300);
    const authenticate = createAuthenticator(
      async () => {
        lookUps += 1;
        return stored;
      },
      () => {},
      () => clock,
      () => clock,
    );
    const call = async () => authenticate({ 'x-api-key': 'secret' });
    await call();
    await call();
    assert.equal(lookUps, 1);
    clock = 301;
    await assert.rejects(call(), /API key/);
    stored = key();
    await call();
    stored = key(1);
    clock += 499;
    await call();
    clock += 2;
    await assert.rejects(call(), /API key/);
  });

  it('are refreshed before they expire, and no request waits for it', async () => {
    let clock = 0;
    const waiting: (() => void)[] = [];
    const authenticate = createAuthenticator(
      () => new Promise((resolve) => waiting.push(() => resolve(key()))),
      () => {},
      () => 0,
      () => clock,
    );
    const call = () => authenticate({ 'x-api-key': 'secret' });
    const first = call();
    waiting.shift()?.();
    await first;
    clock = 249;
    assert.ok(!(call() instanceof Promise));
    assert.equal(waiting.length, 0);
    clock = 260;
    for (let count = 0; count < 3; count += 1) assert.ok(!(call() instanceof Promise));
    assert.equal(waiting.length, 1);
    waiting.shift()?.();
    await new Promise(setImmediate);
    // Valid from the start of that lookup.
    clock = 759;
    assert.ok(!(call() instanceof Promise));
    clock = 760;
    assert.ok(call() instanceof Promise);
  });

  it('are looked up once for concurrent requests, but not if the result would be too old', async () => {
    let clock = 0;
    const waiting: ((found: ApiKey | undefined) => void)[] = [];
    const authenticate = createAuthenticator(
      () => new Promise((resolve) => waiting.push(resolve)),
      () => {},
      () => 0,
      () => clock,
    );
    const call = async () => authenticate({ 'x-api-key': 'secret' });
    const early = [call(), call()];
    clock = 499;
    early.push(call());
    assert.equal(waiting.length, 1);
    clock = 500;
    const late = [call(), call()];
    assert.equal(waiting.length, 2);
    waiting[0]?.(key());
    assert.equal((await Promise.all(early)).length, 3);
    // The first lookup has finished, and must not have removed the second.
    late.push(call());
    assert.equal(waiting.length, 2);
    waiting[1]?.(undefined);
    for (const one of late) await assert.rejects(one, /API key/);
  });

  it('that cannot be refreshed cause no error until they are needed', async () => {
    let clock = 0;
    let isAway = false;
    const authenticate = createAuthenticator(
      async () => {
        if (isAway) throw new Error('the database is away');
        return key();
      },
      () => {},
      () => 0,
      () => clock,
    );
    const call = async () => authenticate({ 'x-api-key': 'secret' });
    await call();
    isAway = true;
    clock = 400;
    await call();
    await new Promise(setImmediate);
    clock = 501;
    await assert.rejects(call(), /away/);
  });

  it('do not include unknown ones, and a failed lookup is reported as such', async () => {
    let lookUps = 0;
    const authenticate = createAuthenticator(
      async () => {
        lookUps += 1;
        if (lookUps === 3) throw new Error('the database is away');
        return undefined;
      },
      () => {},
      () => 0,
    );
    await assert.rejects(async () => authenticate({ 'x-api-key': 'secret' }), /API key/);
    await assert.rejects(async () => authenticate({ 'x-api-key': 'secret' }), /API key/);
    await assert.rejects(async () => authenticate({ 'x-api-key': 'secret' }), /away/);
    assert.equal(lookUps, 3);
  });

  it('do not include padded headers: their number is unlimited, and each would use memory', async () => {
    let lookUps = 0;
    const authenticate = createAuthenticator(
      async () => {
        lookUps += 1;
        return key();
      },
      () => {},
      () => 0,
    );
    const longest = { authorization: `Bearer ${'s'.repeat(200)}`, 'x-api-key': 's'.repeat(200) };
    for (const headers of [longest, longest]) await authenticate(headers);
    assert.equal(lookUps, 1);
    const padded = { authorization: `Basic ${'p'.repeat(8000)}`, 'x-api-key': 'secret' };
    for (const headers of [padded, padded]) await authenticate(headers);
    assert.equal(lookUps, 3);
  });
});
