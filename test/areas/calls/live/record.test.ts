import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { serviceUnavailable } from '../../../../src/core/errors.ts';
import type { Database, Queries } from '../../../../src/storage/database.ts';
import { openDatabase } from '../../../../src/storage/open.ts';
import { send } from '../../../support/client.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Service, startService } from '../../../support/service.ts';
import { said } from '../support.ts';
import { connect, joined, LiveClient, newWebCall, ongoing, refused, withResume, withToken } from './support.ts';

type Work = (queries: Queries) => Promise<unknown>;

interface Hooks {
  beforeCommit(): Promise<void>;
  /** `isBackground`: of what calls write while they go on. */
  afterCommit(isBackground: boolean): void;
}

/** A database on which a test can do something in the middle of a transaction, or fail after it. */
function interruptible(database: Database, hooks: Hooks): Database {
  return new Proxy(database, {
    get: (target, name) => {
      if (name !== 'transaction') {
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (work: Work, options?: { readonly isBackground?: boolean }) => {
        const done = await target.transaction(async (queries) => {
          const result = await work(queries);
          await hooks.beforeCommit();
          return result;
        }, options);
        hooks.afterCommit(options?.isBackground === true);
        return done;
      };
    },
  });
}

const lostConnection = () => serviceUnavailable('The connection to the database was lost.');

describe('the record of a web call', () => {
  const engine = sqliteEngine();
  let service: Service;
  const nothing: Hooks = { beforeCommit: async () => {}, afterCommit: () => {} };
  const hooks = { ...nothing };
  before(async () => {
    service = await startService(engine, {
      open: (location) =>
        interruptible(
          openDatabase(location, () => {}),
          hooks,
        ),
    });
  });
  after(() => service.close());

  it('has everything once if the database does not confirm what it has stored', async () => {
    const { key } = await service.newKey();
    const { client, ...call } = await ongoing(service, key);
    let writes = 0;
    hooks.afterCommit = (isBackground) => {
      if (!isBackground) return;
      writes += 1;
      if (writes % 2 === 1) throw lostConnection();
    };
    const texts = ['One', 'Two', 'Three'];
    for (const text of texts) {
      client.send({ type: 'text', text });
      await client.said(text);
    }
    await eventually(() => writes > 0 && writes % 2 === 0, 'the turns');
    const known = writes;
    // An event without a turn, until more keys or a pause follow.
    client.send({ type: 'dtmf', digits: '1' });
    await eventually(() => writes === known + 2, 'the keys');
    hooks.afterCommit = nothing.afterCommit;
    client.send({ type: 'end' });
    await client.closed;
    const callers = said(await call.turns()).filter(([role, text]) => role === 'caller' && text !== '1');
    assert.deepEqual(
      callers.map(([, text]) => text),
      texts,
    );
    const events = await call.events();
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => index + 1),
    );
    assert.equal(events.filter(({ type }) => type === 'dtmf_received').length, 1);
    // Whether there was a reply to the key depends on how soon the call has ended.
    const requests = (await call.call()).usage.breakdown[0]?.requests;
    assert.ok(requests === texts.length || requests === texts.length + 1, `${requests} replies`);
  });

  it('has what happens while it is being written', async () => {
    const { key } = await service.newKey();
    const { client, ...call } = await ongoing(service, key);
    const { promise: isWriting, resolve: writing } = Promise.withResolvers<void>();
    const { promise: isHeard, resolve: heard } = Promise.withResolvers<void>();
    hooks.beforeCommit = async () => {
      hooks.beforeCommit = nothing.beforeCommit;
      writing();
      await isHeard;
    };
    client.send({ type: 'text', text: 'One' });
    await client.said('One');
    await isWriting;
    client.send({ type: 'text', text: 'Two' });
    await client.said('Two');
    heard();
    client.send({ type: 'end' });
    await client.closed;
    assert.deepEqual(said(await call.turns()), [
      ['caller', 'One'],
      ['agent', 'One'],
      ['caller', 'Two'],
      ['agent', 'Two'],
    ]);
  });

  it('tells who has the call, also if a connection was not confirmed', async () => {
    const { key } = await service.newKey();
    const { id, client, resumeKey } = await ongoing(service, key);
    await client.drop();
    hooks.afterCommit = (isBackground) => {
      if (!isBackground) throw lostConnection();
    };
    assert.equal(await refused(connect(service, id, withResume(resumeKey))), '503 SERVICE_UNAVAILABLE');
    hooks.afterCommit = nothing.afterCommit;
    const second = await joined(connect(service, id, withResume(resumeKey)));
    await second.start();
    second.send({ type: 'text', text: 'Hello' });
    await second.said('Hello');
    second.send({ type: 'end' });
    await second.closed;
  });

  it('is free again if a process does not know that it has the call', async () => {
    const { key } = await service.newKey();
    const { id, accessToken } = await newWebCall(service, key);
    const otherHooks = { ...nothing };
    const other = await startService(engine, {
      databaseUrl: service.databaseUrl,
      calls: { live: { leaseMs: 600 } },
      open: (location) =>
        interruptible(
          openDatabase(location, () => {}),
          otherHooks,
        ),
    });
    try {
      // It renews the leases of its calls.
      const kept = await ongoing(other, key);
      otherHooks.afterCommit = (isBackground) => {
        if (!isBackground) throw lostConnection();
      };
      assert.equal(await refused(connect(other, id, withToken(accessToken))), '503 SERVICE_UNAVAILABLE');
      otherHooks.afterCommit = nothing.afterCommit;
      const second = await eventually(async () => {
        // A token joins once.
        const { json } = await send(service, 'POST', `/api/v1/calls/${id}/tokens`, { key, body: {} });
        const answer = await connect(service, id, withToken(json.token));
        return answer instanceof LiveClient && answer;
      }, 'the call goes on in the first process');
      await second.start();
      for (const each of [second, kept.client]) {
        each.send({ type: 'end' });
        await each.closed;
      }
    } finally {
      await other.close();
    }
  });
});
