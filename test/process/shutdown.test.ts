import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Drainable, drain, Lifecycle } from '../../src/process/shutdown.ts';

/** Connections of which nothing but their number is known. */
function createServer(connections: number) {
  const server = {
    connectionCount: connections,
    isListening: true,
    stopListening: () => {
      server.isListening = false;
    },
    closeIdleFor: () => {
      server.connectionCount = 0;
    },
    closeAll: () => {
      server.connectionCount = 0;
    },
  };
  return server satisfies Drainable;
}

async function timeOf(work: Promise<void>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}

describe('a service that leaves', () => {
  it('is gone at once where nobody is connected', async () => {
    assert.ok((await timeOf(drain(createServer(0), new Lifecycle()))) < 500);
  });

  it('goes on as before for a second where somebody is, and says so to nobody but readyz', async () => {
    const server = createServer(3);
    const lifecycle = new Lifecycle();
    const leaving = drain(server, lifecycle);
    await delay(700);
    assert.deepEqual(
      [server.connectionCount, server.isListening, lifecycle.stage],
      [3, true, 'leaving'],
      'an idle connection may have a request on its way',
    );
    assert.ok((await timeOf(leaving)) < 3000);
    assert.deepEqual([server.connectionCount, server.isListening, lifecycle.stage], [0, false, 'closing']);
  });

  it('waits for those who come and go with each request', async () => {
    const server = createServer(0);
    const lifecycle = new Lifecycle();
    lifecycle.lastRequestAt = performance.now();
    const leaving = drain(server, lifecycle);
    await delay(700);
    assert.ok(server.isListening);
    await leaving;
  });

  it('does not wait for ever for those who do not listen', async () => {
    const server = createServer(1);
    const lifecycle = new Lifecycle();
    const asking = setInterval(() => {
      lifecycle.lastRequestAt = performance.now();
    }, 10);
    assert.ok((await timeOf(drain(server, lifecycle))) < 8500);
    clearInterval(asking);
    assert.equal(server.connectionCount, 0);
  });
});
