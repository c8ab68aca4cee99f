import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { Lifecycle } from '../../src/http/shutdown.ts';
import { send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { createProbes, pageOfIds } from './probes/area.ts';

const path = '/api/v1/probes/prb_1/watch';

describe('a read that waits', () => {
  const engine = sqliteEngine();
  let service: Service;
  let lifecycle: Lifecycle;
  let key: string;
  /** Wakes all that wait. */
  let wake = (): void => {};
  let waiting = 0;
  let aborted = 0;

  const start = async (options: Parameters<typeof startService>[1] = {}): Promise<void> => {
    const woken = Promise.withResolvers<void>();
    wake = woken.resolve;
    waiting = 0;
    aborted = 0;
    lifecycle = new Lifecycle();
    service = await startService(engine, {
      lifecycle,
      otherAreas: () => [
        createProbes({
          'probes.watch': async ({ query, nextPage, startWaiting }) => {
            if (query.waitSeconds === 0) return nextPage(pageOfIds(['at once'], null));
            const signal = startWaiting();
            const stopped = new Promise<void>((resolve) => {
              if (signal.aborted) resolve();
              signal.addEventListener('abort', () => resolve(), { once: true });
            });
            waiting += 1;
            await Promise.race([stopped, woken.promise]);
            waiting -= 1;
            if (signal.aborted) aborted += 1;
            return nextPage(pageOfIds([], 'later'));
          },
        }),
      ],
      ...options,
    });
    key = (await service.newKey()).key;
  };
  afterEach(() => service.close());

  const watch = () => send(service, 'GET', `${path}?waitSeconds=25`, { key });
  const watchOnSocket = async (): Promise<Socket> => {
    const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
    const before = waiting;
    socket.write(`GET ${path}?waitSeconds=25 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
    await eventually(() => waiting === before + 1);
    return socket;
  };

  it('does not hold up any other request, however many wait', async () => {
    await start();
    const held = Array.from({ length: 300 }, watch);
    await eventually(() => waiting === 300);
    for (let count = 0; count < 20; count += 1) {
      assert.equal((await send(service, 'GET', path, { key })).status, 200);
      assert.equal((await send(service, 'POST', '/api/v1/probes', { key })).status, 201);
    }
    wake();
    for (const { status, json } of await Promise.all(held)) {
      assert.equal(status, 200);
      assert.deepEqual(json.items, []);
      assert.equal(typeof json.pagination.nextCursor, 'string');
    }
    assert.equal(aborted, 0);
  });

  it('is not cut off by the timeouts of the connection', async () => {
    await start({ timeouts: { headersMs: 500, requestMs: 500, writeMs: 500, keepAliveMs: 500 } });
    const held = watch();
    await eventually(() => waiting === 1);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    assert.equal(waiting, 1);
    wake();
    assert.equal((await held).status, 200);
  });

  it('is answered immediately when the service starts to shut down', async () => {
    await start();
    const held = [watch(), watch(), watch()];
    await eventually(() => waiting === 3);
    lifecycle.stage = 'leaving';
    const answers = await Promise.all(held);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(aborted, 3);
  });

  it('waits again while the service is about to shut down, and is answered when it closes', async () => {
    await start();
    lifecycle.stage = 'leaving';
    const held = watch();
    await eventually(() => waiting === 1);
    lifecycle.stage = 'closing';
    const answer = await held;
    assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close']);
    const late = await watch();
    assert.deepEqual([late.status, late.headers.get('connection')], [200, 'close']);
  });

  it('stops when its client disconnects', async () => {
    await start();
    const socket = await watchOnSocket();
    socket.resetAndDestroy();
    await eventually(() => aborted === 1);
  });

  it('stops when its client closes its side of the connection, which still gets a response', async () => {
    await start();
    const socket = await watchOnSocket();
    socket.end();
    await eventually(() => aborted === 1);
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.match(text, /^HTTP\/1\.1 200 OK/);
  });

  it('leaves nothing behind on a connection that is used again', async (test) => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    test.after(() => process.off('warning', note));
    await start();
    const socket = connect(service.port, '127.0.0.1');
    wake();
    for (let count = 0; count < 15; count += 1) {
      socket.write(`GET ${path}?waitSeconds=25 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
      await once(socket, 'data');
    }
    socket.destroy();
    assert.equal(aborted, 0);
    // Node reports more than ten listeners as a leak.
    assert.deepEqual(warnings, []);
  });

  it('is counted, but its duration is in no latency statistics', async () => {
    await start();
    wake();
    await watch();
    await send(service, 'GET', path, { key });
    const text = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(text, /^http_requests_total\{route="probes\.watch",method="GET",status="200"\} 2$/m);
    assert.match(text, /^http_request_duration_seconds_count\{route="probes\.watch"\} 1$/m);
    const lines = service.log.filter(({ route }) => route === 'probes.watch');
    assert.equal(lines.length, 2);
  });

  it('takes the wait as no filter: each page may wait for as long as it likes', async () => {
    await start();
    wake();
    const { nextCursor } = (await watch()).json.pagination;
    const next = await send(service, 'GET', `${path}?cursor=${nextCursor}&waitSeconds=3`, { key });
    assert.equal(next.status, 200);
    const none = await send(service, 'GET', `${path}?cursor=${nextCursor}`, { key });
    assert.deepEqual(none.json.items, [{ id: 'at once' }]);
    assert.equal((await send(service, 'GET', `${path}?waitSeconds=26`, { key })).status, 400);
  });
});
