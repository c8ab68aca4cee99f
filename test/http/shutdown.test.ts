import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Drainable, drain, Lifecycle } from '../../src/http/shutdown.ts';

/** A server of which only the number of connections is known. */
function createServer(connections: number) {
  const server = {
    connectionCount: connections,
    acceptedCount: connections,
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

/** A clock that advances when it is waited for. `onTick` is called at every step. */
function createClock(onTick: (ms: number) => void = () => {}) {
  const clock = {
    ms: 0,
    now: () => clock.ms,
    delay: async (ms: number) => {
      clock.ms += ms;
      onTick(clock.ms);
    },
  };
  return clock;
}

describe('graceful shutdown', () => {
  it('ends immediately if no client is connected', async () => {
    const clock = createClock();
    await drain(createServer(0), new Lifecycle(), clock);
    assert.equal(clock.ms, 0);
  });

  it('keeps serving for a second if a client is connected, with only /readyz reporting it', async () => {
    const server = createServer(3);
    const lifecycle = new Lifecycle();
    const clock = createClock((ms) => {
      if (ms >= 1000) return;
      assert.deepEqual(
        [server.connectionCount, server.isListening, lifecycle.stage],
        [3, true, 'leaving'],
        `an idle connection may have a request on its way after ${ms} ms`,
      );
    });
    await drain(server, lifecycle, clock);
    assert.equal(clock.ms, 1000);
    assert.deepEqual([server.connectionCount, server.isListening, lifecycle.stage], [0, false, 'closing']);
  });

  it('waits for clients that open a connection per request', async () => {
    const server = createServer(0);
    const lifecycle = new Lifecycle();
    lifecycle.lastRequestAt = 0;
    const clock = createClock((ms) => assert.equal(server.isListening, ms <= 1000, `${ms} ms`));
    await drain(server, lifecycle, clock);
    assert.equal(clock.ms, 1000);
    assert.equal(server.isListening, false);
  });

  it('does not wait forever for clients that ignore it', async () => {
    const server = createServer(1);
    server.closeIdleFor = () => {};
    const lifecycle = new Lifecycle();
    const clock = createClock((ms) => {
      lifecycle.lastRequestAt = ms;
    });
    await drain(server, lifecycle, clock);
    assert.equal(clock.ms, 8000);
    assert.equal(server.connectionCount, 0);
  });
});
