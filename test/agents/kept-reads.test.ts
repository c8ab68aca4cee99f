import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createAgent, send } from '../support/client.ts';
import { onEachEngine } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';

const path = '/api/v1/agents';

/** Two services that keep what they read, and one that does not, on the same database. */
onEachEngine('what is kept of reads', (engine) => {
  let keeping: Service;
  let other: Service;
  let plain: Service;
  before(async () => {
    const databaseUrl = await engine.newDatabaseUrl();
    keeping = await startService(engine, { databaseUrl });
    other = await startService(engine, { databaseUrl });
    plain = await startService(engine, { databaseUrl, keepsReads: false });
  });
  after(async () => {
    for (const service of [keeping, other, plain]) await service.close();
  });

  const answersOf = async (key: string, address: string) => {
    const answers = [];
    for (const service of [keeping, other, plain]) {
      // The second time from what was kept the first time.
      for (let times = 0; times < 2; times += 1) {
        const { status, text, headers } = await send(service, 'GET', address, { key });
        answers.push({ status, text, link: headers.get('link'), etag: headers.get('etag') });
      }
    }
    return answers;
  };

  it('is byte for byte what is read anew, after every kind of change, whoever made it', async () => {
    const { key } = await keeping.newKey();
    const { key: foreign } = await keeping.newKey();
    const writers = [keeping, other, plain];
    const ids: string[] = [];
    const changes: ((service: Service) => Promise<unknown>)[] = [
      async (service) => ids.push((await createAgent(service, key, { name: `受付 ${ids.length}` })).id),
      async (service) => send(service, 'PATCH', `${path}/${ids[0]}`, { key, body: { name: `new ${Math.random()}` } }),
      async (service) => send(service, 'POST', `${path}/${ids[0]}/publish`, { key, body: {} }),
      async (service) => send(service, 'POST', `${path}/${ids[0]}/duplicate`, { key, body: {} }),
      async (service) => send(service, 'DELETE', `${path}/${ids.pop()}`, { key }),
      async (service) => createAgent(service, foreign, { name: 'foreign' }),
    ];
    for (let round = 0; round < 3; round += 1) {
      await createAgent(keeping, key, { name: 'first' }).then(({ id }) => ids.push(id));
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

  it('is never older than what had been acknowledged when it was asked for', async () => {
    const { key } = await keeping.newKey();
    for (let round = 0; round < 30; round += 1) {
      const writer = round % 2 === 0 ? other : keeping;
      const reading = Promise.all(Array.from({ length: 5 }, () => send(keeping, 'GET', path, { key })));
      const { id } = await createAgent(writer, key);
      const { json } = await send(keeping, 'GET', path, { key });
      assert.equal(json.items[0].id, id);
      await reading;
    }
  });

  it('is gone with the agent, whoever deleted it', async () => {
    const { key } = await keeping.newKey();
    for (const writer of [keeping, other, plain]) {
      const { id } = await createAgent(writer, key);
      for (const { status } of await answersOf(key, `${path}/${id}`)) assert.equal(status, 200);
      await send(writer, 'DELETE', `${path}/${id}`, { key });
      for (const { status } of await answersOf(key, `${path}/${id}`)) assert.equal(status, 404);
      for (const { text } of await answersOf(key, path)) assert.deepEqual(JSON.parse(text).items, []);
    }
  });

  it('is told by workspace and page size', async () => {
    const { key } = await keeping.newKey();
    const { key: foreign } = await keeping.newKey();
    await createAgent(keeping, key);
    await createAgent(keeping, key);
    assert.equal((await send(keeping, 'GET', path, { key })).json.items.length, 2);
    assert.equal((await send(keeping, 'GET', `${path}?limit=1`, { key })).json.items.length, 1);
    assert.equal((await send(keeping, 'GET', path, { key: foreign })).json.items.length, 0);
  });
});
