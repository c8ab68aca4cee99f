import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAgent, send, walk } from '../support/client.ts';
import { onEachEngine } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { startService } from '../support/service.ts';

const key = 'a-key-for-this-suite-only';

onEachEngine('retries across crashes and instances', (engine) => {
  it('have one effect each, however often the process is killed between effect and response', async () => {
    const DATABASE_URL = await engine.newServiceUrl();
    const settings = { DATABASE_URL, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'silent' };
    let service = await startProcess(settings);
    const { id: target } = await createAgent(service, key, { name: 'target' });
    const answers = new Map<string, string>();
    const pending = Array.from({ length: 100 }, (_, number) => ({ number, repeatKey: randomUUID() }));
    for (let round = 0; pending.length > 0; round += 1) {
      let answered = 0;
      let isKilled = false;
      const client = async () => {
        while (pending.length > 0 && !isKilled) {
          const job = pending.shift() as (typeof pending)[number];
          const isCopy = job.number % 2 === 0;
          const path = isCopy ? `/api/v1/agents/${target}/duplicate` : '/api/v1/agents';
          const body = { name: `agent ${job.number}`, ...(isCopy ? {} : { voiceId: 'v' }) };
          try {
            const answer = await send(service, 'POST', path, {
              key,
              body,
              headers: { 'idempotency-key': job.repeatKey },
            });
            assert.equal(answer.status, 201, answer.text);
            const before = answers.get(job.repeatKey);
            if (before !== undefined) assert.equal(answer.text, before);
            answers.set(job.repeatKey, answer.text);
            answered += 1;
            // Occasionally repeats a completed request later, like a client that lost the response.
            if (job.number % 7 === 0 && before === undefined) pending.push(job);
          } catch (error) {
            if (!(error instanceof TypeError)) throw error;
            pending.push(job);
          }
        }
      };
      const clients = Array.from({ length: 8 }, client);
      while (answered < 40 && pending.length > 8) await delay(2);
      if (pending.length > 8) {
        isKilled = true;
        await service.end('SIGKILL');
        await Promise.all(clients);
        service = await startProcess(settings);
      } else await Promise.all(clients);
      assert.ok(round < 50);
    }
    const names = (await walk(service, key, { limit: '200' })).flat().map(({ name }) => name);
    assert.equal(names.length, 101);
    assert.equal(new Set(names).size, 101);
    await service.end('SIGKILL');
  });

  it('lose no update if two processes change one agent with If-Match', async (context) => {
    const DATABASE_URL = await engine.newServiceUrl();
    const settings = { DATABASE_URL, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'silent' };
    const one = await startProcess(settings);
    // The other process is that of this test.
    const two = await startService(engine, { databaseUrl: DATABASE_URL });
    context.after(() => two.close());
    const { id } = await createAgent(one, key, { agentSettings: { counter: 0 } });
    const path = `/api/v1/agents/${id}`;
    const client = async (service: { url: string }) => {
      for (let done = 0; done < 25; ) {
        const read = await send(service, 'GET', path, { key });
        const answer = await send(service, 'PATCH', path, {
          key,
          headers: { 'if-match': read.headers.get('etag') as string },
          body: { agentSettings: { counter: read.json.agentSettings.counter + 1 } },
        });
        if (answer.status === 200) done += 1;
        else assert.equal(answer.status, 409, answer.text);
      }
    };
    await Promise.all([one, two, one, two].map(client));
    assert.equal((await send(one, 'GET', path, { key })).json.agentSettings.counter, 100);
    await one.end('SIGKILL');
  });
});
