import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCosts } from '../../../src/areas/analytics/prices/costs.ts';
import { createPriceStore } from '../../../src/areas/analytics/prices/store.ts';
import type { Call } from '../../../src/contract/calls/call.ts';
import { send } from '../../support/client.ts';
import { onEachEngine, onPostgres, postgresEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { analysisWith, callWith, insertCall, insertCalls } from '../../support/stored-calls.ts';
import { eventually, gate, newChat, on, TestClock, useModelService } from '../calls/support.ts';

const path = '/api/v1/analytics/prices';

const price = (model: string, unit: string, amount: string, provider = 'openai') => ({
  capability: 'llm',
  provider,
  model,
  unit,
  price: amount,
});

/** For each request, the model double reports 120 tokens of the prompt, 100 of them cached, and 9 of the reply. */
const prompt = 120;
const completion = 9;

onEachEngine('prices', (engine) => {
  const clock = new TestClock();
  const { service, model } = useModelService(engine, { now: clock.now });

  const newClient = async () => {
    const { key, workspaceId } = await service.newKey();
    const ask = (method: string, validFrom: string, body?: object) =>
      send(service, method, `${path}/${validFrom}`, { key, ...(body && { body }) });
    const put = async (validFrom: string, ...items: object[]) => {
      const answer = await ask('PUT', validFrom, { currency: 'USD', items });
      assert.equal(answer.status, 200, answer.text);
      return answer.json;
    };
    const list = async () => (await send(service, 'GET', path, { key })).json.items;
    const costSum = async () => {
      // The agents of these calls are not published.
      const body = { range: { last: '400d' }, metrics: ['cost.sum', 'unpricedCalls', 'calls'], includeDrafts: true };
      const { json } = await send(service, 'POST', '/api/v1/analytics/query', { key, body });
      return Object.values(json.rows[0].values);
    };
    return { key, workspaceId, ask, put, list, costSum };
  };
  type Client = Awaited<ReturnType<typeof newClient>>;

  /** A chat with a reply of each of these models, that has ended and been analyzed. */
  const endedChat = async ({ key }: Client, { failsFirst = false, agent = {} } = {}): Promise<Call> => {
    const fallbacks = { agentSettings: { llm: { fallbackModels: ['second'] } } };
    const { id } = await newChat(service, key, { model: 'mapped', agent: { ...fallbacks, ...agent } });
    const chat = on(service, key, id);
    model.play(...(failsFirst ? [{ status: 500 }] : []), { text: 'Hello.' });
    assert.equal((await chat.say('Hi')).status, 200);
    assert.equal((await chat.end()).status, 200);
    return eventually(async () => {
      const call = await chat.call();
      return call.analysis.status !== 'pending' && call;
    }, 'the analysis');
  };
  const eventsOf = async ({ key }: Client, { id }: Call) =>
    (await send(service, 'GET', `/api/v1/events?subjectId=${id}&order=asc`, { key })).json.items;
  const callIn = async ({ key }: Client, { id }: Pick<Call, 'id'>): Promise<Call> => on(service, key, id).call();
  const hasTotal = (client: Client, call: Pick<Call, 'id'>, total: number | null | undefined) =>
    eventually(async () => {
      const found = await callIn(client, call);
      return found.cost?.totalMicros === total && found;
    }, `a total of ${total}`);

  it('are put, replaced, listed and deleted by the instant from which on they are valid', async () => {
    const client = await newClient();
    const items = [price('gpt', 'million_prompt_tokens', '0.25')];
    const first = await client.put('2026-12-01T09:00:00+09:00', ...items);
    assert.deepEqual(first, { currency: 'USD', validFrom: '2026-12-01T00:00:00.000Z', items });
    const second = await client.put('2027-01-01T00:00:00Z');
    const replaced = await client.put('2026-12-01T00:00:00.000Z', price('gpt', 'million_prompt_tokens', '0.5'));
    assert.deepEqual(await client.list(), [second, replaced]);
    const other = await newClient();
    assert.deepEqual(await other.list(), []);
    assert.equal((await other.ask('DELETE', '2026-12-01T00:00:00Z')).status, 404);
    const deleted = await client.ask('DELETE', '2026-11-30T19:00:00-05:00');
    assert.deepEqual(deleted.json, { validFrom: '2026-12-01T00:00:00.000Z', deleted: true });
    for (const time of ['2026-12-01T00:00:00Z', 'yesterday', '%00']) {
      assert.equal((await client.ask('DELETE', time)).status, 404, time);
    }
    assert.deepEqual(await client.list(), [second]);
  });

  it('name every issue at once', async () => {
    const { ask, list } = await newClient();
    const good = price('gpt', 'million_prompt_tokens', '1');
    const bad = {
      currency: 'usd',
      items: [
        good,
        { ...good, model: 'z', price: '1,5' },
        { ...good, model: 'a', unit: 'minute' },
        { ...good, model: 'b', unit: 'hour' },
        { ...good, model: 'c', price: '1e3' },
        { ...good, model: 'd', price: '-1' },
        { ...good, model: 'e', price: '0.1234567891' },
        { ...good, model: 'f', price: 1 },
        { ...good, model: 'g', capability: 'video' },
        { ...good, model: '' },
        { ...good, capability: 'stt', price: 'free' },
        { ...good, price: '2' },
      ],
    };
    const answer = await ask('PUT', '2026-12-01T00:00:00Z', bad);
    assert.equal(answer.status, 400);
    const { currency, items } = answer.json.error.details.fieldErrors;
    assert.equal(currency.length, 1);
    const places = items.map((issue: string) => issue.split(':')[0]);
    const expected = [
      '1.price',
      '2.unit',
      '3.unit',
      '4.price',
      '5.price',
      '6.price',
      '7.price',
      '8.capability',
      '9.model',
    ];
    assert.deepEqual(places, [...expected, '10.price', '10.unit', '11']);
    const when = await ask('PUT', 'tomorrow', { currency: 'USD', items: [] });
    assert.deepEqual([when.status, Object.keys(when.json.error.details.fieldErrors)], [400, ['validFrom']]);
    assert.deepEqual(await list(), []);
  });

  it('are refused for a capability with the name of a property of every object', async () => {
    const { ask, list } = await newClient();
    for (const capability of ['constructor', 'toString', '__proto__']) {
      const item = { ...price('gpt', 'minute', '1'), ['capability' as string]: capability };
      const answer = await ask('PUT', '2026-12-01T00:00:00Z', { currency: 'USD', items: [item] });
      assert.equal(answer.status, 400, capability);
      assert.match(answer.json.error.details.fieldErrors.items[0], /^0\.capability: must be one of/);
    }
    assert.deepEqual(await list(), []);
  });

  it('are refused from a time on that has no year of four digits, so that each can be read and deleted', async () => {
    const { ask, put } = await newClient();
    for (const time of ['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+12:00', '9999-01-01T00:00:00Z']) {
      const answer = await ask('PUT', time, { currency: 'USD', items: [] });
      assert.equal(answer.status, 400, time);
      assert.deepEqual(answer.json.error.details.fieldErrors, {
        validFrom: ['must be in a year from 1000 to 9998'],
      });
      assert.equal((await ask('DELETE', time)).status, 404, time);
    }
    for (const time of ['1000-01-01T00:00:00Z', '9998-12-31T23:59:59.999Z']) {
      await put(time);
      assert.equal((await ask('DELETE', time)).status, 200, time);
    }
  });

  it('are limited to 20 documents; a document that is there can still be replaced', async () => {
    const { ask, put } = await newClient();
    const at = (day: number) => `2026-12-${String(day).padStart(2, '0')}T00:00:00Z`;
    for (let day = 1; day <= 19; day += 1) await put(at(day));
    const body = { currency: 'USD', items: [] };
    const answers = await Promise.all([ask('PUT', at(20), body), ask('PUT', at(21), body)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422]);
    const refused = answers.find(({ status }) => status === 422)?.json.error;
    assert.deepEqual([refused.code, refused.details.limit], ['LIMIT_REACHED', 20]);
    assert.equal((await ask('PUT', at(1), { ...body, currency: 'JPY' })).status, 200);
  });

  it('give a call its cost with its end and with its analysis, before their events', async () => {
    const client = await newClient();
    const items = ['qwen3', 'second', 'analyst'].flatMap((name, index) => [
      price(name, 'million_prompt_tokens', `${index + 1}`),
      price(name, 'million_completion_tokens', `${10 * (index + 1)}`),
    ]);
    const { validFrom } = await client.put('2020-01-01T00:00:00Z', ...items);
    // The first request fails after it was sent, and the fallback replies.
    const call = await endedChat(client, { failsFirst: true, agent: { postCallAnalysisModel: 'analyst' } });
    const llmMicros = 2 * prompt + 20 * completion;
    const { promptTokens, completionTokens } = call.analysis;
    assert.ok((promptTokens ?? 0) > 0);
    const analysisMicros = 3 * (promptTokens ?? 0) + 30 * (completionTokens ?? 0);
    const cost = {
      currency: 'USD',
      totalMicros: llmMicros + analysisMicros,
      llmMicros,
      sttMicros: 0,
      ttsMicros: 0,
      carrierMicros: 0,
      analysisMicros,
      pricesFrom: validFrom,
      missing: [],
    };
    assert.deepEqual(call.cost, cost);
    const events = await eventsOf(client, call);
    const costs = Object.fromEntries(
      events.map(({ type, body }: { type: string; body: { data: { call: Call } } }) => [type, body.data.call.cost]),
    );
    assert.deepEqual(costs, {
      call_started: null,
      call_ended: { ...cost, totalMicros: llmMicros, analysisMicros: 0 },
      call_analyzed: cost,
    });
    assert.deepEqual(await client.costSum(), [cost.totalMicros, 0, 1]);
  });

  it('apply to calls that are over, without events, whenever they change', async () => {
    const client = await newClient();
    const call = await endedChat(client);
    assert.equal(call.cost, null);
    assert.deepEqual(await client.costSum(), [0, 1, 1]);
    const events = await eventsOf(client, call);
    const tag = (await on(service, client.key, call.id).get()).headers.get('etag');

    await client.put('2020-01-01T00:00:00Z', price('*', 'million_prompt_tokens', '1'));
    const unpriced = await eventually(async () => {
      const found = await callIn(client, call);
      return found.cost !== null && found;
    });
    assert.deepEqual(unpriced.cost?.totalMicros, null);
    assert.deepEqual(unpriced.cost?.missing, [{ capability: 'llm', provider: 'openai', model: 'qwen3' }]);
    assert.deepEqual(await client.costSum(), [0, 1, 1]);

    const items = [price('*', 'million_prompt_tokens', '1'), price('*', 'million_completion_tokens', '2')];
    await client.put('2020-01-01T00:00:00Z', ...items);
    await hasTotal(client, call, prompt + 2 * completion);
    assert.deepEqual(await client.costSum(), [prompt + 2 * completion, 0, 1]);
    assert.notEqual((await on(service, client.key, call.id).get()).headers.get('etag'), tag);

    assert.equal((await client.ask('DELETE', '2020-01-01T00:00:00Z')).status, 200);
    await hasTotal(client, call, undefined);
    assert.deepEqual(await client.costSum(), [0, 1, 1]);
    assert.deepEqual(await eventsOf(client, call), events);
  });

  it('are those of the time at which a call was created', async () => {
    const client = await newClient();
    const before = await endedChat(client);
    const midnight = new Date(clock.now() + 1).toISOString();
    clock.advance(1000);
    const after = await endedChat(client);
    const priced = (amount: string) => [
      price('*', 'million_prompt_tokens', amount),
      price('*', 'million_completion_tokens', '0'),
    ];
    await client.put(midnight, ...priced('5'));
    await hasTotal(client, after, 5 * prompt);
    assert.equal((await callIn(client, before)).cost, null);
    await client.put('2020-01-01T00:00:00Z', ...priced('1'));
    await hasTotal(client, before, prompt);
    assert.equal((await callIn(client, after)).cost?.totalMicros, 5 * prompt);
    await client.ask('DELETE', midnight);
    assert.equal((await hasTotal(client, after, prompt)).cost?.pricesFrom, '2020-01-01T00:00:00.000Z');
    assert.deepEqual(await client.costSum(), [2 * prompt, 0, 2]);
  });

  it('reach calls behind thousands of others, of this workspace only, and not those that are open', async () => {
    const client = await newClient();
    const other = await newClient();
    const used = {
      capability: 'tts',
      provider: 'p',
      model: 'm',
      requests: 1,
      promptTokens: 0,
      cachedTokens: 0,
    } as const;
    const callAt = (workspaceId: string, createdAt: string, changes: Partial<Call> = {}) => {
      const call = callWith({
        workspaceId,
        createdAt,
        status: 'ended',
        endedAt: createdAt,
        analysis: analysisWith({}),
      });
      const breakdown = [{ ...used, completionTokens: 0, audioMs: 0, characters: 1 }];
      return { ...call, usage: { ...call.usage, breakdown }, ...changes };
    };
    const { workspaceId } = client;
    const [early, late] = ['2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00.000Z'];
    const tooEarly = Array.from({ length: 2050 }, () => callAt(workspaceId, early));
    const priced = Array.from({ length: 130 }, () => callAt(workspaceId, late));
    const foreign = callAt(other.workspaceId, late);
    const open = callAt(workspaceId, late, { status: 'ongoing', endedAt: null });
    await insertCalls(service.database, [...priced.slice(0, 60), ...tooEarly, open, ...priced.slice(60), foreign]);
    const item = { capability: 'tts', provider: 'p', model: 'm', unit: 'million_characters', price: '3' };
    await client.put(late, { ...item, price: '2' });
    // While the first one is under way.
    await client.put(late, item);
    const totals = async () => {
      const rows = await service.database.all<{ doc: string }>('SELECT doc FROM calls WHERE workspace_id = $1', [
        workspaceId,
      ]);
      const counts = new Map<number | null, number>();
      for (const { doc } of rows) {
        const total = (JSON.parse(doc) as Call).cost?.totalMicros ?? null;
        counts.set(total, (counts.get(total) ?? 0) + 1);
      }
      return counts;
    };
    await eventually(async () => (await totals()).get(3) === priced.length, 'all costs');
    const expected = [[3, priced.length] as const, [null, tooEarly.length + 1] as const];
    assert.deepEqual(await totals(), new Map(expected));
    assert.equal((await callIn(other, foreign)).cost, null);
    const rest = 'SELECT count(*) AS count FROM jobs WHERE workspace_id = $1 AND finished_at IS NULL';
    await eventually(async () => Number((await service.database.get(rest, [workspaceId]))?.count) === 0, 'the end');
  });

  it('that change while a call ends reach the call', async () => {
    const client = await newClient();
    const items = (amount: number) => [
      price('*', 'million_prompt_tokens', `${amount}`),
      price('*', 'million_completion_tokens', '0'),
    ];
    for (let amount = 1; amount <= 8; amount += 1) {
      const { id } = await newChat(service, client.key, { model: 'mapped' });
      const chat = on(service, client.key, id);
      model.play({ text: 'Hello.' });
      await chat.say('Hi');
      await Promise.all([chat.end(), client.put('2020-01-01T00:00:00Z', ...items(amount))]);
      await hasTotal(client, { id }, amount * prompt);
    }
  });

  it('leave the numbers of a redacted call as they are', async () => {
    const client = await newClient();
    await client.put(
      '2020-01-01T00:00:00Z',
      price('*', 'million_prompt_tokens', '1'),
      price('*', 'million_completion_tokens', '1'),
    );
    const call = await endedChat(client);
    const redacted = await on(service, client.key, call.id).redact('basic_attributes_only');
    assert.deepEqual(redacted.json.cost, call.cost);
    assert.equal(call.cost?.totalMicros, prompt + completion);
  });
});

describe('a change of prices on PostgreSQL', onPostgres, () => {
  const service = useService(postgresEngine());

  it('waits for calls that are ending with the former prices, so that it reaches them', async () => {
    const { key, workspaceId } = await service.newKey();
    const { database } = service;
    const { costOf } = createCosts(createPriceStore(database), () => null);
    const [isComputed, mayCommit] = [gate(), gate()];
    const done: string[] = [];
    const call = callWith({ workspaceId, status: 'ended', endedAt: '2026-12-01T00:00:00.000Z' });
    const ending = database.transaction(async (queries) => {
      const cost = await costOf(queries, call);
      isComputed.open();
      await mayCommit.opened;
      await insertCall(queries, { ...call, cost });
      done.push('call');
    });
    await isComputed.opened;
    const body = { currency: 'USD', items: [] };
    const putting = send(service, 'PUT', `${path}/2020-01-01T00:00:00Z`, { key, body }).then(() => done.push('prices'));
    const waiting = `SELECT count(*) AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually(async () => Number((await database.get(waiting))?.count) > 0, 'the wait');
    mayCommit.open();
    await Promise.all([ending, putting]);
    assert.deepEqual(done, ['call', 'prices']);
    await eventually(async () => (await on(service, key, call.id).call()).cost?.totalMicros === 0, 'the cost');
  });
});
