import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAgent, send, walk } from '../support/client.ts';
import { locationOf, onEachEngine } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { startService } from '../support/service.ts';

const key = 'a-key-for-this-suite-only';

onEachEngine('durability', (engine) => {
  it('keeps every acknowledged create after SIGKILL at any time', async (context) => {
    const DATABASE_URL = await engine.newServiceUrl();
    const acknowledged = new Set<string>();
    const sent = new Set<string>();
    const assertKept = async (service: { url: string }): Promise<void> => {
      const known = new Set((await walk(service, key, { limit: '200' })).flat().map(({ name }) => name));
      for (const name of acknowledged) assert.ok(known.has(name), `${name} was acknowledged and is gone`);
      for (const name of known) assert.ok(sent.has(name), `${name} was never sent`);
    };
    for (let round = 0; round < 2; round += 1) {
      const service = await startProcess({ DATABASE_URL, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'silent' });
      await assertKept(service);
      let isKilled = false;
      const writer = async (number: number) => {
        for (let count = 0; !isKilled; count += 1) {
          const name = `round ${round} writer ${number} agent ${count}`;
          sent.add(name);
          try {
            await createAgent(service, key, { name, prompt: 'x'.repeat(2000) });
            acknowledged.add(name);
          } catch (error) {
            // SIGKILL breaks connections; anything else is an error.
            if (!(error instanceof TypeError)) throw error;
          }
        }
      };
      const writers = Array.from({ length: 8 }, (_, number) => writer(number));
      const goal = acknowledged.size + 40 + 60 * round;
      while (acknowledged.size < goal) await delay(2);
      isKilled = true;
      await service.end('SIGKILL');
      await Promise.all(writers);
    }
    const last = await startService(engine, { databaseUrl: DATABASE_URL });
    context.after(() => last.close());
    await assertKept(last);
    const location = locationOf(DATABASE_URL);
    if (location.engine === 'sqlite') {
      const file = new DatabaseSync(location.file);
      assert.deepEqual({ ...file.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
      file.close();
    }
  });

  it('completes requests in progress at SIGTERM, closes the database, and exits with 0 in time', async (context) => {
    const DATABASE_URL = await engine.newServiceUrl();
    const service = await startProcess({ DATABASE_URL, BOOTSTRAP_API_KEY: key });
    const creating = Array.from({ length: 50 }, (_, index) => createAgent(service, key, { name: `agent ${index}` }));
    await Promise.race(creating);
    const { code, afterMs } = await service.end('SIGTERM');
    assert.equal(code, 0);
    assert.ok(afterMs < 30_000, `${afterMs} ms`);
    const settled = await Promise.allSettled(creating);
    const acknowledged = settled.filter(({ status }) => status === 'fulfilled').length;
    assert.match(service.output(), /"msg":"stopped"/);
    const again = await startService(engine, { databaseUrl: DATABASE_URL });
    context.after(() => again.close());
    const { json } = await send(again, 'GET', '/api/v1/agents?limit=200', { key });
    assert.ok(json.items.length >= acknowledged);
    assert.ok(acknowledged > 0);
  });
});
