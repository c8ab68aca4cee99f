import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../src/core/errors.ts';
import { bytesOf, type Database, type Queries } from '../../src/storage/database.ts';
import { openDatabase, openReader } from '../../src/storage/open.ts';
import { locationOf, onEachEngine } from '../support/engines.ts';

onEachEngine('the database', (engine) => {
  let url: string;
  let database: Database;
  const open = () => openDatabase(locationOf(url), () => {});
  beforeEach(async () => {
    url = await engine.newDatabaseUrl();
    database = open();
    const { idType, integerType } = database.dialect;
    await database.run(`CREATE TABLE things (id ${idType} PRIMARY KEY, number ${integerType}, words TEXT)`);
  });
  afterEach(() => database.close());

  const insert = (id: string, number: number | null = null, words: string | null = null) =>
    database.run('INSERT INTO things (id, number, words) VALUES ($1, $2, $3)', [id, number, words]);
  const ids = async () => (await database.all<{ id: string }>('SELECT id FROM things ORDER BY id')).map(({ id }) => id);

  it('reads values of every type as they were written', async () => {
    assert.equal(await insert('a', Number.MAX_SAFE_INTEGER, '日本語 😀 \u0001'), 1);
    await insert('b');
    const row = await database.get('SELECT number, words FROM things WHERE id = $1', ['a']);
    assert.deepEqual({ ...row }, { number: Number.MAX_SAFE_INTEGER, words: '日本語 😀 \u0001' });
    assert.deepEqual(
      { ...(await database.get('SELECT number, words FROM things WHERE id = $1', ['b'])) },
      { number: null, words: null },
    );
    assert.equal(await database.get('SELECT 1 AS one FROM things WHERE id = $1', ['c']), undefined);
    assert.equal(await database.run('UPDATE things SET number = 1'), 2);
  });

  it('accepts parameters repeatedly and in any order', async () => {
    const row = await database.get<{ a: string; b: string; c: string }>(
      'SELECT CAST($2 AS TEXT) AS a, CAST($1 AS TEXT) AS b, CAST($2 AS TEXT) AS c',
      ['one', 'two'],
    );
    assert.deepEqual({ ...row }, { a: 'two', b: 'one', c: 'two' });
  });

  it('returns text as bytes', async () => {
    await insert('a', null, '{"名":"😀"}');
    const row = await database.get<{ bytes: unknown }>(
      `SELECT ${database.dialect.bytes('words')} AS bytes FROM things`,
    );
    assert.equal(bytesOf(row?.bytes).toString(), '{"名":"😀"}');
  });

  it('sorts ids by bytes', async () => {
    for (const id of ['b', 'a', 'B', 'Z', '_', '0', 'é', 'a_']) await insert(id);
    assert.deepEqual(await ids(), ['0', 'B', 'Z', '_', 'a', 'a_', 'b', 'é']);
  });

  it('reads everything of a snapshot as of one moment, in a connection of its own', async () => {
    await insert('a');
    const connection = openReader(locationOf(url));
    const count = (reader: Pick<Database, 'get'>) => reader.get<{ n: number }>('SELECT count(*) AS n FROM things');
    const counts = await connection.snapshot(async (reader) => {
      const before = await count(reader);
      await insert('b');
      return [before?.n, (await count(reader))?.n, (await count(reader.adHoc))?.n];
    });
    assert.deepEqual(counts, [1, 1, 1]);
    await assert.rejects(connection.snapshot((reader) => Promise.resolve(reader.get('SELECT nothing'))));
    assert.equal((await connection.snapshot(async (reader) => count(reader)))?.n, 2);
    await connection.close();
  });

  it('finds substrings literally', async () => {
    await insert('a', null, '100%_*');
    const { contains } = database.dialect;
    const holds = async (part: string) =>
      (await database.get(`SELECT id FROM things WHERE ${contains('words', '$1')}`, [part])) !== undefined;
    assert.deepEqual(await Promise.all(['%_', '*', '0%', '1_', 'x', '100%_*'].map(holds)), [
      true,
      true,
      true,
      false,
      false,
      true,
    ]);
  });

  it('rolls back a transaction that throws, and no other', async () => {
    await insert('a');
    const failing = database.transaction(async (queries) => {
      await queries.run("INSERT INTO things (id) VALUES ('lost')");
      throw new Error('changed my mind');
    });
    const results = await Promise.allSettled([insert('a'), failing, insert('b')]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await ids(), ['a', 'b']);
  });

  it('commits all writes that it does not wait for, in their order, or none of them', async () => {
    const count = async () => (await database.get<{ count: number }>('SELECT count(*) AS count FROM things'))?.count;
    await database.transaction(async (queries) => {
      for (let number = 0; number < 1000; number += 1) {
        await queries.write('INSERT INTO things (id, number) VALUES ($1, $2)', [`w${number}`, number]);
      }
      await queries.write('UPDATE things SET number = number + 1');
      const sum = await queries.get<{ sum: number }>('SELECT sum(number) AS sum FROM things');
      assert.equal(Number(sum?.sum), 500_500);
    });
    assert.equal(await count(), 1000);
    const isUnique = /unique/i;
    const insertAgain = (queries: Queries) => queries.write("INSERT INTO things (id, number) VALUES ('w1', 1)");
    await assert.rejects(
      database.transaction(async (queries) => {
        await queries.write("INSERT INTO things (id, number) VALUES ('x', 1)");
        await insertAgain(queries);
      }),
      isUnique,
    );
    await assert.rejects(
      database.transaction(async (queries) => {
        await insertAgain(queries);
        await queries.all('SELECT id FROM things');
        await queries.write("INSERT INTO things (id, number) VALUES ('y', 1)");
      }),
      isUnique,
      'the reason, and not that of what came after it',
    );
    assert.equal(await count(), 1000);
  });

  it('takes the last steps of a transaction after everything else, as a part of it', async () => {
    const add = (id: string) => `INSERT INTO things (id, number) VALUES ('${id}', (SELECT count(*) FROM things))`;
    const numberOf = async (id: string) =>
      (await database.get<{ number: number }>('SELECT number FROM things WHERE id = $1', [id]))?.number;
    const value = await database.transaction(async (queries) => {
      await queries.beforeCommit(async () => {
        await queries.run(add('last'));
      });
      await queries.run(add('first'));
      return 'value';
    });
    assert.deepEqual([value, await numberOf('first'), await numberOf('last')], ['value', 0, 1]);
    const failing = (id: string) =>
      database.transaction(async (queries) => {
        await queries.run(add(id));
        await queries.beforeCommit(async () => {
          throw new Error('the last step fails');
        });
      });
    const others = ['c', 'd'].map((id) => insert(id));
    await assert.rejects(failing('a'), /the last step fails/);
    await Promise.all(others);
    await assert.rejects(failing('b'), /the last step fails/);
    assert.deepEqual(await ids(), ['c', 'd', 'first', 'last']);
  });

  it('reports at the end of each transaction whether it was committed', async () => {
    await insert('a');
    const reported: [string, boolean][] = [];
    const add = (id: string) =>
      database.transaction(async (queries) => {
        queries.atEnd((isCommitted) => void reported.push([id, isCommitted]));
        await queries.run('INSERT INTO things (id) VALUES ($1)', [id]);
      });
    const results = await Promise.allSettled(['b', 'a', 'c'].map(add));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await assert.rejects(add('a'));
    const expected = [
      ['a', false],
      ['a', false],
      ['b', true],
      ['c', true],
    ];
    assert.deepEqual(
      reported.sort(([one], [other]) => (one < other ? -1 : 1)),
      expected,
    );
  });

  it('never shows uncommitted data', async () => {
    let seenInside: unknown;
    let seenOutside: unknown;
    await database.transaction(async (queries) => {
      await queries.run("INSERT INTO things (id) VALUES ('a')");
      seenInside = await queries.get('SELECT id FROM things');
      seenOutside = await database.get('SELECT id FROM things');
    });
    assert.deepEqual({ ...(seenInside as object) }, { id: 'a' });
    assert.equal(seenOutside, undefined);
    assert.deepEqual(await ids(), ['a']);
  });

  it('executes a thousand concurrent writes correctly', async () => {
    await insert('counter', 0);
    await Promise.all(
      Array.from({ length: 1000 }, () =>
        database.run('UPDATE things SET number = number + 1 WHERE id = $1', ['counter']),
      ),
    );
    assert.equal((await database.get<{ number: number }>('SELECT number FROM things'))?.number, 1000);
  });

  it('shares its data with a second connection that writes concurrently', async () => {
    const other = open();
    await insert('counter', 0);
    const increments = (target: Database) =>
      Array.from({ length: 200 }, () => target.run("UPDATE things SET number = number + 1 WHERE id = 'counter'"));
    await Promise.all([...increments(database), ...increments(other)]);
    assert.equal((await other.get<{ number: number }>('SELECT number FROM things'))?.number, 400);
    await other.close();
  });

  it('knows of a commit by another connection before the next request can arrive', async () => {
    const other = open();
    for (const id of ['a', 'b', 'c']) {
      const before = database.externalVersion();
      await other.run('INSERT INTO things (id) VALUES ($1)', [id]);
      // A request that follows the commit arrives with a later poll of the event loop.
      await delay(1);
      assert.equal(database.externalVersion() === before, engine.name === 'postgres');
      // Its own commits do not count.
      const between = database.externalVersion();
      await insert(`own ${id}`);
      await delay(1);
      assert.equal(database.externalVersion(), between);
    }
    await other.close();
  });

  it('serializes exclusive work across connections', async () => {
    const others = [open(), open()];
    let inside = 0;
    let most = 0;
    const work = (target: Database) =>
      target.exclusive(async (queries) => {
        inside += 1;
        most = Math.max(most, inside);
        for (let count = 0; count < 5; count += 1) await queries.get('SELECT 1 AS one');
        inside -= 1;
      });
    await Promise.all([database, ...others].flatMap((target) => [work(target), work(target)]));
    assert.equal(most, 1);
    for (const other of others) await other.close();
  });

  it('completes queued writes before it closes', async () => {
    const other = open();
    const writes = Array.from({ length: 50 }, (_, index) =>
      other.run('INSERT INTO things (id) VALUES ($1)', [`late-${index}`]),
    );
    if (engine.name === 'sqlite') await Promise.all([...writes, other.close()]);
    else {
      await Promise.all(writes);
      await other.close();
    }
    assert.equal((await ids()).length, 50);
  });

  it('continues after an iteration in which one read failed and others did not', async () => {
    await insert('a');
    for (let round = 0; round < 3; round += 1) {
      const failing = async () => database.get('SELECT nonsense FROM nowhere');
      const results = await Promise.allSettled([ids(), failing(), ids()]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      assert.deepEqual(await ids(), ['a']);
    }
  });

  it('passes programming errors on unchanged', async () => {
    await assert.rejects(
      async () => database.get('SELECT nonsense FROM nowhere'),
      (error) => !(error instanceof AppError),
    );
    await assert.rejects(
      async () => database.run('INSERT INTO nowhere VALUES (1)'),
      (error) => !(error instanceof AppError),
    );
    assert.deepEqual(await ids(), []);
  });
});
