import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { allScopes } from '../../src/contract/scopes.ts';
import { createAgent, send } from '../support/client.ts';
import { runInProcess } from '../support/command-line.ts';
import { newMigratedUrl, onEachEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { runCommand, runToEnd, type ServiceProcess, startProcess } from '../support/process.ts';
import { storedKeyWarnings } from './stored-key-warnings.ts';

onEachEngine('the first minute', (engine) => {
  const started: ServiceProcess[] = [];
  const start = async (settings: Record<string, string>) => {
    const service = await startProcess(settings);
    started.push(service);
    // It may respond before it has printed everything.
    while (!service.output().includes('"msg":"ready"')) await delay(10);
    return service;
  };
  after(() => Promise.all(started.map((service) => service.end('SIGKILL'))));
  // Started immediately on an empty database, with a key chosen by the operator.
  const ownKey = 'the-key-that-we-want-0001';
  let sharedUrl: string;
  let one: ServiceProcess;
  let two: ServiceProcess;
  before(async () => {
    sharedUrl = await engine.newDatabaseUrl();
    const settings = {
      DATABASE_URL: sharedUrl,
      BOOTSTRAP_API_KEY: ownKey,
      DATA_KEY: randomBytes(32).toString('base64'),
    };
    [one, two] = await Promise.all([start(settings), start(settings)]);
  });

  it('prints the URLs, the workspace and a key once, and a curl command that returns 201 as it is', async () => {
    const DATABASE_URL = await engine.newDatabaseUrl();
    const first = await start({ DATABASE_URL });
    const output = first.output();
    assert.match(output, new RegExp(`Dashboard +${first.url}/\n`));
    assert.match(output, new RegExp(`API +${first.url}/api/v1\n`));
    assert.match(output, new RegExp(`Reference +${first.url}/docs/\n`));
    assert.match(output, /Workspace +default \(ws_/);
    const key = /API key +(vak_[0-9A-Za-z]+)/.exec(output)?.[1] as string;
    const line = /^ *(curl .+)$/m.exec(output)?.[1] as string;
    const result = await runToEnd('sh', ['-c', `${line} -w '\\n%{http_code}'`], {});
    assert.match(result.stdout, /\n201$/);
    assert.equal(JSON.parse(result.stdout.split('\n')[0] as string).name, 'Reception');
    assert.equal((await send(first, 'GET', '/api/v1/agents', { key })).json.items.length, 1);
    const code = new RegExp(`^  ${first.url}/#sign-in=(\\S+)$`, 'm').exec(output)?.[1];
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) };
    const signedIn = await fetch(`${first.url}/sign-in`, init);
    assert.equal(signedIn.status, 200);
    const { key: ownKey } = (await signedIn.json()) as { key: string };
    assert.equal((await send(first, 'GET', '/api/v1/agents', { key: ownKey })).json.items.length, 1);
    await first.end('SIGTERM');

    const second = await start({ DATABASE_URL });
    assert.ok(!/vak_|sign-in/.test(second.output()), 'the key and the link are shown once');
    assert.equal((await send(second, 'GET', '/api/v1/agents', { key })).json.items.length, 1);

    // Where the generated data key is stored next to what it seals, every start says so.
    const warnings = engine.name === 'postgres' ? 1 : 0;
    assert.deepEqual([first, second].map(storedKeyWarnings), [warnings, warnings]);
    assert.deepEqual([one, two].map(storedKeyWarnings), [0, 0], 'they have a DATA_KEY');
  });

  it('creates no key if the database has one; without its tables, no command creates one', async () => {
    const empty = await engine.newDatabaseUrl();
    const create = ['keys', 'create', '--workspace', 'w', '--scopes', 'agents:read'];
    for (const args of [create, ['keys', 'list'], ['backup', '-']]) {
      const refused = await runInProcess(args, { DATABASE_URL: empty });
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, /(?:no database found at .+|PostgreSQL at .+ is empty): set DATABASE_URL/);
    }
    const DATABASE_URL = await newMigratedUrl(engine);
    const result = await runCommand(['keys', 'create', '--workspace', 'w', '--scopes', allScopes.join(), '--json'], {
      DATABASE_URL,
    });
    const service = await start({ DATABASE_URL });
    assert.ok(!service.output().includes('API key'));
    await createAgent(service, JSON.parse(result.stdout).key);
  });

  it('shares one database between instances: each sees what the other has acknowledged', async () => {
    const key = ownKey;
    for (let count = 0; count < 20; count += 1) {
      const here: ServiceProcess = count % 2 === 0 ? one : two;
      const there: ServiceProcess = count % 2 === 0 ? two : one;
      const { id } = await createAgent(here, key);
      assert.equal((await send(there, 'GET', `/api/v1/agents/${id}`, { key })).status, 200);
    }
    const page = await send(one, 'GET', '/api/v1/agents?limit=7', { key });
    const next = await send(two, 'GET', `/api/v1/agents?cursor=${page.json.pagination.nextCursor}`, { key });
    assert.equal(next.json.items.length, 13, 'a cursor is valid on every instance');
  });

  it('creates, lists, rotates and revokes keys from the shell while the service runs', async () => {
    const service = one;
    const keys = async (...args: string[]) => {
      const result = await runInProcess(['keys', ...args], { DATABASE_URL: sharedUrl });
      assert.equal(result.code, 0, result.stderr);
      return result.stdout;
    };
    const line = await keys(
      'create',
      '--workspace',
      '店舗',
      '--scopes',
      'agents:read,agents:write',
      '--name',
      'CI',
      '--json',
    );
    assert.equal(line.trimEnd().split('\n').length, 1);
    const made = JSON.parse(line);
    assert.deepEqual(Object.keys(made), ['id', 'key', 'workspaceId', 'scopes']);
    assert.deepEqual(made.scopes, ['agents:read', 'agents:write']);
    const agent = await createAgent(service, made.key);
    assert.equal(agent.workspaceId, made.workspaceId);

    const list = await keys('list', '--workspace', '店舗');
    assert.match(list, new RegExp(`${made.id} +店舗 +CI +vak_.{4}… +agents:read,agents:write +active`));
    assert.ok(!(await keys('list')).includes(made.key));
    assert.equal(JSON.parse(await keys('list', '--workspace', '店舗', '--json')).id, made.id);

    const rotated = JSON.parse(await keys('rotate', made.id, '--grace', '0s', '--json'));
    assert.equal((await send(service, 'GET', `/api/v1/agents/${agent.id}`, { key: rotated.key })).status, 200);
    const statusWith = async (key: string) => (await send(service, 'GET', '/api/v1/agents', { key })).status;
    const untilRefused = (key: string) => eventually(async () => (await statusWith(key)) === 401, 'the end of the key');
    await untilRefused(made.key);
    await keys('revoke', rotated.id);
    await untilRefused(rotated.key);
    assert.match(await keys('list', '--workspace', '店舗'), /revoked 20/);
  });

  it('uses the operator’s key instead, and does not print it', async () => {
    for (const service of [one, two]) {
      assert.ok(!service.output().includes(ownKey));
      assert.ok(!service.output().includes('vak_'), 'and makes no other');
      await createAgent(service, ownKey);
    }
  });
});
