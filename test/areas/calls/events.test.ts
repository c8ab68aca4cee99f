import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CallEvent } from '../../../src/contract/calls/call-events.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { startService, useService } from '../../support/service.ts';
import { newChat, on } from './support.ts';

onEachEngine('the events of a call', (engine) => {
  const service = useService(engine);

  /** Reads on until there is no next page. */
  const follow = async (key: string, id: string, query: string, target = service) => {
    const chat = on(target, key, id);
    const pages: CallEvent[][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, json } = await chat.eventPage(`?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      assert.equal(status, 200);
      pages.push(json.items);
      cursor = json.pagination.nextCursor;
    }
    return pages;
  };

  it('are in order, and the page with the last one is the last', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key);
    const chat = on(service, key, id);
    await chat.say('Hello');
    await chat.end();
    const all = await chat.events();
    assert.deepEqual(
      all.map(({ type, sequence }) => [sequence, type]),
      [
        [1, 'state_changed'],
        [2, 'state_changed'],
        [3, 'turn_completed'],
        [4, 'turn_completed'],
        [5, 'state_changed'],
      ],
    );
    assert.deepEqual(all.at(-1)?.data, { from: 'ongoing', to: 'ended', endReason: 'api_end' });
    assert.ok(
      all.every(
        ({ at, offsetMs, callId }, place) =>
          at <= (all[place + 1]?.at ?? at) && callId === id && (place === 0) === (offsetMs === null),
      ),
    );
    for (const limit of [1, 2, 3, 4, 5, 200]) {
      const pages = await follow(key, id, `limit=${limit}`);
      assert.equal(pages.length, Math.ceil(5 / limit), `${limit} per page`);
      assert.deepEqual(pages.flat(), all);
    }
    const { headers } = await chat.eventPage('?limit=2');
    assert.match(headers.get('link') ?? '', /rel="next"/);
  });

  it('have a next page as long as the call is open, even if a page is empty', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key)).id);
    const first = await chat.eventPage();
    assert.equal(first.json.items.length, 1);
    const cursor = first.json.pagination.nextCursor;
    const second = await chat.eventPage(`?cursor=${cursor}`);
    assert.deepEqual(second.json.items, []);
    await chat.say('Hello');
    const third = await chat.eventPage(`?cursor=${second.json.pagination.nextCursor}`);
    assert.equal(third.json.items.length, 3);
  });

  it('stop a page at 8 MiB, but never before its first event', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key);
    const chat = on(service, key, id);
    for (const text of ['1', '2', '3', '4']) await chat.say(text);
    await chat.end();
    const before = await chat.events();
    const lengths = [3, 3, 3, 9, 1, 1, 1, 1];
    for (const [turnIndex, length] of lengths.entries()) {
      const result = 'x'.repeat(length * 1024 * 1024 - 4096);
      const toolCall = {
        id: `tcl_${'0'.repeat(30)}`,
        name: 'find',
        arguments: {},
        result,
        isError: false,
        isExample: false,
        durationMs: 1,
      };
      await service.database.run(
        'UPDATE call_turns SET doc = replace(doc, $3, $4) WHERE call_id = $1 AND turn_index = $2',
        [id, turnIndex, '"toolCall":null', `"toolCall":${JSON.stringify(toolCall)}`],
      );
    }
    const pages = await follow(key, id, 'limit=200');
    assert.deepEqual(
      pages.flat().map(({ id }) => id),
      before.map(({ id }) => id),
    );
    assert.deepEqual(
      pages.map((page) => page.filter(({ type }) => type === 'turn_completed').length),
      [2, 1, 1, 4],
    );
    for (const page of pages) {
      assert.ok(page.length === 1 || JSON.stringify(page).length <= 8 * 1024 * 1024 + page.length);
    }
    assert.equal(pages.at(-1)?.at(-1)?.type, 'state_changed');
  });

  it('wake those who wait for them, and following reaches the end', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key, { model: 'test-script' });
    const chat = on(service, key, id);
    const followed = follow(key, id, 'waitSeconds=25');
    const start = performance.now();
    // Long before the wait of a request ends.
    for (const text of ['1', '2', '3', '4']) await chat.say(text);
    const events = (await followed).flat();
    assert.ok(performance.now() - start < 20_000);
    assert.deepEqual(events, await chat.events());
    assert.deepEqual(events.at(-1)?.type, 'state_changed');
  });

  it('wake those who wait at another instance', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key);
    const other = await startService(engine, { databaseUrl: service.databaseUrl });
    const cursor = (await on(other, key, id).eventPage()).json.pagination.nextCursor;
    const waiting = on(other, key, id).eventPage(`?waitSeconds=20&cursor=${cursor}`);
    await on(service, key, id).say('Hello');
    const start = performance.now();
    assert.ok((await waiting).json.items.length > 0);
    assert.ok(performance.now() - start < 15_000);
    await other.close();
  });

  it('are waited for as long as the request says, and not at all once the call is over', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key)).id);
    const cursor = (await chat.eventPage()).json.pagination.nextCursor;
    const start = performance.now();
    const { status, json } = await chat.eventPage(`?waitSeconds=1&cursor=${cursor}`);
    assert.deepEqual([status, json.items], [200, []]);
    assert.ok(performance.now() - start >= 990);
    const ending = chat.eventPage(`?waitSeconds=25&cursor=${cursor}`);
    await chat.end();
    const last = (await ending).json;
    assert.deepEqual([last.items.length, last.pagination.nextCursor], [1, null]);
    assert.equal((await chat.eventPage(`?waitSeconds=25&cursor=${cursor}`)).json.items.length, 1);
    for (const waitSeconds of ['26', '-1', 'x']) {
      assert.equal((await chat.eventPage(`?waitSeconds=${waitSeconds}`)).status, 400);
    }
  });

  it('can be waited for by 10 requests at a time', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key)).id);
    const cursor = (await chat.eventPage()).json.pagination.nextCursor;
    const requests = Array.from({ length: 11 }, () => chat.eventPage(`?waitSeconds=25&cursor=${cursor}`));
    const refused = await Promise.race(requests);
    assert.equal(refused.status, 429);
    assert.equal(refused.json.error.code, 'RATE_LIMITED');
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal((await chat.eventPage(`?cursor=${cursor}`)).status, 200, 'without waiting there is no limit');
    await chat.end();
    const answers = await Promise.all(requests);
    assert.equal(answers.filter(({ status, json }) => status === 200 && json.items.length === 1).length, 10);
  });

  it('have cursors of their own call', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key)).id);
    for (const cursor of ['x', 'bm90aGluZw']) {
      const answer = await chat.eventPage(`?cursor=${cursor}`);
      assert.deepEqual([answer.status, Object.keys(answer.json.error.details.fieldErrors)], [400, ['cursor']]);
    }
    const head = await fetch(`${service.url}${chat.path}/events`, { method: 'HEAD', headers: { 'x-api-key': key } });
    assert.equal(head.status, 200);
    assert.equal((await send(service, 'GET', `${chat.path}/events?limit=201`, { key })).status, 400);
  });
});
