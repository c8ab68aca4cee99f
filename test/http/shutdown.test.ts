import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Drainable, drain, Lifecycle } from '../../src/http/shutdown.ts';

/** A server of which only the number of connections is known, some of which are WebSockets that stay. */
function createServer(connections: number, staying = 0) {
  const server = {
    connectionCount: connections,
    acceptedCount: connections,
    /** When sockets were closed, and which. */
    socketClosings: [] as ('now' | 'all')[],
    isListening: true,
    stopListening: () => {
      server.isListening = false;
    },
    closeSockets: (onlyNow: boolean) => {
      server.socketClosings.push(onlyNow ? 'now' : 'all');
      if (!onlyNow) server.connectionCount -= staying;
    },
    closeIdleFor: () => {
      if (staying === 0) server.connectionCount = 0;
    },
    closeRequests: () => {
      server.connectionCount = Math.min(server.connectionCount, staying);
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
    await drain(createServer(0), new Lifecycle(), { clock });
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
    await drain(server, lifecycle, { clock });
    assert.equal(clock.ms, 1000);
    assert.deepEqual([server.connectionCount, server.isListening, lifecycle.stage], [0, false, 'closing']);
  });

  it('waits for clients that open a connection per request', async () => {
    const server = createServer(0);
    const lifecycle = new Lifecycle();
    lifecycle.lastRequestAt = 0;
    const clock = createClock((ms) => assert.equal(server.isListening, ms <= 1000, `${ms} ms`));
    await drain(server, lifecycle, { clock });
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
    await drain(server, lifecycle, { clock });
    assert.equal(clock.ms, 8000);
    assert.equal(server.connectionCount, 0);
  });

  it('keeps WebSockets that stay for as long as it may, and requests no longer than without them', async () => {
    const server = createServer(3, 2);
    const clock = createClock((ms) => {
      if (ms < 8000) assert.equal(server.connectionCount, 3, `${ms} ms`);
      else if (ms > 8000 && ms < 60_000) assert.equal(server.connectionCount, 2, `${ms} ms`);
    });
    await drain(server, new Lifecycle(), { socketMs: 60_000, clock });
    assert.equal(clock.ms, 60_000);
    assert.deepEqual(server.socketClosings, ['now', 'all']);
    assert.equal(server.connectionCount, 0);
  });

  it('ends as soon as the last of them has ended', async () => {
    const server = createServer(1, 1);
    const clock = createClock((ms) => {
      if (ms >= 20_000) server.connectionCount = 0;
    });
    await drain(server, new Lifecycle(), { socketMs: 60_000, clock });
    assert.equal(clock.ms, 20_000);
    assert.deepEqual(server.socketClosings, ['now']);
  });

  it('closes them with the others if they have no time', async () => {
    const server = createServer(2, 2);
    const clock = createClock();
    await drain(server, new Lifecycle(), { clock });
    assert.equal(clock.ms, 1000);
    assert.deepEqual(server.socketClosings, ['all']);
  });
});
