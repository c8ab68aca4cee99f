import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createDoNotCallStore } from '../../../src/areas/phone/do-not-call/store.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { phoneClient } from './resources.ts';

const path = '/do-not-call';

onEachEngine('the do-not-call list', (engine) => {
  const service = useService(engine);
  const newClient = async () => phoneClient(service, (await service.newKey()).key);
  const listed = async (client: Awaited<ReturnType<typeof newClient>>, query = '') =>
    (await client.get(`${path}?${query}`)).items.map(({ number }: { number: string }) => number);

  it('takes numbers once, and keeps the first entry of each', async () => {
    const client = await newClient();
    const add = async (body: object) => (await client.call(201, 'POST', path, body)).json;
    assert.deepEqual(await add({ numbers: ['+819012345678', '+819012345678'], reason: 'asked' }), {
      added: 1,
      known: 0,
    });
    assert.deepEqual(await add({ numbers: ['+819012345679', '+819012345678', '+99900000001'] }), {
      added: 2,
      known: 1,
    });
    const { items } = await client.get(path);
    const first = items.find(({ number }: { number: string }) => number === '+819012345678');
    assert.deepEqual([first.reason, first.source], ['asked', 'api']);
    assert.equal((await listed(await newClient())).length, 0);
  });

  it('takes none if one is not valid, and says which', async () => {
    const client = await newClient();
    const numbers = ['+819012345678', '+8109012345678', '090-1234-5678'];
    const issues = (await client.refused(400, 'POST', path, { numbers })).numbers;
    assert.deepEqual(
      issues.map((issue: string) => issue.split(':')[0]),
      ['1', '2'],
    );
    assert.match(issues[0], /did you mean \+819012345678\?/);
    assert.deepEqual(await listed(client), []);
    await client.call(400, 'POST', path, { numbers: [] });
  });

  it('is listed in pages, newest first, also by the start of a number', async () => {
    const client = await newClient();
    await client.call(201, 'POST', path, { numbers: ['+819012345671', '+819012345672', '+819012345673'] });
    await client.call(201, 'POST', path, { numbers: ['+12025550123'] });
    const pages: string[][] = [];
    for (let cursor = ''; ; ) {
      const page = await client.get(`${path}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      pages.push(page.items.map(({ number }: { number: string }) => number));
      if (page.pagination.nextCursor === null) break;
      cursor = page.pagination.nextCursor;
    }
    assert.deepEqual(pages.flat().sort(), ['+12025550123', '+819012345671', '+819012345672', '+819012345673']);
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2],
    );
    assert.equal(pages[0]?.[0], '+12025550123');
    assert.deepEqual(await listed(client, 'q=%2B81901234567'), ['+819012345673', '+819012345672', '+819012345671']);
    assert.deepEqual(await listed(client, 'q=%2B819012345672'), ['+819012345672']);
    assert.deepEqual(await listed(client, 'q=123'), []);
  });

  it('takes ten thousand numbers in one request', async () => {
    const client = await newClient();
    const numbers = Array.from({ length: 10_000 }, (_, index) => `+8190${10_000_000 + index}`);
    assert.deepEqual((await client.call(201, 'POST', path, { numbers })).json, { added: 10_000, known: 0 });
    await client.call(400, 'POST', path, { numbers: [...numbers, '+819099999999'] });
  });

  it('has a maximum, which additions at the same time cannot exceed together', async () => {
    const { workspaceId } = await service.newKey();
    const store = createDoNotCallStore(service.database, Date.now, 3);
    const add = (...numbers: string[]) =>
      service.database.transaction((queries) =>
        store.add(queries, workspaceId, numbers, { reason: null, source: 'api' }),
      );
    assert.equal(await add('+819012345671', '+819012345672'), 2);
    const results = await Promise.allSettled([add('+819012345673'), add('+819012345674')]);
    const codes = results.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    assert.deepEqual(codes, ['LIMIT_REACHED']);
    assert.equal(await add('+819012345671'), 0);
    await assert.rejects(add('+819012345675', '+819012345676'), { code: 'LIMIT_REACHED', details: { limit: 3 } });
  });

  it('forgets a number that is deleted; an unknown one and that of another workspace are 404', async () => {
    const [client, other] = [await newClient(), await newClient()];
    await client.call(201, 'POST', path, { numbers: ['+819012345678'] });
    await other.call(404, 'DELETE', `${path}/%2B819012345678`);
    const removed = { number: '+819012345678', deleted: true };
    assert.deepEqual((await client.call(200, 'DELETE', `${path}/%2B819012345678`)).json, removed);
    await client.call(404, 'DELETE', `${path}/%2B819012345678`);
    await client.call(404, 'DELETE', `${path}/x`);
  });
});
