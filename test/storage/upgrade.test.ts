import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createKeyStore } from '../../src/areas/keys/store.ts';
import { allScopes } from '../../src/contract/scopes.ts';
import { createIdGenerator } from '../../src/core/ids.ts';
import { firstTables } from '../../src/storage/migrations/0001-first-tables.ts';
import { lifeOfAnAgent } from '../../src/storage/migrations/0002-life-of-an-agent.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { send } from '../support/client.ts';
import { locationOf, onEachEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

onEachEngine('an upgrade', (engine) => {
  it('keeps the agents of the first schema byte for byte, and adds versions and tags', async () => {
    const source = await startService(engine);
    const workspace = 'before the upgrade';
    const old = await source.newKey({ workspace });
    const created = await send(source, 'POST', '/api/v1/agents', { key: old.key, body: { name: '昔', voiceId: 'v' } });
    await source.close();

    const databaseUrl = await engine.newDatabaseUrl();
    const database = openDatabase(locationOf(databaseUrl), () => {});
    const { integerType } = database.dialect;
    await database.run(
      `CREATE TABLE schema_migrations (version ${integerType} PRIMARY KEY, name TEXT NOT NULL, applied_at ${integerType} NOT NULL)`,
    );
    for (const statement of firstTables.statements(database.dialect)) await database.run(statement);
    await database.run("INSERT INTO schema_migrations (version, name, applied_at) VALUES (1, 'first tables', 0)");
    await database.run('INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, 0)', [
      old.workspaceId,
      workspace,
    ]);
    await database.run(
      'INSERT INTO agents (workspace_id, id, folded_name, doc_version, doc) VALUES ($1, $2, $3, 1, $4)',
      [old.workspaceId, created.json.id, '昔', created.text],
    );
    await database.close();

    const service = await startService(engine, { databaseUrl });
    const { key } = await service.newKey({ workspace });
    const path = `/api/v1/agents/${created.json.id}`;
    const read = await send(service, 'GET', path, { key });
    assert.equal(read.text, created.text);
    assert.equal(read.headers.get('etag'), created.headers.get('etag'));
    const headers = { 'if-match': read.headers.get('etag') as string };
    const published = await send(service, 'POST', `${path}/publish`, { key, headers });
    assert.equal(published.status, 200, published.text);
    assert.equal((await send(service, 'PATCH', path, { key, body: { name: '今' } })).json.version, 2);
    assert.equal((await send(service, 'GET', `${path}/versions/1`, { key })).text, published.text);
    await service.close();
  });

  it('keeps the audit log of the second schema', async () => {
    const databaseUrl = await engine.newDatabaseUrl();
    const database = openDatabase(locationOf(databaseUrl), () => {});
    const { integerType } = database.dialect;
    await database.run(
      `CREATE TABLE schema_migrations (version ${integerType} PRIMARY KEY, name TEXT NOT NULL, applied_at ${integerType} NOT NULL)`,
    );
    for (const { version, name, statements } of [firstTables, lifeOfAnAgent]) {
      for (const statement of statements(database.dialect)) await database.run(statement);
      await database.run('INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, 0)', [
        version,
        name,
      ]);
    }
    const newId = createIdGenerator();
    const keys = createKeyStore(database, newId, Date.now);
    const { secret: key, workspaceId } = await database.transaction(async (queries) =>
      keys.create(queries, {
        workspaceId: await keys.ensureWorkspace(queries, 'before'),
        scopes: allScopes,
        name: null,
        expiresAt: null,
      }),
    );
    const resources = Array.from({ length: 5 }, () => newId('agt'));
    for (const resourceId of resources) {
      const id = newId('aud');
      const at = new Date().toISOString();
      const head = { id, at, keyId: null, routeId: 'agents.create', resourceId };
      await database.run('INSERT INTO audit_log (workspace_id, id, resource_id, doc) VALUES ($1, $2, $3, $4)', [
        workspaceId,
        id,
        resourceId,
        JSON.stringify({ ...head, resourceName: null, requestId: null }),
      ]);
    }
    await database.close();

    const service = await startService(engine, { databaseUrl });
    const path = '/api/v1/audit-log';
    const { json } = await send(service, 'GET', path, { key });
    assert.deepEqual(
      json.items.map(({ resourceId }: { resourceId: string }) => resourceId),
      resources.toReversed(),
    );
    const { json: ofOne } = await send(service, 'GET', `${path}?resourceId=${resources[2]}`, { key });
    assert.equal(ofOne.items.length, 1);
    await service.close();
  });
});
