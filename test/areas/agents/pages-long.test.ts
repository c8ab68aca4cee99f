import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { buildAgent, changeAgent, publishAgent } from '../../../src/areas/agents/agent.ts';
import { agentsInBlock } from '../../../src/areas/agents/block-index.ts';
import { type AgentStore, createAgentStore } from '../../../src/areas/agents/store.ts';
import { createKeyStore } from '../../../src/areas/keys/store.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { createAgentBody } from '../../../src/contract/agents/requests.ts';
import { createIdGenerator } from '../../../src/core/ids.ts';
import { AllowedNetworks } from '../../../src/net/networks.ts';
import type { Database } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import type { Page } from '../../../src/storage/page.ts';
import { locationOf, onEachEngine } from '../../support/engines.ts';
import { newWorkspaceName } from '../../support/service.ts';

const mebibyte = 1024 * 1024;
const maxBytes = 8 * mebibyte;
const kibibyte = 1024;

interface Item {
  readonly id: string;
  readonly text: string;
}

/** The expected pages: as many documents as fit, and at least one. */
function cutInto(items: readonly Item[], limit: number): string[] {
  const pages: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { text } of items) {
    const length = Buffer.byteLength(text);
    bytes += length;
    if (bytes > maxBytes || pages.at(-1)?.length === limit) {
      pages.push([]);
      bytes = length;
    }
    pages.at(-1)?.push(text);
  }
  return pages.map((texts) => texts.join(','));
}

async function pagesOf(read: (after: string | null) => Promise<Page<Agent>> | Page<Agent>): Promise<string[]> {
  const pages: string[] = [];
  for (let place: string | null | undefined; place !== null; ) {
    const { items, next } = await read(place ?? null);
    pages.push(items.toString());
    place = next;
  }
  return pages;
}

function assertSame(actual: readonly string[], expected: readonly string[], of: string): void {
  assert.deepEqual(
    actual.map((page) => page.length),
    expected.map((page) => page.length),
    of,
  );
  // Without a message, which would contain both.
  for (const [place, page] of expected.entries()) assert.ok(actual[place] === page, `${of}, page ${place}`);
}

onEachEngine('long pages', (engine) => {
  let database: Database;
  let store: AgentStore;
  let keys: ReturnType<typeof createKeyStore>;
  const newId = createIdGenerator();

  before(async () => {
    database = openDatabase(locationOf(await engine.newServiceUrl()), () => {});
    await migrate(database, Date.now);
    store = createAgentStore(database);
    keys = createKeyStore(database, newId, Date.now);
  });
  after(() => database.close());

  const newWorkspace = () => database.transaction((queries) => keys.ensureWorkspace(queries, newWorkspaceName()));

  /** An agent whose document has exactly this many bytes. */
  const agentOf = (workspaceId: string, name: string, bytes: number): Agent => {
    const identity = { id: newId('agt'), workspaceId, createdAt: new Date().toISOString() };
    const agent = { ...buildAgent(createAgentBody.parse({ name, voiceId: 'v' }), identity), agentSettings: '' };
    const room = bytes - Buffer.byteLength(JSON.stringify(agent));
    // The limit is in bytes, and these characters have three each.
    return { ...agent, agentSettings: 'あ'.repeat(Math.floor(room / 3)) + 'x'.repeat(room % 3) };
  };

  /** Newest first. */
  const workspaceOf = async (lengths: readonly number[]) => {
    const workspaceId = await newWorkspace();
    const items: Item[] = [];
    for (const [place, bytes] of lengths.entries()) {
      const agent = agentOf(workspaceId, `long ${place}`, bytes);
      await database.transaction((queries) => store.insert(queries, agent));
      items.unshift({ id: agent.id, text: JSON.stringify(agent) });
    }
    while (await store.buildNameIndex());
    return { workspaceId, items };
  };

  const assertPages = async (lengths: readonly number[], limits: readonly number[] = [200]) => {
    const { workspaceId, items } = await workspaceOf(lengths);
    const scanning = createAgentStore(database, { hasNameIndex: false });
    for (const limit of limits) {
      const expected = cutInto(items, limit);
      const read = (from: AgentStore, search: string | null) =>
        pagesOf((place) => from.page(workspaceId, place, limit, search));
      assertSame(await read(store, null), expected, `limit ${limit}`);
      assertSame(await read(store, 'long'), expected, `limit ${limit}, by the index`);
      assertSame(await read(scanning, 'long'), expected, `limit ${limit}, by a look at every name`);
    }
    return cutInto(items, 200).length;
  };

  it('are cut before the documents exceed 8 MiB', async () => {
    assert.equal(await assertPages(Array(19).fill(900_000), [200, 7]), 3);
  });

  it('are cut between short and long documents, inside blocks and in the tail', async () => {
    const lengths = Array.from({ length: 4 * agentsInBlock }, (_, place) => (place % 5 === 0 ? 600_000 : 2500));
    assert.equal(await assertPages(lengths, [200, 7]), 2);
  });

  it('are cut even if every document is short enough to be cached', async () => {
    assert.equal(await assertPages(Array(160).fill(60 * kibibyte)), 2);
  });

  it('contain exactly 8 MiB, and not a byte more', async () => {
    assert.equal(await assertPages(Array(8).fill(mebibyte)), 1);
    assert.equal(await assertPages([...Array(7).fill(mebibyte), mebibyte + 1]), 2);
  });

  it('are not cut if 200 documents fit', async () => {
    assert.equal(await assertPages([...Array(100).fill(32 * kibibyte), ...Array(100).fill(32 * kibibyte + 1)]), 1);
  });

  it('contain at least one document, however long it is', async () => {
    assert.equal(await assertPages([2500, maxBytes + 1, 2500, 2500], [200, 3]), 3);
    assert.equal(await assertPages([maxBytes + 1]), 1);
  });

  it('adapt when agents grow and shrink', async () => {
    const { workspaceId, items } = await workspaceOf(Array(12).fill(2500));
    const lengthsOfPages = async () =>
      (await pagesOf((place) => store.page(workspaceId, place, 200, null))).map(
        (page) => JSON.parse(`[${page}]`).length,
      );
    const resize = async (bytes: number) => {
      for (const { id } of items) {
        await database.transaction(async (queries) => {
          const head = await store.lock(queries, workspaceId, id);
          assert.ok(head);
          await store.replace(queries, head, { ...head.agent, agentSettings: 'x'.repeat(bytes) });
        });
      }
    };
    assert.deepEqual(await lengthsOfPages(), [12]);
    await resize(mebibyte);
    assert.deepEqual(await lengthsOfPages(), [7, 5]);
    await resize(1);
    assert.deepEqual(await lengthsOfPages(), [12]);
  });

  it('of versions are cut in the same way', async () => {
    const workspaceId = await newWorkspace();
    const agent = agentOf(workspaceId, 'versions', 900_000);
    const texts: Item[] = [];
    await database.transaction((queries) => store.insert(queries, agent));
    const change = (next: (head: Agent) => Agent) =>
      database.transaction(async (queries) => {
        const head = await store.lock(queries, workspaceId, agent.id);
        assert.ok(head);
        return (await store.replace(queries, head, next(head.agent))).body;
      });
    const at = new Date().toISOString();
    const allowedNetworks = new AllowedNetworks([]);
    for (let version = 1; version <= 20; version += 1) {
      const text = await change((head) =>
        publishAgent(head, { versionDescription: undefined, secrets: new Map(), allowedNetworks, now: at }),
      );
      texts.unshift({ id: agent.id, text: String(text.bytes) });
      const settings = 'x'.repeat(version % 3 === 0 ? 10 : 900_000 + version);
      await change((head) => changeAgent(head, { agentSettings: settings }, at));
    }
    const head = await store.get(workspaceId, agent.id);
    assert.ok(head);
    texts.unshift({ id: agent.id, text: String(head.body.bytes) });
    for (const limit of [200, 7, 1]) {
      const pages = await pagesOf((place) =>
        store.pageOfVersions(workspaceId, agent.id, place === null ? null : Number(place), limit),
      );
      assertSame(pages, cutInto(texts, limit), `limit ${limit}`);
    }
  });
});
