import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useCommandLine } from './support.ts';

describe('the key commands with --service', () => {
  const line = useCommandLine();

  it('create, list, rotate and revoke keys in the workspace of the login', async () => {
    const made = JSON.parse(
      await line.output(['keys', 'create', '--service', '--scopes', 'agents:read', '--name', 'CI', '--json']),
    );
    assert.deepEqual(Object.keys(made), ['id', 'key', 'workspaceId', 'scopes']);
    assert.equal(made.workspaceId, (await line.client.whoami()).workspaceId);
    assert.deepEqual(made.scopes, ['agents:read']);
    const list = await line.output(['keys', 'list', '--service']);
    assert.match(list, new RegExp(`\n${made.id} +CI +vak_.{4}… +agents:read +active\n`));
    const rotated = JSON.parse(await line.output(['keys', 'rotate', made.id, '--service', '--grace', '30m', '--json']));
    assert.notEqual(rotated.id, made.id);
    const old = await line.client.apiKeys.get(made.id);
    const graceMs = Date.parse(old.expiresAt as string) - Date.now();
    assert.ok(graceMs > 0 && graceMs <= 30 * 60_000);
    assert.equal(await line.output(['keys', 'revoke', rotated.id, '--service']), `${rotated.id} revoked.\n`);
    const json = (await line.output(['keys', 'list', '--service', '--json', '--limit', '2'])).trimEnd().split('\n');
    assert.deepEqual(
      json.map((text) => JSON.parse(text)),
      (await line.client.apiKeys.list({ limit: 2 })).items,
    );
    assert.match(await line.output(['keys', 'list', '--service']), /revoked \d{4}-/);
    const shown = await line.output(['keys', 'create', '--service', '--scopes', 'agents:read']);
    assert.match(shown, /^\n {2}Key {8}vak_\w+ {3}\(shown only once: store it now\)\n {2}Id {9}key_\w+\n/);
  });

  it('are chosen by --profile and --base-url, too, but not by the environment', async () => {
    const { url } = line.service;
    assert.match(await line.output(['keys', 'list', '--base-url', url]), /^ID +NAME/);
    const settings = { DATABASE_URL: 'sqlite:/nowhere/voice-agents.db' };
    const onDatabase = await line.run(['keys', 'list'], { settings });
    assert.match(onDatabase.stderr, /no database found at \/nowhere\/voice-agents\.db/);
  });

  it('have the exit codes of other commands', async () => {
    const reader = await line.service.newKey({ scopes: ['agents:read'] });
    const settings = { VOICE_AGENTS_API_KEY: reader.key };
    assert.equal((await line.run(['keys', 'list', '--service'], { settings })).code, 3);
    const unknown = 'key_01m7fgx83900003jef8128d0yq80eb';
    assert.equal((await line.run(['keys', 'revoke', unknown, '--service'])).code, 4);
  });
});

describe('audit list', () => {
  const line = useCommandLine();

  it('lists changes of the workspace, or of one resource, newest first', async () => {
    assert.equal(await line.output(['audit', 'list']), 'No changes yet.\n');
    const [one, two] = [
      await line.client.agents.create({ name: 'One', voiceId: 'v' }),
      await line.client.agents.create({ name: 'Two', voiceId: 'v' }),
    ];
    await line.client.agents.publish(one.id);
    const { keyId } = await line.client.whoami();
    const rows = (await line.output(['audit', 'list'])).trimEnd().split('\n');
    assert.match(rows[0] as string, /^AT +ACTION +RESOURCE +KEY +REQUEST$/);
    assert.deepEqual(
      rows.slice(1).map((row) => row.split(/ {2,}/).slice(1, 4)),
      [
        ['agents.publish', one.id, keyId],
        ['agents.create', two.id, keyId],
        ['agents.create', one.id, keyId],
      ],
    );
    const json = (await line.output(['audit', 'list', '--resource', two.id, '--json'])).trimEnd().split('\n');
    assert.deepEqual(
      json.map((text) => JSON.parse(text)),
      (await line.client.auditLog.list({ resourceId: two.id })).items,
    );
  });

  it('has the names of keys that were created and revoked on the database', async () => {
    const settings = { DATABASE_URL: line.service.databaseUrl };
    const create = ['keys', 'create', '--workspace', 'Shop', '--scopes', 'audit:read', '--json', '--name'];
    const reader = JSON.parse((await line.run([...create, 'Reader'], { settings })).stdout);
    const till = JSON.parse((await line.run([...create, 'Till'], { settings })).stdout);
    await line.run(['keys', 'revoke', till.id], { settings });
    const { stdout } = await line.run(['audit', 'list', '--json'], { settings: { VOICE_AGENTS_API_KEY: reader.key } });
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text))
        .map(({ routeId, resourceName, keyId }) => [routeId, resourceName, keyId]),
      [
        ['apiKeys.revoke', 'Till', null],
        ['apiKeys.create', 'Till', null],
        ['apiKeys.create', 'Reader', null],
      ],
    );
  });
});
