import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database, Queries } from '../../../../src/storage/database.ts';
import { openDatabase } from '../../../../src/storage/open.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { type Service, startService } from '../../../support/service.ts';
import { said } from '../support.ts';
import { ongoing } from './support.ts';

type Work = (queries: Queries) => Promise<unknown>;

/** A database on which a test can do something in the middle of a transaction. */
function interruptible(database: Database, beforeCommit: () => Promise<void>): Database {
  return new Proxy(database, {
    get: (target, name) => {
      if (name !== 'transaction') {
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return (work: Work) =>
        target.transaction(async (queries) => {
          const result = await work(queries);
          await beforeCommit();
          return result;
        });
    },
  });
}

describe('the record of a web call', () => {
  let service: Service;
  let beforeCommit = async (): Promise<void> => {};
  before(async () => {
    service = await startService(sqliteEngine(), {
      open: (location) =>
        interruptible(
          openDatabase(location, () => {}),
          () => beforeCommit(),
        ),
    });
  });
  after(() => service.close());

  it('has what happens while it is being written', async () => {
    const { key } = await service.newKey();
    const { client, ...call } = await ongoing(service, key);
    const { promise: isWriting, resolve: writing } = Promise.withResolvers<void>();
    const { promise: isHeard, resolve: heard } = Promise.withResolvers<void>();
    beforeCommit = async () => {
      beforeCommit = async () => {};
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
});
