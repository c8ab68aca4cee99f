import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { type Service, startService } from '../../support/service.ts';

const path = '/api/v1/agents';

/** Two services with a cache and one without, on the same database. */
onEachEngine('the read cache', (engine) => {
  let cached: Service;
  let other: Service;
  let uncached: Service;
  before(async () => {
    const databaseUrl = await engine.newServiceUrl();
    cached = await startService(engine, { databaseUrl });
    other = await startService(engine, { databaseUrl });
    uncached = await startService(engine, { databaseUrl, hasReadCache: false });
  });
  after(async () => {
    for (const service of [cached, other, uncached]) await service.close();
  });

  const answersOf = async (key: string, address: string) => {
    const answers = [];
    for (const service of [cached, other, uncached]) {
      // The second read comes from the cache.
      for (let times = 0; times < 2; times += 1) {
        const { status, text, headers } = await send(service, 'GET', address, { key });
        answers.push({ status, text, link: headers.get('link'), etag: headers.get('etag') });
      }
    }
    return answers;
  };

  it('serves exactly what the database has, after every kind of change by any process', async () => {
    const { key } = await cached.newKey();
    const { key: foreign } = await cached.newKey();
    const writers = [cached, other, uncached];
    const ids: string[] = [];
    let renames = 0;
    const newName = () => {
      renames += 1;
      return `new ${renames}`;
    };
    const changes: ((service: Service) => Promise<unknown>)[] = [
      async (service) => ids.push((await createAgent(service, key, { name: `受付 ${ids.length}` })).id),
      async (service) => send(service, 'PATCH', `${path}/${ids[0]}`, { key, body: { name: newName() } }),
      async (service) => send(service, 'POST', `${path}/${ids[0]}/publish`, { key, body: {} }),
      async (service) => send(service, 'POST', `${path}/${ids[0]}/duplicate`, { key, body: {} }),
      async (service) => send(service, 'DELETE', `${path}/${ids.pop()}`, { key }),
      async (service) => createAgent(service, foreign, { name: 'foreign' }),
    ];
    for (let round = 0; round < 3; round += 1) {
      await createAgent(cached, key, { name: 'first' }).then(({ id }) => ids.push(id));
      for (const [place, change] of changes.entries()) {
        await change(writers[(round + place) % writers.length] as Service);
        for (const address of [path, `${path}?limit=2`, `${path}/${ids[0]}`]) {
          const [first, ...others] = await answersOf(key, address);
          assert.equal(first?.status, 200);
          for (const answer of others) assert.deepEqual(answer, first);
        }
      }
    }
  });

  it('never serves a stale read', async () => {
    const { key } = await cached.newKey();
    for (let round = 0; round < 30; round += 1) {
      const writer = round % 2 === 0 ? other : cached;
      const reading = Promise.all(Array.from({ length: 5 }, () => send(cached, 'GET', path, { key })));
      const { id } = await createAgent(writer, key);
      const { json } = await send(cached, 'GET', path, { key });
      assert.equal(json.items[0].id, id);
      await reading;
    }
  });

  it('drops a deleted agent, whichever process deleted it', async () => {
    const { key } = await cached.newKey();
    for (const writer of [cached, other, uncached]) {
      const { id } = await createAgent(writer, key);
      for (const { status } of await answersOf(key, `${path}/${id}`)) assert.equal(status, 200);
      await send(writer, 'DELETE', `${path}/${id}`, { key });
      for (const { status } of await answersOf(key, `${path}/${id}`)) assert.equal(status, 404);
      for (const { text } of await answersOf(key, path)) assert.deepEqual(JSON.parse(text).items, []);
    }
  });

  it('separates workspaces and page sizes', async () => {
    const { key } = await cached.newKey();
    const { key: foreign } = await cached.newKey();
    await createAgent(cached, key);
    await createAgent(cached, key);
    assert.equal((await send(cached, 'GET', path, { key })).json.items.length, 2);
    assert.equal((await send(cached, 'GET', `${path}?limit=1`, { key })).json.items.length, 1);
    assert.equal((await send(cached, 'GET', path, { key: foreign })).json.items.length, 0);
  });
});
