import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { saidTurns } from '../../../bench/call-transcripts.ts';
import { Random } from '../../../campaigns/random.ts';
import { createCallListing } from '../../../src/areas/calls/listing/listing.ts';
import { isTerminal } from '../../../src/areas/calls/record/call.ts';
import { createTranscriptIndex } from '../../../src/areas/calls/record/transcript-index.ts';
import { comparedText, signatureColumns, signatureOf } from '../../../src/areas/calls/record/transcript-text.ts';
import { createTurnAndEventStore } from '../../../src/areas/calls/record/turns-and-events.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import { callColumns, searchFields } from '../../../src/contract/calls/fields.ts';
import type { Turn } from '../../../src/contract/calls/turn.ts';
import { type Filter, type FilterLeaf, filterIssues } from '../../../src/contract/filter.ts';
import { compileFilter } from '../../../src/core/filter.ts';
import type { Database } from '../../../src/storage/database.ts';
import { migrations } from '../../../src/storage/migrations/index.ts';
import { backUpToBytes, restoreBytes } from '../../backup/support.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { startService, useService } from '../../support/service.ts';
import { callWith, insertCalls, newWorkspace } from '../../support/stored-calls.ts';
import { idsOf, useDatabase } from './listing-support.ts';
import { fieldValue, randomCall, randomFilter } from './random-filters.ts';
import { chatWith, eventually, newChat, on, quickSweep, TestClock, testAgent } from './support.ts';

const said = (value: string): FilterLeaf => ({ field: 'transcript', op: 'contains', value });

/** Texts in different forms, with what SQL or a text file gives a meaning to. */
const lines = fc.constantFrom(
  '銀座店の予約をお願いします。',
  'ｷﾞﾝｻﾞ店はありますか',
  'Ｇｉｎｚａ　branch,  please',
  'Die STRASSE heißt Hauptstraße.',
  '100% of "quoted" \\ _text_',
  'two\nlines\u0000here',
  '😀 thanks 😀',
  '',
);
const parts = fc.constantFrom(
  '銀座',
  'ギンザ',
  '予約を',
  'ginza branch, p',
  'strasse',
  '0%',
  '_t',
  '\n\n',
  'lines here',
  '😀 t',
  'nowhere',
  's ',
);

function turn(index: number, role: Turn['role'], text: string): Turn {
  return { index, role, text, source: null, startMs: 0, endMs: 0, words: [] } as unknown as Turn;
}

async function writeTurns(database: Database, callId: string, turns: readonly Turn[]): Promise<void> {
  const store = createTurnAndEventStore(database);
  await database.transaction(async (queries) => {
    for (const turn of turns) {
      await store.writeTurn(queries, callId, { ...turn, latency: null, event: null, doc: JSON.stringify(turn) });
    }
  });
}

/** Everything that is over is new to the index, as after an upgrade. */
async function fill(database: Database, workspaceId: string): Promise<void> {
  await database.run("INSERT INTO call_texts_filling (workspace_id, before_id) VALUES ($1, '~')", [workspaceId]);
  const { fill: run } = createTranscriptIndex(database, createTurnAndEventStore(database));
  while (await run());
}

describe('the signature of a text', () => {
  it('has every bit of the signature of each part of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (part, head, tail) => {
        const whole = signatureOf(`${head}${part}${tail}`).map(BigInt);
        signatureOf(part).forEach((bits, place) => {
          assert.equal((whole[place] as bigint) & BigInt(bits), BigInt(bits));
        });
      }),
    );
  });

  it('keeps a search for two characters from reading most texts, whatever they are', () => {
    // The same sentences in each call, as in a business: their pairs are in most texts, and their bits, too.
    const texts = Array.from({ length: 200 }, (_, number) =>
      comparedText(saidTurns(number, new Random(number + 1)).join('\n')),
    );
    const signatures = texts.map(signatureOf);
    const random = new Random(1);
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const kanji = [...'返金傘観覧車鍵棚犬猫雨雪橋船魚肉卵塩茶酒薬病院駅空港旅券財布'];
    for (const characters of [letters, kanji]) {
      let read = 0;
      let asked = 0;
      for (let search = 0; search < 200; search += 1) {
        const pair = `${random.pick(characters)}${random.pick(characters)}`;
        const bits = signatureOf(pair);
        for (const [place, text] of texts.entries()) {
          if (text.includes(pair)) continue;
          asked += 1;
          const signature = signatures[place] as readonly number[];
          if (bits.every((some, column) => (BigInt(signature[column] as number) & BigInt(some)) === BigInt(some)))
            read += 1;
        }
      }
      assert.ok(read < asked * 0.1, `${read} of ${asked} texts are read in vain`);
    }
  });

  it('has a column in the table for each of its numbers, which are exact', () => {
    const statements = migrations.flatMap(({ statements }) => statements({ engine: 'sqlite' } as Database['dialect']));
    const table = statements.find((each) => each.startsWith('CREATE TABLE call_texts (')) as string;
    assert.deepEqual(
      table.match(/^ +s\d+ /gm)?.map((name) => name.trim()),
      signatureColumns,
    );
    const everything = signatureOf(Array.from({ length: 60_000 }, (_, code) => String.fromCharCode(code)).join(''));
    assert.ok(everything.every((bits) => Number.isSafeInteger(bits) && bits === 2 ** 52 - 1));
  });
});

onEachEngine('searching what was said', (engine) => {
  const context = useDatabase(engine);
  const calls: Call[] = [];
  const texts = new Map<string, readonly string[]>();
  let workspaceId = '';
  let listing: ReturnType<typeof createCallListing>;

  before(async () => {
    const { database } = context;
    workspaceId = await newWorkspace(database);
    const sample = fc.sample(fc.tuple(randomCall(workspaceId), fc.array(lines, { maxLength: 4 })), {
      numRuns: 300,
      seed: 3,
    });
    for (const [place, [call, turns]] of sample.entries()) {
      const dataStorageSetting = place % 10 === 0 ? 'everything_except_pii' : 'everything';
      calls.push({ ...call, dataStorageSetting, transcriptStatus: 'available' });
      texts.set(call.id, turns);
    }
    await insertCalls(database, calls);
    for (const { id } of calls) {
      const turns = (texts.get(id) ?? []).map((text, index) => turn(index, index % 2 === 0 ? 'agent' : 'caller', text));
      await writeTurns(database, id, [...turns, turn(turns.length, 'tool', '')]);
    }
    await fill(database, workspaceId);
    listing = createCallListing(database);
  });
  after(() => listing.close());

  const search = async (filter: Filter) => idsOf(await listing.searchCalls(workspaceId, filter, null, 400));
  const isSaid = (call: Call, part: string): boolean =>
    isTerminal(call) &&
    call.dataStorageSetting === 'everything' &&
    (texts.get(call.id) ?? []).some((text) => comparedText(text).includes(comparedText(part)));

  /** By the definition, with a field for each text that is looked for. */
  const matching = (filter: Filter): string[] => {
    const named = (node: Filter): Filter => {
      if ('all' in node) return { all: node.all.map(named) };
      if ('any' in node) return { any: node.any.map(named) };
      if ('not' in node) return { not: named(node.not) };
      return node.field === 'transcript' ? { field: `said ${node.value}`, op: 'eq', value: true } : node;
    };
    const matches = compileFilter(named(filter), undefined, (field) => callColumns[field]?.type === 'time');
    return calls
      .filter((call) =>
        matches((field) => (field.startsWith('said ') ? isSaid(call, field.slice(5)) : fieldValue(call, field))),
      )
      .map(({ id }) => id)
      .sort()
      .reverse();
  };

  it('finds what a comparison with every turn finds, in any filter', async () => {
    const leaf = parts.map(said);
    const filter = fc.oneof(
      leaf,
      fc.tuple(leaf, randomFilter).map(([one, other]): Filter => ({ all: [one, other] })),
      fc.tuple(leaf, randomFilter).map(([one, other]): Filter => ({ any: [other, { not: one }] })),
      fc
        .tuple(leaf, leaf, randomFilter)
        .map(([one, two, other]): Filter => ({ all: [{ any: [one, { not: two }] }, other] })),
    );
    const withAgent = filter.map((each): Filter => ({ all: [{ field: 'agentId', op: 'eq', value: 'agt_a' }, each] }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(filter, withAgent), async (each) => {
        assert.deepEqual(
          filterIssues(each, (field) => searchFields(field)).filter(({ message }) => !message.includes('deep')),
          [],
        );
        assert.deepEqual(await search(each), matching(each));
      }),
      { numRuns: 200, seed: 5 },
    );
    for (const part of ['銀座', 'strasse', '0%', 'lines here']) assert.ok((await search(said(part))).length > 0, part);
  });

  it('goes on over pages', async () => {
    const all = await search(said('銀座'));
    const pages: string[] = [];
    for (let before: string | null = null, count = 0; count === 0 || before !== null; count += 1) {
      const page = await listing.searchCalls(workspaceId, said('銀座'), before, 7);
      pages.push(...idsOf(page));
      before = page.next;
    }
    assert.deepEqual(pages, all);
  });

  it('is bounded in a call of any length, and counts what was said first', async () => {
    const { database } = context;
    const call = callWith({
      workspaceId: await newWorkspace(database),
      status: 'ended',
      transcriptStatus: 'available',
    });
    await insertCalls(database, [call]);
    const turns = Array.from({ length: 250 }, (_, index) =>
      turn(index, 'caller', `${index}番 ${'長い話。'.repeat(120)}`),
    );
    await writeTurns(database, call.id, turns);
    await fill(database, call.workspaceId);
    const row = await database.get<{ length: number }>(
      'SELECT length(content) AS length FROM call_texts WHERE call_id = $1',
      [call.id],
    );
    assert.equal(row?.length, 100_000);
    const find = async (text: string) => idsOf(await listing.searchCalls(call.workspaceId, said(text), null, 10));
    assert.deepEqual([await find('199番'), await find('249番')], [[call.id], []]);
  });
});

onEachEngine('what was said', (engine) => {
  const clock = new TestClock();
  const service = useService(engine, { now: clock.now, calls: quickSweep });
  const search = (key: string, filter: unknown) =>
    send(service, 'POST', '/api/v1/calls/search', { key, body: { filter } });
  const found = async (key: string, text: string): Promise<string[]> => {
    const answer = await search(key, said(text));
    assert.equal(answer.status, 200, answer.text);
    return answer.json.items.map(({ id }: Call) => id);
  };
  const textRows = async (callId: string) =>
    (await service.database.all('SELECT content FROM call_texts WHERE call_id = $1', [callId])).length;

  it('is found from the end of the call on, in its workspace only, and not after a redaction or a deletion', async () => {
    const [{ key }, other] = [await service.newKey(), await service.newKey()];
    const chats = [];
    for (let number = 0; number < 2; number += 1) chats.push(on(service, key, (await newChat(service, key)).id));
    const [redacted, deleted] = chats as [ReturnType<typeof on>, ReturnType<typeof on>];
    for (const chat of chats) await chat.say('カットの予約をしたいです');
    assert.deepEqual(await found(key, '予約'), []);
    for (const chat of chats) await chat.end();
    assert.deepEqual(await found(key, 'ｶｯﾄの予約'), [deleted.id, redacted.id]);
    assert.deepEqual(await found(other.key, '予約'), []);
    await redacted.redact('everything_except_pii');
    assert.deepEqual([await found(key, '予約'), await textRows(redacted.id)], [[deleted.id], 0]);
    await deleted.delete();
    assert.deepEqual([await found(key, '予約'), await textRows(deleted.id)], [[], 0]);
  });

  it('is found again after the restore of a backup, which does not contain the index', async (context) => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key)).id);
    await chat.say('パーマの相談です');
    await chat.end();
    const { bytes } = await backUpToBytes(service.databaseUrl);
    const databaseUrl = await engine.newDatabaseUrl();
    await restoreBytes(databaseUrl, bytes);
    const restored = await startService(engine, { databaseUrl });
    context.after(() => restored.close());
    const body = { filter: said('ﾊﾟｰﾏの') };
    await eventually(async () => {
      const { json } = await send(restored, 'POST', '/api/v1/calls/search', { key, body });
      return json.items.map(({ id }: Call) => id).join() === chat.id;
    });
  });

  it('is not kept for searches beyond the storage setting, or the time for which the agent keeps calls', async () => {
    const { key } = await service.newKey();
    for (const dataStorageSetting of ['everything_except_pii', 'basic_attributes_only']) {
      const chat = on(service, key, (await newChat(service, key, { call: { dataStorageSetting } })).id);
      await chat.say('Please call me back at 03-1234-5678');
      await chat.end();
      assert.equal(await textRows(chat.id), 0);
    }
    const agent = await testAgent(service, key, 'test-echo', { agentSettings: { calls: { retentionDays: 1 } } });
    const chat = await chatWith(service, key, { agentId: agent.id });
    await chat.say('Please forget me tomorrow');
    await chat.end();
    assert.deepEqual(await found(key, 'please'), [chat.id]);
    clock.advance(25 * 3_600_000);
    await eventually(async () => (await textRows(chat.id)) === 0);
  });

  it('has 2 to 100 characters, one operator, and no place in other filters', async () => {
    const { key } = await service.newKey();
    const issuesOf = async (filter: unknown) => (await search(key, filter)).json.error.details?.fieldErrors.filter;
    assert.deepEqual(await issuesOf(said('予')), ['value: must be at least 2 characters long']);
    assert.deepEqual(await issuesOf(said('😀')), ['value: must be at least 2 characters long']);
    assert.deepEqual(await issuesOf(said('予'.repeat(101))), ['value: must be at most 100 characters long']);
    assert.equal((await search(key, said('予'.repeat(100)))).status, 200);
    assert.deepEqual(await issuesOf({ field: 'transcript', op: 'eq', value: '予約' }), [
      'op: must be one of: contains',
    ]);

    const filter = { all: [{ field: 'status', op: 'eq', value: 'ended' }, said('予約')] };
    const only = 'all.1.field: can only be searched with calls.search';
    const query = { range: { last: '7d' }, metrics: ['calls'], filter };
    const refused = async (path: string, body: object) => {
      const answer = await send(service, 'POST', path, { key, body });
      assert.equal(answer.status, 422, answer.text);
      return answer.json.error.details.fieldErrors;
    };
    assert.deepEqual(await refused('/api/v1/analytics/query', query), { filter: [only] });
    const metrics = [{ metric: 'calls', filter: said('予約'), as: 'booked' }];
    assert.deepEqual(await refused('/api/v1/analytics/query', { range: { last: '7d' }, metrics }), {
      metrics: ['0.filter.field: can only be searched with calls.search'],
    });
    assert.deepEqual(await refused('/api/v1/analytics/views', { name: 'v', query, chart: 'line' }), {
      query: [`filter.${only}`],
    });
    const alert = { name: 'a', metric: 'calls', window: '1h', op: 'gt', value: 1, filter };
    assert.deepEqual(await refused('/api/v1/analytics/alerts', alert), { filter: [only] });
    const workflow = {
      name: 'w',
      trigger: { event: 'call_ended', filter },
      steps: [{ id: 'choice', type: 'condition', routes: [{ if: said('予約'), next: 'end' }], otherwise: 'end' }],
    };
    assert.deepEqual(await refused('/api/v1/workflows', workflow), {
      trigger: [`filter.${only}`],
      steps: ['0.routes.0.if.field: can only be searched with calls.search'],
    });
  });
});
