import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { createSecretStore } from '../../../src/areas/secrets/store.ts';
import { openDataKey } from '../../../src/storage/data-key.ts';
import { backUpToBytes } from '../../backup/support.ts';
import { createAgent, send } from '../../support/client.ts';
import { locationOf, onEachEngine } from '../../support/engines.ts';
import { type Service, startService, useService } from '../../support/service.ts';

const path = '/api/v1/secrets';
const hosts = ['shop.example.com'];

onEachEngine('secrets', (engine) => {
  const service = useService(engine);

  const put = (key: string, name: string, body: unknown = { value: 'hidden', hosts }) =>
    send(service, 'PUT', `${path}/${name}`, { key, body });
  const list = async (key: string) => (await send(service, 'GET', path, { key })).json;
  const open = async (from: Service, workspaceId: string, ...names: string[]) => {
    const { sealer } = await openDataKey(from.database, locationOf(from.databaseUrl), []);
    return createSecretStore(from.database, sealer, Date.now).open(workspaceId, names);
  };
  const toolOn = (url: string, header: string, name = 'book') => ({
    name,
    description: 'Books.',
    parameters: { type: 'object' },
    url,
    headers: { Authorization: header },
  });
  const agentWith = async (key: string, ...tools: unknown[]) =>
    (await createAgent(service, key, { agentSettings: { tools } })).id;
  const publish = (key: string, id: string) => send(service, 'POST', `/api/v1/agents/${id}/publish`, { key });

  it('are set and replaced, and listed by name on one page', async () => {
    const { key, workspaceId } = await service.newKey();
    assert.deepEqual(await list(key), { items: [], pagination: { nextCursor: null } });
    for (const name of ['B', 'A_1', 'A']) assert.equal((await put(key, name)).status, 200);
    const first = (await list(key)).items;
    assert.deepEqual(
      first.map(({ name }: { name: string }) => name),
      ['A', 'A_1', 'B'],
    );
    const replaced = await put(key, 'A', {
      value: 'other',
      hosts: ['Other.Example.com', 'other.example.com', '127.0.0.1'],
    });
    const { createdAt, updatedAt, ...rest } = replaced.json;
    assert.deepEqual(rest, { name: 'A', hosts: ['other.example.com', '127.0.0.1'] });
    assert.equal(createdAt, first[0].createdAt);
    assert.ok(updatedAt >= first[0].updatedAt);
    assert.equal(replaced.headers.get('etag'), null);
    const opened = await open(service, workspaceId, 'A', 'B', 'UNKNOWN');
    assert.deepEqual([...opened.values()].map(({ value }) => value).sort(), ['hidden', 'other']);
  });

  it('are separate in every workspace', async () => {
    const [one, two] = [await service.newKey(), await service.newKey()];
    await put(one.key, 'A');
    assert.deepEqual((await list(two.key)).items, []);
    const answers = [];
    for (const name of ['A', 'UNKNOWN', 'a', '%00', 'A'.repeat(65)]) {
      const headers = { 'x-request-id': 'same' };
      const answer = await send(service, 'DELETE', `${path}/${name}`, { key: two.key, headers });
      assert.equal(answer.status, 404, name);
      answers.push(answer.text);
    }
    assert.equal(new Set(answers).size, 1);
    assert.equal((await list(one.key)).items.length, 1);
  });

  it('refuse names, values and hosts that are not valid', async () => {
    const { key } = await service.newKey();
    for (const name of ['a', 'A-B', '1A', '_A', `A${'B'.repeat(64)}`, '%E3%81%82']) {
      const { status, json } = await put(key, name);
      assert.equal(status, 400, name);
      assert.deepEqual(Object.keys(json.error.details.fieldErrors), ['name']);
    }
    const wrong: [string, unknown][] = [
      ['value', { hosts }],
      ['value', { value: '', hosts }],
      ['value', { value: 'x'.repeat(4097), hosts }],
      ['value', { value: 'line\nbreak', hosts }],
      ['value', { value: 1, hosts }],
      ['hosts', { value: 'x' }],
      ['hosts', { value: 'x', hosts: [] }],
      ['hosts', { value: 'x', hosts: Array.from({ length: 11 }, (_, index) => `h${index}.example.com`) }],
      ...[
        '',
        '*.example.com',
        'https://a.example.com',
        'a.example.com:443',
        'a.example.com/',
        'a b',
        '127.1',
        '::1',
      ].map((host): [string, unknown] => ['hosts', { value: 'x', hosts: [host] }]),
    ];
    for (const [field, body] of wrong) {
      const { status, json } = await put(key, 'A', body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.deepEqual(Object.keys(json.error.details.fieldErrors), [field]);
    }
    for (const value of ['x', '😀'.repeat(4096)]) assert.equal((await put(key, 'A', { value, hosts })).status, 200);
    const longest = [`${'a'.repeat(63)}.example.com`, 'localhost', '[::1]', 'xn--bcher-kva.example'];
    assert.equal((await put(key, `A${'B'.repeat(63)}`, { value: 'x', hosts: longest })).status, 200);
  });

  it('are up to 200 in a workspace, also if they are set at once', async () => {
    const { key } = await service.newKey();
    for (let index = 0; index < 195; index += 1) assert.equal((await put(key, `S${index}`)).status, 200);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => put(key, `T${index}`)));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 5);
    for (const { status, json } of refused) {
      assert.deepEqual([status, json.error.code, json.error.details], [422, 'LIMIT_REACHED', { limit: 200 }]);
    }
    const [{ name }] = (await list(key)).items;
    assert.equal((await put(key, name)).status, 200);
    assert.equal((await send(service, 'DELETE', `${path}/${name}`, { key })).status, 200);
    assert.equal((await put(key, 'NEXT')).status, 200);
  });

  it('must exist, and allow the host of the tool, when an agent is published', async () => {
    const { key } = await service.newKey();
    const url = 'https://shop.example.com/book';
    const id = await agentWith(
      key,
      toolOn(url, 'Bearer {{secrets.A}}{{secrets.MISSING}}', 'one'),
      toolOn('https://other.example.com:8443/', 'Bearer {{secrets.A}}', 'two'),
    );
    await put(key, 'A');
    const issues = [
      'tools.0.headers.Authorization: uses the secret MISSING, which does not exist',
      'tools.1.headers.Authorization: uses the secret A, which may not be sent to other.example.com',
    ];
    const refused = await publish(key, id);
    assert.equal(refused.status, 422);
    assert.deepEqual(refused.json.error.details.fieldErrors, { agentSettings: issues });
    const checked = await send(service, 'GET', `/api/v1/agents/${id}/check`, { key });
    assert.equal(checked.json.errors.length, 2);
    await put(key, 'MISSING');
    await put(key, 'A', { value: 'x', hosts: [...hosts, 'other.example.com'] });
    assert.equal((await publish(key, id)).status, 200);
  });

  it('cannot be deleted while the newest published version of an agent uses them', async () => {
    const { key } = await service.newKey();
    await put(key, 'A');
    const remove = () => send(service, 'DELETE', `${path}/A`, { key });
    const url = 'https://shop.example.com/';
    const ids: string[] = [];
    for (let count = 0; count < 22; count += 1) {
      ids.push(await agentWith(key, toolOn(url, 'Bearer {{secrets.A}}')));
      assert.equal((await publish(key, ids[count] as string)).status, 200);
    }
    // A reference outside the header of a tool is only text.
    await publish(key, (await createAgent(service, key, { prompt: '{{secrets.A}}' })).id);
    const refused = await remove();
    assert.equal(refused.status, 409);
    assert.equal(refused.json.error.code, 'RESOURCE_IN_USE');
    assert.deepEqual(refused.json.error.details, { usedBy: ids.slice(0, 20) });

    const [kept, changed, ...others] = ids as [string, string, ...string[]];
    for (const id of others) await send(service, 'DELETE', `/api/v1/agents/${id}`, { key });
    for (const id of [kept, changed]) {
      await send(service, 'PATCH', `/api/v1/agents/${id}`, { key, body: { agentSettings: { tools: [] } } });
    }
    assert.deepEqual((await remove()).json.error.details, { usedBy: [kept, changed] });
    for (const id of [kept, changed]) await publish(key, id);
    assert.deepEqual((await remove()).json, { name: 'A', deleted: true });
    assert.equal((await remove()).status, 404);
  });

  it('never show their value, wherever one looks', async () => {
    const own = await startService(engine);
    const { key } = await own.newKey();
    const value = 'Value-Nobody-May-See-7351';
    const call = { key, body: { value, hosts } };
    const texts: string[] = [];
    const note = ({ text, headers }: { text: string; headers: Headers }) =>
      texts.push(text, JSON.stringify([...headers]));
    note(await send(own, 'PUT', `${path}/A`, call));
    note(await send(own, 'PUT', `${path}/a`, call));
    note(await send(own, 'PUT', `${path}/A`, { key, body: { value: [value], hosts: [value] } }));
    note(await send(own, 'PUT', `${path}/A`, { key, rawBody: `{"value":"${value}"` }));
    note(await send(own, 'GET', path, { key }));
    note(await send(own, 'GET', '/api/v1/audit-log', { key }));
    const metrics = await (await fetch(`${own.url}/metrics`)).text();
    texts.push(metrics, JSON.stringify(own.log));
    for (const { name } of await own.database.all<{ name: string }>(own.database.dialect.tableNames)) {
      const rows = await own.database.all(`SELECT * FROM ${name}`);
      texts.push(
        ...rows.flatMap((row) =>
          Object.values(row).map((cell) =>
            cell instanceof Uint8Array ? Buffer.from(cell).toString('latin1') : String(cell),
          ),
        ),
      );
    }
    await own.close();
    const location = locationOf(own.databaseUrl);
    if (location.engine === 'sqlite') texts.push(readFileSync(location.file, 'latin1'));
    const { bytes } = await backUpToBytes(own.databaseUrl);
    texts.push(zstdDecompressSync(bytes).toString());
    for (const text of texts) {
      assert.ok(!text.includes(value));
      assert.ok(!text.includes(Buffer.from(value).toString('base64')));
    }
  });
});
