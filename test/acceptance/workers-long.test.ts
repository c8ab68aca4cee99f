import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { minLifetimeMs } from '../../src/process/cluster.ts';
import { newChat, on } from '../areas/calls/support.ts';
import { createAgent, send, walk } from '../support/client.ts';
import { onEachEngine } from '../support/engines.ts';
import { createPipe } from '../support/pipe.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { storedKeyWarnings } from './stored-key-warnings.ts';

const key = 'a-key-for-this-suite-only';

function childrenOf({ child }: ServiceProcess): number[] {
  const text = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** A connection handed to a worker at the moment it is killed may get no response, so clients need a timeout. */
function orNoAnswer<T>(answer: Promise<T>): Promise<T> {
  const patience = AbortSignal.timeout(2000);
  const givenUp = new Promise<never>((_, reject) => {
    patience.addEventListener('abort', () => reject(new TypeError('no answer')));
  });
  return Promise.race([answer, givenUp]);
}

onEachEngine('several workers', (engine) => {
  it('serve one port, see each other’s acknowledged writes, count together, and stop together', async () => {
    const DATABASE_URL = await engine.newServiceUrl();
    const settings = { DATABASE_URL, BOOTSTRAP_API_KEY: key, WORKERS: '2', LOG_LEVEL: 'warn' };
    const service = await startProcess({ ...settings, RATE_LIMIT: '40/60s' });
    assert.equal(childrenOf(service).length, 2);
    assert.equal(storedKeyWarnings(service), engine.name === 'postgres' ? 1 : 0, 'one process warns for all of them');
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, index) => createAgent(service, key, { name: `${index}` })),
    );
    const found = await Promise.all(created.map(({ id }) => send(service, 'GET', `/api/v1/agents/${id}`, { key })));
    for (const answer of found) assert.equal(answer.status, 200);
    const over = await Promise.all(Array.from({ length: 20 }, () => send(service, 'GET', '/api/v1/whoami', { key })));
    assert.equal(over.filter(({ status }) => status === 429).length, 20, 'forty in total, and no more');
    const text = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(text, /http_requests_total\{route="agents\.create",method="POST",status="201"\} 20\n/);
    assert.match(text, /http_requests_total\{route="agents\.get",method="GET",status="200"\} 20\n/);
    const { code, afterMs } = await service.end('SIGTERM');
    assert.equal(code, 0);
    assert.ok(afterMs < 30_000);
  });

  // Without SQL.
  const itOnSqlite = engine.name === 'sqlite' ? it : it.skip;
  itOnSqlite('count the times of replies together', async () => {
    const DATABASE_URL = await engine.newServiceUrl();
    const settings = { DATABASE_URL, BOOTSTRAP_API_KEY: key, WORKERS: '2', LOG_LEVEL: 'warn' };
    const service = await startProcess(settings);
    const chats = await Promise.all(Array.from({ length: 12 }, () => newChat(service, key)));
    const replies = await Promise.all(chats.map(({ id }) => on(service, key, id).say('Hello')));
    for (const { status } of replies) assert.equal(status, 200);
    const text = await (await fetch(`${service.url}/metrics`)).text();
    for (const stage of ['e2e', 'llm_first_token', 'own']) {
      const labels = `type="chat",stage="${stage}"`;
      assert.match(text, new RegExp(`call_reply_duration_seconds_count\\{${labels}\\} 12\n`));
      assert.match(text, new RegExp(`call_reply_duration_seconds_bucket\\{le="\\+Inf",${labels}\\} 12\n`));
    }
    assert.equal((await service.end('SIGTERM')).code, 0);
  });

  it('are replaced when one is killed, and nothing acknowledged is lost, even if nobody reads the log', async (test) => {
    const DATABASE_URL = await engine.newServiceUrl();
    const pipe = createPipe();
    test.after(() => pipe.close());
    const settings = { DATABASE_URL, BOOTSTRAP_API_KEY: key, WORKERS: '2', LOG_LEVEL: 'info' };
    const service = await startProcess(settings, { stdout: pipe.descriptor });
    pipe.fill();
    // A worker that exits early makes the start fail.
    await delay(minLifetimeMs);
    const names = new Set<string>();
    const [victim] = childrenOf(service);
    let isOver = false;
    const writers = Array.from({ length: 4 }, async (_, number) => {
      for (let count = 0; !isOver; count += 1) {
        const name = `writer ${number} agent ${count}`;
        try {
          await orNoAnswer(createAgent(service, key, { name }));
          names.add(name);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
        }
      }
    });
    while (names.size < 30) await delay(5);
    process.kill(victim as number, 'SIGKILL');
    const goal = names.size + 60;
    while (names.size < goal) await delay(5);
    isOver = true;
    await Promise.all(writers);
    while (childrenOf(service).length < 2) await delay(20);
    assert.ok(!childrenOf(service).includes(victim as number));
    const stored = new Set((await walk(service, key, { limit: '200' })).flat().map(({ name }) => name));
    for (const name of names) assert.ok(stored.has(name), name);
    const { code, afterMs } = await service.end('SIGTERM');
    assert.equal(code, 0);
    assert.ok(afterMs < 30_000);
  });
});
