import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf, sqliteEngine } from '../support/engines.ts';

describe('a long batch of writes in the background on SQLite', () => {
  const engine = sqliteEngine();

  it('lets everything else run in between, which does not see it before its commit', async () => {
    const database = openDatabase(locationOf(await engine.newDatabaseUrl()), () => {});
    await database.run('CREATE TABLE things (number INTEGER)');
    let committed = 0;
    const writes = Array.from({ length: 40 }, (_, number) =>
      database
        .transaction(
          async (queries) => {
            const start = performance.now();
            while (performance.now() - start < 1);
            await queries.run('INSERT INTO things VALUES ($1)', [number]);
          },
          { isBackground: true },
        )
        .then(() => {
          committed += 1;
        }),
    );
    const seen: { readonly committed: number; readonly visible: number }[] = [];
    while (committed < writes.length) {
      const row = await database.get<{ visible: number }>('SELECT count(*) AS visible FROM things');
      seen.push({ committed, visible: row?.visible ?? 0 });
      await new Promise(setImmediate);
    }
    await Promise.all(writes);
    await database.close();
    assert.ok(seen.length >= 10, `other work ran ${seen.length} times`);
    assert.deepEqual(
      seen.filter(({ committed, visible }) => committed !== visible),
      [],
    );
  });
});

describe('a process that always has something to write to a SQLite file', () => {
  const engine = sqliteEngine();

  it('leaves the file to others in between, which do not wait for long', async (t) => {
    const location = locationOf(await engine.newDatabaseUrl());
    const database = openDatabase(location, () => {});
    await database.run('CREATE TABLE things (writer TEXT)');
    const busy = fork(fileURLToPath(new URL('busy-writer.ts', import.meta.url)), [JSON.stringify(location)]);
    t.after(() => busy.kill('SIGKILL'));
    await once(busy, 'message');
    const ofOther = async (): Promise<number> => {
      const sql = "SELECT count(*) AS count FROM things WHERE writer = 'busy'";
      return Number((await database.get<{ count: number }>(sql))?.count);
    };
    const untilMore = async (than: number): Promise<number> => {
      for (;;) {
        const count = await ofOther();
        if (count > than + 60) return count;
        await delay(5);
      }
    };
    const meanwhile: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      const before = await untilMore(await ofOther());
      await database.run("INSERT INTO things VALUES ('waiting')");
      meanwhile.push((await ofOther()) - before);
    }
    await database.close();
    meanwhile.sort((one, two) => one - two);
    // A turn is 50 ms, and each write takes a millisecond. Without turns, half of the writes wait for a thousand others.
    assert.ok((meanwhile[3] as number) < 250, `writes of the other during each: ${meanwhile.join(', ')}`);
  });
});
