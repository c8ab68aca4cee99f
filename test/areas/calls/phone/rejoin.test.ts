import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { openDatabase } from '../../../../src/storage/open.ts';
import { cuttable } from '../../../support/cuttable-database.ts';
import { type Engine, onEachEngine } from '../../../support/engines.ts';
import { eventually, on, quickSweep, TestClock } from '../support.ts';
import { answered, connected, type PhoneService, startPhoneService } from './support.ts';

const quickly = { ...quickSweep, live: { pollMs: 25 } } as const;
const sorry = ['Sorry', 'about', 'that', "Let's", 'continue'];

/** Two processes on one database, and a proxy that sends each request of the carrier to either. */
async function startTwo(
  engine: Engine,
  now: () => number = Date.now,
  live: { readonly pollMs: number } = quickly.live,
) {
  let cut = (): void => {};
  const one = await startPhoneService(engine, {
    now,
    calls: { ...quickly, live },
    open: (location) => {
      const made = cuttable(openDatabase(location, () => {}));
      cut = made.cut;
      return made.database;
    },
  });
  const other = await startPhoneService(engine, { now, calls: quickly, databaseUrl: one.databaseUrl });
  return { one, other, cut: () => cut() };
}

onEachEngine('a phone call of two processes', (engine) => {
  let one: PhoneService;
  let other: PhoneService;
  let key: string;
  let workspaceId: string;
  before(async () => {
    ({ one, other } = await startTwo(engine));
    ({ key, workspaceId } = await one.newKey());
  });
  after(async () => {
    await other.close();
    await one.close();
  });

  for (const [what, agent] of [
    ['that is stored', {}],
    ['of which nothing is stored', { dataStorageSetting: 'basic_attributes_only' }],
  ] as const) {
    it(`${what} goes on where the carrier asks after its socket is lost, after a sentence`, async () => {
      const { line, id } = await answered(one, key, { model: 'test-script', agent });
      await line.say('One');
      await line.until(() => line.heard.length >= 2);
      line.lose();
      const found = await other.phone.find(workspaceId, id);
      assert.deepEqual([found?.isOwnedElsewhere, found?.isLost], [false, false]);
      const next = await connected(other, { id, workspaceId });
      await next.until(() => next.heard.length >= sorry.length);
      await next.say('Two');
      await next.until(() => next.heard.includes('day'));
      // Between them is what the caller had not heard to its end.
      assert.deepEqual(next.heard.slice(0, sorry.length), sorry);
      assert.deepEqual(next.heard.slice(-2), ['Which', 'day']);
      next.hangUp();
      await eventually(async () => (await on(one, key, id).call()).endReason === 'caller_hangup');
      const row = await one.database.get('SELECT state, sealed_state, owner FROM calls WHERE id = $1', [id]);
      assert.deepEqual(row, { state: null, sealed_state: null, owner: null });
    });
  }

  it('is not taken from a process whose caller is connected', async () => {
    const { line, id } = await answered(one, key);
    assert.equal((await other.phone.find(workspaceId, id))?.isOwnedElsewhere, true);
    await line.say('Hello');
    await line.until(() => line.heard.includes('Hello'));
    await other.phone.tell(workspaceId, id, { type: 'hangup' });
    await line.closed();
    await eventually(async () => (await on(one, key, id).call()).endReason === 'caller_hangup');
  });
});

onEachEngine('a process with phone calls that shuts down', (engine) => {
  it('leaves them to the next, whatever is stored of them', async () => {
    const { one, other } = await startTwo(engine);
    const { key, workspaceId } = await one.newKey();
    const calls = [];
    for (const agent of [{}, { dataStorageSetting: 'basic_attributes_only' }]) {
      const call = await answered(one, key, { model: 'test-script', agent });
      await call.line.say('One');
      await call.line.until(() => call.line.heard.length >= 2);
      calls.push(call);
    }
    await one.close();
    for (const { line, id } of calls) {
      assert.ok(line.isClosed, 'the socket is closed, so that the carrier asks again');
      const found = await other.phone.find(workspaceId, id);
      assert.deepEqual([found?.call.status, found?.isOwnedElsewhere, found?.isLost], ['ongoing', false, false]);
      const next = await connected(other, { id, workspaceId });
      await next.until(() => next.heard.length >= sorry.length);
      await next.say('Two');
      await next.until(() => next.heard.includes('day'));
      next.hangUp();
      await eventually(async () => (await on(other, key, id).call()).endReason === 'caller_hangup');
    }
    await other.close();
  });

  it('leaves a call to a process that waits for its answer, which it does not give any more', async () => {
    const { one, other } = await startTwo(engine, Date.now, { pollMs: 3_600_000 });
    const { key, workspaceId } = await one.newKey();
    const { line, id } = await answered(one, key);
    line.lose();
    const found = other.phone.find(workspaceId, id);
    await one.close();
    assert.equal((await found)?.isOwnedElsewhere, false);
    await other.close();
  });
});

onEachEngine('a process with phone calls that is lost', (engine) => {
  const clock = new TestClock();
  let one: PhoneService;
  let other: PhoneService;
  let cut: () => void;
  let key: string;
  let workspaceId: string;
  before(async () => {
    ({ one, other, cut } = await startTwo(engine, clock.now));
    ({ key, workspaceId } = await one.newKey());
  });
  after(async () => {
    await other.close();
    await one.close().catch(() => {});
  });

  it('leaves calls that go on where the carrier asks, unless their setting forbids it', async (test) => {
    clock.hold(test);
    const stored = await answered(one, key, { model: 'test-script' });
    const sealed = await answered(one, key, { agent: { dataStorageSetting: 'everything_except_pii' } });
    await stored.line.say('One');
    await stored.line.until(() => stored.line.heard.length >= 2);
    await eventually(async () => (await on(other, key, stored.id).turns()).length === 2);
    cut();
    stored.line.lose();
    sealed.line.lose();
    // The process might still be alive: the carrier asks again.
    assert.equal((await other.phone.find(workspaceId, stored.id))?.isOwnedElsewhere, true);
    clock.advance(16_000);
    const lost = await other.phone.find(workspaceId, sealed.id);
    assert.ok(lost?.isLost === true || lost?.call.endReason === 'server_restart');
    // Once, and not for a call that is over.
    await eventually(async () => other.lines.reconnected.length > 0);
    assert.deepEqual(other.lines.reconnected, [stored.id]);
    const next = await connected(other, { id: stored.id, workspaceId });
    await next.until(() => next.heard.length >= sorry.length);
    await next.say('Two');
    await next.until(() => next.heard.includes('day'));
    assert.deepEqual(next.heard.slice(0, sorry.length), sorry);
    assert.deepEqual(other.lines.reconnected, [stored.id]);
    await eventually(async () => (await on(other, key, sealed.id).call()).endReason === 'server_restart');
    next.hangUp();
    await eventually(async () => (await on(other, key, stored.id).call()).endReason === 'caller_hangup');
  });
});
