import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAgent, send, walk } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

const path = '/api/v1/agents';

onEachEngine('agents.list', (engine) => {
  const service = useService(engine);

  const workspaceWith = async (names: readonly string[]) => {
    const { key } = await service.newKey();
    const ids: string[] = [];
    for (const name of names) ids.push((await createAgent(service, key, { name })).id);
    return { key, newestFirst: ids.toReversed() };
  };
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `agent ${index}`);
  const idsOf = (pages: { id: string }[][]) => pages.flat().map(({ id }) => id);
  const get = (key: string, query: string) => send(service, 'GET', `${path}?${query}`, { key });

  it('returns an empty page for an empty workspace', async () => {
    const { key } = await service.newKey();
    const answer = await send(service, 'GET', path, { key });
    assert.equal(answer.text, '{"items":[],"pagination":{"nextCursor":null}}');
    assert.equal(answer.headers.get('link'), null);
  });

  it('returns 50 agents by default, 200 at most, each as get does', async () => {
    const { key, newestFirst } = await workspaceWith(numbered(51));
    const first = await send(service, 'GET', path, { key });
    assert.equal(first.json.items.length, 50);
    assert.equal((await get(key, 'limit=200')).json.items.length, 51);
    const one = await send(service, 'GET', `${path}/${newestFirst[0]}`, { key });
    assert.ok(first.text.startsWith(`{"items":[${one.text},`));
  });

  it('returns the newest first at every page size, without duplicates, gaps or an empty last page', async () => {
    const { key, newestFirst } = await workspaceWith(numbered(12));
    for (let limit = 1; limit <= 13; limit += 1) {
      const pages = await walk(service, key, { limit: String(limit) });
      assert.deepEqual(idsOf(pages), newestFirst, `limit ${limit}`);
      assert.equal(pages.length, Math.ceil(12 / limit), `limit ${limit}`);
    }
  });

  it('neither loses nor repeats agents during concurrent creates', async () => {
    const { key, newestFirst } = await workspaceWith(numbered(9));
    const pages = await walk(service, key, { limit: '2' }, () => createAgent(service, key, { name: 'late' }));
    assert.deepEqual(idsOf(pages), newestFirst);
  });

  it('returns only agents of the workspace of the key', async () => {
    const one = await workspaceWith(numbered(3));
    const other = await workspaceWith(numbered(2));
    assert.deepEqual(idsOf(await walk(service, one.key, { limit: '1' })), one.newestFirst);
    assert.deepEqual(idsOf(await walk(service, other.key)), other.newestFirst);
  });

  it('links to the next page', async () => {
    const { key, newestFirst } = await workspaceWith(numbered(3));
    const first = await get(key, 'limit=2&q=agent');
    const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] as string;
    const second = await send(service, 'GET', link, { key });
    assert.deepEqual(idsOf([second.json.items]), newestFirst.slice(2));
    assert.equal(second.headers.get('link'), null);
  });

  it('rejects a limit that is not plain digits from 1 to 200', async () => {
    const { key } = await service.newKey();
    const bad = [
      '0',
      '201',
      '-1',
      '+5',
      '1.5',
      '1e2',
      '0x10',
      '%207',
      '7%20',
      '',
      'abc',
      '%31%',
      '١',
      '9'.repeat(30),
      '1&limit=2',
    ];
    for (const limit of bad) {
      const answer = await get(key, `limit=${limit}`);
      assert.equal(answer.status, 400, limit);
      assert.equal(answer.json.error.code, 'VALIDATION_ERROR');
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), ['limit']);
      assert.ok(answer.json.error.details.fieldErrors.limit.length > 0);
    }
    for (const limit of ['1', '200', '007']) assert.equal((await get(key, `limit=${limit}`)).status, 200);
  });

  it('reports all errors of the query at once', async () => {
    const { key } = await service.newKey();
    const answer = await get(key, `limit=0&cursor=&q=${'x'.repeat(501)}`);
    assert.deepEqual(answer.json.error.details.fieldErrors, {
      limit: ['must be at least 1'],
      cursor: ['must not be empty'],
      q: ['must be at most 500 characters long'],
    });
    const forged = await get(key, 'limit=201&cursor=made-up&q=');
    assert.deepEqual(Object.keys(forged.json.error.details.fieldErrors).sort(), ['cursor', 'limit', 'q']);
  });

  it('rejects a cursor that is truncated, modified, invented, or from another list', async () => {
    const { key } = await workspaceWith(numbered(3));
    const foreign = await workspaceWith(numbered(3));
    const { nextCursor } = (await get(key, 'limit=1')).json.pagination;
    const foreignCursor = (await get(foreign.key, 'limit=1')).json.pagination.nextCursor;
    const flipped = (index: number) =>
      nextCursor.slice(0, index) + (nextCursor[index] === 'A' ? 'B' : 'A') + nextCursor.slice(index + 1);
    const bad = [
      foreignCursor,
      nextCursor.slice(0, -1),
      nextCursor.slice(1),
      nextCursor + nextCursor,
      `${nextCursor}=`,
      `${nextCursor}A`,
      `${nextCursor}!`,
      flipped(0),
      flipped(30),
      'x',
      'null',
      '1',
      '😀',
      'A'.repeat(5000),
    ];
    for (const cursor of bad) {
      const answer = await get(key, `limit=1&cursor=${encodeURIComponent(cursor)}`);
      assert.equal(answer.status, 400, cursor.slice(0, 80));
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), ['cursor']);
    }
    for (let index = 0; index < nextCursor.length; index += 1) {
      assert.equal((await get(key, `cursor=${flipped(index)}`)).status, 400, `changed at ${index}`);
    }
    assert.equal((await get(key, `limit=2&cursor=${nextCursor}`)).status, 200, 'the limit may change between pages');
  });

  it('continues the search of the cursor, with or without q, and rejects a different q', async () => {
    const { key } = await workspaceWith(['apple 1', 'pear', 'apple 2', 'pear', 'apple 3']);
    const first = (await get(key, 'limit=1&q=apple')).json;
    const cursor = first.pagination.nextCursor;
    for (const query of [`limit=1&cursor=${cursor}`, `limit=1&cursor=${cursor}&q=apple`]) {
      assert.equal((await get(key, query)).json.items[0].name, 'apple 2');
    }
    const other = await get(key, `cursor=${cursor}&q=pear`);
    assert.equal(other.status, 400);
    assert.deepEqual(Object.keys(other.json.error.details.fieldErrors), ['cursor']);
  });

  it('finds names that contain the text, regardless of case, width and composition', async () => {
    const names = [
      'カブシキガイシャ',
      'Ünïcödé Agent',
      '予約受付',
      'STRASSE',
      'Straße',
      'ΟΔΟΣ',
      '100% _off_ *now* "quoted" \\ back',
      'ﬁnance',
      '漢字',
      'plain',
    ];
    const { key } = await workspaceWith(names);
    const find = async (q: string) =>
      (await walk(service, key, { q, limit: '3' }))
        .flat()
        .map(({ name }) => name)
        .toReversed();
    const cases: [string, string[]][] = [
      ['ｶﾌﾞｼｷ', ['カブシキガイシャ']],
      ['ünï', ['Ünïcödé Agent']],
      ['u\u0308NI\u0308', ['Ünïcödé Agent']],
      ['約', ['予約受付']],
      ['予約', ['予約受付']],
      ['約予', []],
      ['字', ['漢字']],
      ['strasse', ['STRASSE', 'Straße']],
      ['ß', ['STRASSE', 'Straße']],
      ['οδός', []],
      ['οδος', ['ΟΔΟΣ']],
      ['οδοσ', ['ΟΔΟΣ']],
      ['100%', ['100% _off_ *now* "quoted" \\ back']],
      ['%', ['100% _off_ *now* "quoted" \\ back']],
      ['_', ['100% _off_ *now* "quoted" \\ back']],
      ['*', ['100% _off_ *now* "quoted" \\ back']],
      ['"', ['100% _off_ *now* "quoted" \\ back']],
      ['\\', ['100% _off_ *now* "quoted" \\ back']],
      ["'", []],
      ['fi', ['ﬁnance']],
      ['ＰＬＡＩＮ', ['plain']],
      ['a_e', []],
      [' ', ['Ünïcödé Agent', '100% _off_ *now* "quoted" \\ back']],
      ['plain agent', []],
    ];
    for (const [q, expected] of cases) assert.deepEqual(await find(q), expected, q);
  });

  it('finds an agent by its complete id', async () => {
    const { key, newestFirst } = await workspaceWith(['a', 'b']);
    const id = newestFirst[0] as string;
    assert.deepEqual(idsOf(await walk(service, key, { q: id })), [id]);
    assert.deepEqual(await walk(service, key, { q: id.slice(0, -1) }), [[]]);
    const foreign = await workspaceWith(['c']);
    assert.deepEqual(await walk(service, key, { q: foreign.newestFirst[0] as string }), [[]]);
  });

  it('pages through a search without an empty last page', async () => {
    const { key, newestFirst } = await workspaceWith(['x 1', 'y', 'x 2', 'y', 'x 3', 'x 4', 'y']);
    const expected = [newestFirst[1], newestFirst[2], newestFirst[4], newestFirst[6]];
    for (const limit of ['1', '2', '3', '4', '5']) {
      const pages = await walk(service, key, { q: 'x', limit });
      assert.deepEqual(idsOf(pages), expected);
      assert.equal(pages.length, Math.ceil(4 / Number(limit)));
    }
  });

  it('accepts a search of 1 to 500 characters, counted in code points, and rejects invalid text', async () => {
    const { key } = await service.newKey();
    for (const q of ['a', '😀'.repeat(500)]) assert.equal((await get(key, `q=${encodeURIComponent(q)}`)).status, 200);
    for (const q of ['', '😀'.repeat(501).slice(0), '%00', '%FF', '%ED%A0%80', '%', 'a&q=b'].map((text) =>
      text.startsWith('😀') ? encodeURIComponent(text) : text,
    )) {
      const answer = await get(key, `q=${q}`);
      assert.equal(answer.status, 400, q.slice(0, 40));
      assert.deepEqual(Object.keys(answer.json.error.details.fieldErrors), ['q']);
    }
    assert.equal((await get(key, 'q=a+b%2B')).status, 200);
  });

  it('keeps a search of 500 characters across pages', async () => {
    const { key } = await workspaceWith(['𠮷'.repeat(255), '𠮷'.repeat(255)]);
    const pages = await walk(service, key, { q: '𠮷'.repeat(255), limit: '1' });
    assert.equal(pages.length, 2);
  });
});
