import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildAgent, changeAgent } from '../../../src/areas/agents/agent.ts';
import { agentsInBlock } from '../../../src/areas/agents/block-index.ts';
import { type AgentStore, createAgentStore } from '../../../src/areas/agents/store.ts';
import { createKeyStore } from '../../../src/areas/keys/store.ts';
import { createAgentBody } from '../../../src/contract/agents/requests.ts';
import { fold } from '../../../src/core/folding.ts';
import { createIdGenerator } from '../../../src/core/ids.ts';
import type { Database, Queries } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createAgent, send, walk } from '../../support/client.ts';
import { type Engine, locationOf, onEachEngine, sqliteEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { newWorkspaceName, useService } from '../../support/service.ts';

/** The expected names of one workspace, which search results are compared with. */
type Names = Map<string, string>;

const start = Date.UTC(2026, 0, 1);

interface Place {
  readonly url: string;
  readonly database: Database;
  readonly store: AgentStore;
  readonly workspaceId: string;
  readonly names: Names;
  create(name: string, options?: { store?: AgentStore; database?: Database; atMs?: number }): Promise<string>;
  rename(id: string, name: string, store?: AgentStore): Promise<void>;
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

async function newPlace(engine: Engine): Promise<Place> {
  const url = await engine.newServiceUrl();
  const database = openDatabase(locationOf(url), () => {});
  await migrate(database, Date.now);
  const store = createAgentStore(database);
  const keys = createKeyStore(database, createIdGenerator(), Date.now);
  const workspaceId = await database.transaction((queries) => keys.ensureWorkspace(queries, newWorkspaceName()));
  const names: Names = new Map();
  let createdMs = start;
  const headOf = async (queries: Queries, id: string) => {
    const head = await store.lock(queries, workspaceId, id);
    assert.ok(head);
    return head;
  };
  return {
    url,
    database,
    store,
    workspaceId,
    names,
    create: async (name, options = {}) => {
      createdMs += 1000;
      const id = createIdGenerator(() => options.atMs ?? createdMs)('agt');
      const agent = buildAgent(createAgentBody.parse({ name, voiceId: 'v' }), {
        id,
        workspaceId,
        createdAt: new Date(start).toISOString(),
      });
      await (options.database ?? database).transaction((queries) => (options.store ?? store).insert(queries, agent));
      names.set(id, name);
      return id;
    },
    rename: async (id, name, other = store) => {
      await database.transaction(async (queries) => {
        const head = await headOf(queries, id);
        await other.replace(queries, head, changeAgent(head.agent, { name }, new Date(start).toISOString()));
      });
      names.set(id, name);
    },
    remove: async (id) => {
      await database.transaction((queries) => store.remove(queries, workspaceId, id));
      names.delete(id);
    },
    close: () => database.close(),
  };
}

async function withPlace(engine: Engine, work: (place: Place) => Promise<void>): Promise<void> {
  const place = await newPlace(engine);
  try {
    await work(place);
  } finally {
    await place.close();
  }
}

/** Many at once, with only what a search needs. */
async function insertBare({ database, workspaceId, names }: Place, newNames: readonly string[]): Promise<void> {
  const newId = createIdGenerator(() => start);
  const agents = newNames.map((name) => ({ id: newId('agt'), name }));
  const batchSize = 500;
  await database.transaction(async (queries) => {
    for (let first = 0; first < agents.length; first += batchSize) {
      const rows = agents.slice(first, first + batchSize);
      const places = rows.map((_, row) => `($1, $${3 * row + 2}, $${3 * row + 3}, 1, $${3 * row + 4})`);
      await queries.run(
        `INSERT INTO agents (workspace_id, id, folded_name, doc_version, doc) VALUES ${places.join(', ')}`,
        [workspaceId, ...rows.flatMap(({ id, name }) => [id, name, JSON.stringify({ id, name })])],
      );
    }
  });
  for (const { id, name } of agents) names.set(id, name);
}

async function build(store: AgentStore): Promise<void> {
  while (await store.buildNameIndex());
}

function expected({ names }: Place, q: string): string[] {
  const part = fold(q);
  const found = [...names].filter(([id, name]) => id === q || fold(name).includes(part));
  return found
    .map(([id]) => id)
    .sort()
    .reverse();
}

async function search(store: AgentStore, workspaceId: string, q: string, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let place = null as string | null;
  do {
    const page = await store.page(workspaceId, place, limit, q);
    const agents = JSON.parse(`[${page.items}]`) as { id: string; name: string }[];
    for (const { id, name } of agents) assert.ok(id === q || fold(name).includes(fold(q)), `${q} finds ${name}`);
    pages.push(agents.map(({ id }) => id));
    assert.ok(place === null || page.next === null || page.next < place, 'a page leads on');
    place = page.next;
  } while (place !== null);
  return pages;
}

async function assertFound(place: Place, queries: readonly string[], limits = [1, 7, 50, 200], store = place.store) {
  for (const q of queries) {
    const ids = expected(place, q);
    for (const limit of limits) {
      // With a limit of one, a walk over almost all agents is long and proves nothing more.
      if (ids.length / limit > 60) continue;
      const pages = await search(store, place.workspaceId, q, limit);
      assert.deepEqual(pages.flat(), ids, `${JSON.stringify(q)} at limit ${limit}`);
      assert.equal(pages.length, Math.max(1, Math.ceil(ids.length / limit)), `pages of ${q} at limit ${limit}`);
    }
  }
}

async function blocksOf(database: Database): Promise<{ ids: string }[]> {
  return database.all<{ ids: string }>('SELECT ids FROM agent_blocks ORDER BY shelf, place');
}

function createRandom(seed: number) {
  let state = seed;
  const below = (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  return { below, pick: <T>(list: readonly T[]): T => list[below(list.length)] as T };
}

const words = [
  'Reception',
  'desk',
  '予約',
  '受付',
  'ｶﾌﾞｼｷ',
  'カブシキ',
  'Straße',
  'STRASSE',
  'İstanbul',
  'ΟΔΟΣ',
  '😀',
  '👩‍👩‍👧',
  '𠮷野家',
  '"quoted"',
  'it’s',
  "'",
  '100%',
  'a_b',
  'AND',
  'NOT b*',
  'NEAR(',
  '\\n',
  'line\nbreak',
  '\t',
  '\u0001',
  '\uffff',
  'x',
  '[1,"2"]',
  'ﬁnance',
  'e\u0301',
  'agt_0',
];
const queries = [
  ...words,
  'a',
  'e',
  '約受',
  '付',
  'ｶ',
  'ブ',
  'ss',
  'ß',
  'i',
  'ı',
  '\n',
  'n',
  '"',
  '","',
  '\\',
  '%',
  '_',
  '*',
  ' ',
  '\ud83d\ude00',
  'reception desk',
  'desk reception',
  '鰯',
  'q',
  'z'.repeat(500),
  'Reception desk '.repeat(20),
  'é',
  '1',
];

onEachEngine('a search', (engine) => {
  it('finds what a scan of all names finds, through creates, renames, deletes and late inserts', async () => {
    await withPlace(engine, async (place) => {
      const random = createRandom(7);
      const newName = () =>
        Array.from({ length: 1 + random.below(4) }, () => random.pick(words)).join(random.pick([' ', '', '1']));
      const anyId = () => random.pick([...place.names.keys()]);
      for (let round = 0; round < 4; round += 1) {
        for (let count = 0; count < 80; count += 1) await place.create(newName());
        await build(place.store);
        for (let count = 0; count < 15; count += 1) {
          await place.rename(anyId(), newName());
          await place.remove(anyId());
          await place.create(newName(), { atMs: start + random.below(place.names.size * 1000) });
        }
        await assertFound(place, round === 3 ? queries : [random.pick(queries), random.pick(queries), 'e', '付']);
        await assertFound(place, [anyId(), anyId().slice(0, -1), random.pick([...place.names.values()])]);
      }
    });
  });

  it('finds an agent by its id, and those with the id in their name, each once and in order', async () => {
    await withPlace(engine, async (place) => {
      const first = await place.create('first');
      const second = await place.create(`after ${first}`);
      for (let count = 0; count < 3 * agentsInBlock; count += 1) await place.create(`other ${count}`);
      await build(place.store);
      await place.rename(second, `${second} and ${first}`);
      await place.create(`${first} and ${second}`);
      await assertFound(place, [first, second], [1, 2, 3]);
    });
  });

  it('finds the same agents near the newest and far from them', async () => {
    await withPlace(engine, async (place) => {
      const nameOf = (number: number) => (number % 500 === 3 ? `rare 𠮷 ${number}` : `common ${number}`);
      await insertBare(
        place,
        Array.from({ length: 5500 }, (_, number) => nameOf(number)),
      );
      await build(place.store);
      const oldest = [...place.names.keys()][0] as string;
      await assertFound(place, ['rare', '𠮷', '𠮷 3', 'common 1', 'n 49', 'absent', 'n 3', oldest], [3, 10, 200]);
    });
  });

  it('is limited to its workspace', async () => {
    await withPlace(engine, async (place) => {
      const keys = createKeyStore(place.database, createIdGenerator(), Date.now);
      const other = await place.database.transaction((queries) => keys.ensureWorkspace(queries, newWorkspaceName()));
      for (let count = 0; count < 3 * agentsInBlock; count += 1) await place.create(`name ${count}`);
      await build(place.store);
      assert.deepEqual(await search(place.store, other, 'name', 50), [[]]);
    });
  });

  it('is correct with the index, without it, and with it again', async () => {
    await withPlace(engine, async (place) => {
      const without = createAgentStore(place.database, { hasNameIndex: false });
      const ids: string[] = [];
      for (let count = 0; count < 4 * agentsInBlock; count += 1) ids.push(await place.create(`old ${count}`));
      await build(without);
      await build(place.store);
      await place.rename(ids[3] as string, 'new while off', without);
      await place.create('new and late', { store: without, atMs: start + 1500 });
      for (let count = 0; count < 2 * agentsInBlock; count += 1) await place.create(`new ${count}`, { store: without });
      for (const store of [without, place.store]) {
        await assertFound(place, ['new', 'old 3', 'ol', 'w'], [7, 200], store);
        await build(store);
        await assertFound(place, ['new', 'old 3', 'ol', 'w'], [7, 200], store);
      }
    });
  });

  it('is correct while the index is built during writes', async () => {
    await withPlace(engine, async (place) => {
      for (let count = 0; count < 12 * agentsInBlock; count += 1) await place.create(`agent ${count % 7} ${count}`);
      const builder = createAgentStore(place.database);
      const moving = [...place.names.keys()][40] as string;
      let isOver = false;
      const others = async () => {
        for (let count = 0; !isOver; count += 1) {
          await place.rename(moving, `wandering ${count}`);
          await place.create('newcomer', { store: builder });
          await place.create('latecomer', { store: builder, atMs: start + 60_500 });
        }
      };
      const writing = others();
      const building = build(builder);
      for (let round = 0; round < 12; round += 1) await assertFound(place, ['agent 3', '5 1', 'nt 1 29'], [13, 200]);
      await building;
      await assertFound(place, ['agent 6', 't 0 1'], [13, 200]);
      isOver = true;
      await writing;
      await assertFound(place, ['comer', 'wandering', 'agent'], [50, 200]);
    });
  });
});

describe('blocks of names on SQLite', () => {
  const engine = sqliteEngine();

  const fill = async (place: Place, count: number, name = (number: number) => `agent ${number}`): Promise<string[]> => {
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1) ids.push(await place.create(name(number)));
    return ids;
  };

  it('contain all but the newest agents, each once', async () => {
    await withPlace(engine, async (place) => {
      const ids = await fill(place, 5 * agentsInBlock + 3);
      await build(place.store);
      await build(createAgentStore(place.database));
      const blocks = await blocksOf(place.database);
      assert.deepEqual(
        blocks.map((block) => block.ids.length / (ids[0] as string).length),
        Array.from({ length: 4 }, () => agentsInBlock),
      );
      const held = blocks.map((block) => block.ids).join('');
      for (const id of ids.slice(0, 4 * agentsInBlock)) assert.equal(held.split(id).length, 2);
    });
  });

  it('are searched across several shelves', async () => {
    await withPlace(engine, async (place) => {
      await insertBare(
        place,
        Array.from({ length: 120 * agentsInBlock }, (_, number) => `number ${number % 997} ${number}`),
      );
      await build(place.store);
      const shelves = await place.database.all('SELECT number FROM agent_shelves');
      assert.equal(shelves.length, 3);
      await assertFound(place, ['number 99', 'er 5', '7 3', '42', 'number 996 3', '3840', 'numbers'], [9, 200]);
    });
  });

  it('include agents inserted late, and are rebuilt if there are too many of them', async () => {
    await withPlace(engine, async (place) => {
      await fill(place, 6 * agentsInBlock);
      await build(place.store);
      const before = (await blocksOf(place.database)).length;
      for (let count = 0; count < 3 * agentsInBlock; count += 1)
        await place.create(`late ${count}`, { atMs: start + 90_500 });
      assert.equal((await blocksOf(place.database)).length, before);
      await assertFound(place, ['late', 'late 9', 'agent 9', 'agent'], [7, 200]);
      for (let count = 0; count < agentsInBlock; count += 1)
        await place.create(`later ${count}`, { atMs: start + 90_500 });
      assert.ok((await blocksOf(place.database)).length < before);
      await assertFound(place, ['late', 'later 9', 'agent 9', 'agent'], [7, 200]);
      await build(place.store);
      assert.ok((await blocksOf(place.database)).length > before);
      await assertFound(place, ['late', 'later 9', 'agent 9', 'agent'], [7, 200]);
    });
  });

  it('are deleted with their last agent', async () => {
    await withPlace(engine, async (place) => {
      const ids = await fill(place, 4 * agentsInBlock);
      await build(place.store);
      for (const id of ids) await place.remove(id);
      assert.deepEqual(await blocksOf(place.database), []);
      await fill(place, 3 * agentsInBlock, (number) => `second life ${number}`);
      await build(place.store);
      await assertFound(place, ['agent', 'second', 'life 1'], [7, 200]);
    });
  });

  it('can be built by several processes on one file, with each agent in one block', async () => {
    await withPlace(engine, async (place) => {
      const other = openDatabase(locationOf(place.url), () => {});
      try {
        const otherStore = createAgentStore(other);
        await fill(place, 10 * agentsInBlock);
        await Promise.all([
          build(place.store),
          build(otherStore),
          ...Array.from({ length: 100 }, (_, count) =>
            place.create(`both ${count}`, count % 2 === 0 ? {} : { store: otherStore, database: other }),
          ),
        ]);
        await build(otherStore);
        const held = (await blocksOf(other)).map(({ ids }) => ids).join('');
        for (const id of place.names.keys()) assert.ok(held.split(id).length <= 2);
        for (const store of [place.store, otherStore])
          await assertFound(place, ['agent 7', 'both', '9'], [7, 200], store);
      } finally {
        await other.close();
      }
    });
  });

  it('stay consistent if a build is interrupted, and the next build continues', async () => {
    await withPlace(engine, async (place) => {
      await fill(place, 9 * agentsInBlock);
      let writesLeft = 0;
      const failing: Database = {
        ...place.database,
        transaction: (work) =>
          place.database.transaction((queries) =>
            work({
              ...queries,
              write: (sql, parameters) => {
                writesLeft -= 1;
                if (writesLeft < 0) throw new Error('the power went');
                return queries.write(sql, parameters);
              },
            }),
          ),
      };
      const store = createAgentStore(failing);
      for (let writes = 0; writes < 8; writes += 1) {
        writesLeft = writes;
        await assert.rejects(build(store), /the power went/);
        assert.deepEqual(await blocksOf(place.database), []);
        await assertFound(place, ['agent 7', 'agent'], [50]);
      }
      writesLeft = Number.POSITIVE_INFINITY;
      await build(store);
      assert.equal((await blocksOf(place.database)).length, 8);
      await assertFound(place, ['agent 7', 'agent'], [7, 50]);
    });
  });

  it('are not changed by a write that is rolled back', async () => {
    await withPlace(engine, async (place) => {
      const ids = await fill(place, 3 * agentsInBlock);
      await build(place.store);
      const refused = place.database.transaction(async (queries) => {
        const head = await place.store.lock(queries, place.workspaceId, ids[0] as string);
        assert.ok(head);
        await place.store.replace(
          queries,
          head,
          changeAgent(head.agent, { name: 'refused' }, new Date().toISOString()),
        );
        await place.store.remove(queries, place.workspaceId, ids[1] as string);
        throw new Error('refused');
      });
      await assert.rejects(refused, /refused/);
      await assertFound(place, ['refused', 'agent 0', 'agent 1'], [7]);
    });
  });
});

onEachEngine('agents.list by name', (engine) => {
  const service = useService(engine);
  const found = async (key: string, q: string) => (await walk(service, key, { q })).flat().map(({ id }) => id);

  it('reflects every acknowledged change, including agents that were indexed before', async () => {
    const { key } = await service.newKey();
    const ids: string[] = [];
    for (let count = 0; count < 3 * agentsInBlock; count += 1) {
      ids.push((await createAgent(service, key, { name: `before ${count}`, prompt: 'Be kind.' })).id);
    }
    await build(createAgentStore(service.database));
    const path = `/api/v1/agents/${ids[5]}`;
    assert.deepEqual(await found(key, 'before 5'), [...ids.slice(50, 60).reverse(), ids[5]]);
    assert.equal((await send(service, 'POST', `${path}/publish`, { key })).status, 200);
    await send(service, 'PATCH', path, { key, body: { name: 'Ⓐfter' } });
    assert.deepEqual(await found(key, 'after'), [ids[5]]);
    assert.deepEqual((await found(key, 'before 5')).at(-1), ids[50]);
    assert.equal((await send(service, 'POST', `${path}/versions/1/restore`, { key })).status, 200);
    assert.deepEqual(await found(key, 'after'), []);
    assert.deepEqual((await found(key, 'before 5')).at(-1), ids[5]);
    const copy = await send(service, 'POST', `${path}/duplicate`, { key, body: { name: 'before 5, again' } });
    assert.deepEqual((await found(key, 'before 5'))[0], copy.json.id);
    await send(service, 'DELETE', path, { key });
    assert.deepEqual((await found(key, 'before 5')).at(-1), ids[50]);
  });

  it('is indexed in the background', { skip: engine.name !== 'sqlite' }, async () => {
    const { key, workspaceId } = await service.newKey();
    for (let count = 0; count < 3 * agentsInBlock; count += 1)
      await createAgent(service, key, { name: `own ${count}` });
    const blocks = () => service.database.all('SELECT place FROM agent_blocks WHERE workspace_id = $1', [workspaceId]);
    await eventually(async () => (await blocks()).length > 0, 'the first block');
    assert.equal((await found(key, 'own')).length, 3 * agentsInBlock);
  });
});
