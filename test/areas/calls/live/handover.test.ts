import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { openDatabase } from '../../../../src/storage/open.ts';
import { cuttable } from '../../../support/cuttable-database.ts';
import { type Engine, onEachEngine } from '../../../support/engines.ts';
import { type Service, startService } from '../../../support/service.ts';
import { eventually, on, quickSweep, TestClock } from '../support.ts';
import { calledAgain, spokenCall } from './caller.ts';
import {
  connect,
  joined,
  type LiveClient,
  newWebCall,
  ongoing,
  refused,
  type WebCallOptions,
  withResume,
  withToken,
} from './support.ts';

const fallback = 'Sorry, could you say that again?';
const quickly = { ...quickSweep, live: { pollMs: 25 } } as const;

/** Two processes on one database. */
async function startTwo(engine: Engine, now: () => number = Date.now) {
  let cut = (): void => {};
  const one = await startService(engine, {
    now,
    calls: quickly,
    open: (location) => {
      const made = cuttable(openDatabase(location, () => {}));
      cut = made.cut;
      return made.database;
    },
  });
  const other = await startService(engine, { now, calls: quickly, databaseUrl: one.databaseUrl });
  return { one, other, cut: () => cut() };
}

onEachEngine('a web call of two processes', (engine) => {
  let one: Service;
  let other: Service;
  let key: string;
  before(async () => {
    ({ one, other } = await startTwo(engine));
    ({ key } = await one.newKey());
  });
  after(async () => {
    await other.close();
    await one.close();
  });

  const settings: readonly [string, WebCallOptions['agent']][] = [
    ['that is stored', {}],
    ['of which nothing is stored', { dataStorageSetting: 'basic_attributes_only' }],
  ];
  for (const [what, agent = {}] of settings) {
    it(`${what} goes on where its caller resumes it`, async () => {
      const { id, client, resumeKey } = await ongoing(one, key, { model: 'test-script', agent });
      client.send({ type: 'text', text: 'One' });
      await client.said('Good morning.');
      const second = await joined(connect(other, id, withResume(resumeKey)));
      assert.equal(await client.closed, 4409);
      const { resumeKey: next } = await second.start();
      second.send({ type: 'text', text: 'Two' });
      assert.equal((await second.said('Which day?')).turn, 3);
      // And back again.
      const third = await joined(connect(one, id, withResume(next)));
      await third.start();
      third.send({ type: 'text', text: 'Three' });
      assert.equal((await third.said('Goodbye.')).turn, 5);
      third.send({ type: 'end' });
      await third.next('ended');
      const ended = await on(other, key, id).call();
      assert.equal(ended.endReason, 'caller_hangup');
      assert.equal(ended.latency?.turns, 3);
      assert.equal(ended.usage.breakdown[0]?.requests, 3);
      const sequences = (await on(one, key, id).events()).map(({ sequence }) => sequence);
      assert.deepEqual(
        sequences,
        [...sequences.keys()].map((index) => index + 1),
      );
      const row = await one.database.get('SELECT state, sealed_state, owner FROM calls WHERE id = $1', [id]);
      assert.deepEqual(row, { state: null, sealed_state: null, owner: null });
    });
  }

  for (const [what, agent = {}] of settings) {
    it(`${what} can be resumed with the same key if its client has not got the next one`, async () => {
      const { id, client, resumeKey } = await ongoing(one, key, { agent });
      await client.drop();
      for (const service of [other, one, other]) {
        const lost = await joined(connect(service, id, withResume(resumeKey)));
        await lost.start();
        await lost.drop();
      }
      const last = await joined(connect(one, id, withResume(resumeKey)));
      await last.start();
      last.send({ type: 'text', text: 'Hello' });
      await last.said('Hello');
      last.send({ type: 'end' });
      await last.closed;
    });
  }

  it('ends with the third reply that fails in a row, wherever they were requested', async () => {
    const { id, client, resumeKey } = await ongoing(one, key, { model: 'test-fail' });
    for (const text of ['One', 'Two']) {
      client.send({ type: 'text', text });
      await client.said(fallback);
    }
    const second = await joined(connect(other, id, withResume(resumeKey)));
    await second.start();
    second.send({ type: 'text', text: 'Three' });
    assert.equal((await second.next('ended')).reason, 'llm_failed');
  });

  it('goes on where a newer token joins', async () => {
    const { id, client, resumeKey, ...call } = await ongoing(one, key, { model: 'test-script' });
    client.send({ type: 'text', text: 'One' });
    await client.said('Good morning.');
    const { json: newer } = await call.token();
    const second = await joined(connect(other, id, withToken(newer.token)));
    assert.equal(await client.closed, 4409);
    await second.start();
    second.send({ type: 'text', text: 'Two' });
    await second.said('Which day?');
    assert.equal(await refused(connect(one, id, withResume(resumeKey))), '401 UNAUTHORIZED');
    second.send({ type: 'end' });
    await second.closed;
  });

  it('gets its reply in the process that it moved to', async () => {
    const { id, client, resumeKey } = await ongoing(one, key, { model: 'test-slow' });
    client.send({ type: 'text', text: 'Are you there?' });
    await client.next('transcript');
    const second = await joined(connect(other, id, withResume(resumeKey)));
    await second.start();
    assert.equal((await second.said('Are you there?')).turn, 1);
    await eventually(async () => (await on(one, key, id).turns()).length === 2);
    second.send({ type: 'end' });
    await second.closed;
  });

  it('is controlled and ended from either', async () => {
    const { id, client } = await ongoing(one, key);
    const call = on(other, key, id);
    const said = await call.control({ action: 'say', text: 'Hello from elsewhere.' });
    assert.equal(said.status, 200, said.text);
    await client.said('Hello from elsewhere.');
    const bad = await call.control({ action: 'pause_recording' });
    assert.deepEqual([bad.status, bad.json.error.code], [422, 'UNPROCESSABLE_CONTENT']);
    client.send({ type: 'text', text: 'Last words' });
    await client.said('Last words');
    const ended = await call.end();
    assert.deepEqual([ended.status, ended.json.endReason], [200, 'api_end']);
    assert.notEqual(ended.json.conversation, null);
    assert.equal((await client.next('ended')).reason, 'api_end');
    assert.equal(await client.closed, 1000);
    assert.equal((await call.turns()).length, 3);
    const left = await one.database.get('SELECT count(*) AS count FROM call_commands');
    assert.deepEqual(left, { count: 0 });
  });

  it('is joined in one of them, if two clients come at the same time', async () => {
    const { id, accessToken } = await newWebCall(one, key);
    const both = [connect(one, id, withToken(accessToken)), connect(other, id, withToken(accessToken))];
    const results = await Promise.all(both);
    assert.deepEqual(results.map((result) => ('status' in result ? result.status : 101)).sort(), [101, 401]);
  });
});

onEachEngine('the lease of a web call', (engine) => {
  it('is renewed for as long as its process runs, and a process that has lost the call closes its socket', async (test) => {
    const service = await startService(engine, { calls: { ...quickSweep, live: { leaseMs: 600 } } });
    test.after(() => service.close());
    const { key } = await service.newKey();
    const { id, client, ...call } = await ongoing(service, key);
    const dates = () =>
      service.database.get<{ lease_until: number; due_at: number }>(
        'SELECT lease_until, due_at FROM calls WHERE id = $1',
        [id],
      );
    const first = await dates();
    const renewed = await eventually(async () => {
      const found = await dates();
      return (found?.lease_until ?? 0) > (first?.lease_until ?? 0) + 600 && found;
    });
    assert.equal(renewed.due_at, renewed.lease_until + 30_000);
    assert.equal((await call.call()).status, 'ongoing');
    await service.database.run("UPDATE calls SET owner = 'own_other' WHERE id = $1", [id]);
    assert.equal(await client.closed, 4503);
  });
});

onEachEngine('a process that stops', (engine) => {
  it('tells callers to reconnect, and another one continues their calls at once', async () => {
    const { one, other } = await startTwo(engine);
    const { key } = await one.newKey();
    const call = await ongoing(one, key, {
      model: 'test-script',
      agent: { dataStorageSetting: 'basic_attributes_only' },
    });
    call.client.send({ type: 'text', text: 'One' });
    await call.client.said('Good morning.');
    const closing = one.close();
    assert.equal(await call.client.closed, 4503);
    const second = await joined(connect(other, call.id, withResume(call.resumeKey)));
    await closing;
    await second.start();
    second.send({ type: 'text', text: 'Two' });
    await second.said('Which day?');
    second.send({ type: 'end' });
    await second.closed;
    await other.close();
  });

  it('leaves a call to end as caller_disconnected if nobody comes back', async () => {
    const clock = new TestClock();
    const { one, other } = await startTwo(engine, clock.now);
    const { key } = await one.newKey();
    const { id } = await ongoing(one, key);
    await one.close();
    assert.equal((await on(other, key, id).call()).status, 'ongoing');
    clock.advance(31_000);
    const ended = await eventually(async () => {
      const found = await on(other, key, id).call();
      return found.status !== 'ongoing' && found;
    });
    assert.deepEqual([ended.status, ended.endReason], ['ended', 'caller_disconnected']);
    assert.equal(ended.conversation?.longestSilenceMs, ended.durationMs, 'nobody has spoken');
    await other.close();
  });
});

onEachEngine('a process that is killed', (engine) => {
  const clock = new TestClock();
  let one: Service;
  let other: Service;
  let key: string;
  let cut: () => void;
  before(async () => {
    ({ one, other, cut } = await startTwo(engine, clock.now));
    ({ key } = await one.newKey());
  });
  after(async () => {
    await other.close();
    await one.close();
  });

  it('leaves calls that their callers resume elsewhere, or that end as server_restart', async (test) => {
    clock.hold(test);
    const [resumed, abandoned, sealed] = [
      await ongoing(one, key, { model: 'test-script' }),
      await ongoing(one, key),
      await ongoing(one, key, { agent: { dataStorageSetting: 'everything_except_pii' } }),
    ];
    resumed.client.send({ type: 'text', text: 'One' });
    await resumed.client.said('Good morning.');
    await eventually(async () => (await resumed.turns()).length === 2);
    cut();
    await resumed.client.drop();
    // The process might still be alive.
    assert.equal(await refused(connect(other, resumed.id, withResume(resumed.resumeKey))), '503 SERVICE_UNAVAILABLE');
    const control = await on(other, key, abandoned.id).control({ action: 'say', text: 'Hello' });
    assert.deepEqual([control.status, control.json.error.code], [503, 'SERVICE_UNAVAILABLE']);
    clock.advance(16_000);
    const statusOf = async (id: string) => {
      const { status, endReason } = await on(other, key, id).call();
      return `${status} ${endReason}`;
    };
    await eventually(async () => (await statusOf(sealed.id)) === 'error server_restart');
    assert.equal(await refused(connect(other, sealed.id, withResume(sealed.resumeKey))), '409 STATE_CONFLICT');
    const again = await joined(connect(other, resumed.id, withResume(resumed.resumeKey)));
    await again.start();
    again.send({ type: 'text', text: 'Two' });
    assert.equal((await again.said('Which day?')).turn, 3);
    assert.equal(await statusOf(abandoned.id), 'ongoing null');
    // The new owner renews its lease by the same clock.
    clock.advance(9_000);
    await eventually(async () => (await leaseOf(resumed.id)) > clock.now());
    clock.advance(16_500);
    await eventually(async () => (await statusOf(abandoned.id)) === 'error server_restart');
    const ended = await on(other, key, abandoned.id).call();
    assert.ok(Date.parse(ended.endedAt ?? '') < clock.now() - 40_000, 'it ended when it was last heard of');
    assert.equal(ended.conversation, null);
    again.send({ type: 'end' });
    await again.next('ended');
    const { conversation } = await on(other, key, resumed.id).call();
    assert.equal(conversation, null, 'a part of it was lost');
  });

  async function leaseOf(id: string): Promise<number> {
    const row = await other.database.get<{ lease_until: number }>('SELECT lease_until FROM calls WHERE id = $1', [id]);
    return row?.lease_until ?? 0;
  }
});

onEachEngine('the numbers of utterances', (engine) => {
  const clock = new TestClock();
  const options = { agent: { beginMessage: 'Good morning. How can I help you?' } };
  let one: Service;
  let other: Service;
  let key: string;
  let cut: () => void;
  before(async () => {
    ({ one, other, cut } = await startTwo(engine, clock.now));
    ({ key } = await one.newKey());
  });
  after(async () => {
    await other.close();
    await one.close();
  });

  /** The number that the next utterance has. */
  const nextNumber = async (client: LiveClient) => Number((await client.next('speech')).utterance);

  it('never repeat in a call that is given away, and given back', async () => {
    const { id, client, resumeKey } = await spokenCall(one, key, options);
    const first = await nextNumber(client);
    assert.equal(first, 1);
    const there = await calledAgain(other, id, resumeKey);
    there.client.send({ type: 'text', text: 'hello' });
    const second = await nextNumber(there.client);
    const back = await calledAgain(one, id, there.resumeKey);
    back.client.send({ type: 'text', text: 'are you there' });
    const third = await nextNumber(back.client);
    assert.ok(first < second && second < third, `${first} < ${second} < ${third}`);
    assert.ok(Number.isSafeInteger(third));
    back.client.send({ type: 'end' });
    await back.client.closed;
  });

  it('never repeat after a process was killed, whatever it had written', async (test) => {
    clock.hold(test);
    const { id, client, resumeKey } = await spokenCall(one, key, options);
    cut();
    const before = [await nextNumber(client)];
    client.send({ type: 'text', text: 'hello' });
    before.push(await nextNumber(client));
    await client.drop();
    clock.advance(16_000);
    const again = await calledAgain(other, id, resumeKey);
    const next = await nextNumber(again.client);
    assert.ok(next > Math.max(...before), `${next} is higher than ${before}`);
    again.client.send({ type: 'end' });
    await again.client.closed;
  });
});
