import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseLocation } from '../../src/config.ts';
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';
import { createAgent, send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { holdWrites } from '../support/held-writes.ts';
import { RawClient } from '../support/raw-client.ts';
import { useService } from '../support/service.ts';
import { connectionsOn } from '../support/tcp-connections.ts';

const usual = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 72_000 };
/** A file whose writes never time out, however long a test locks it. */
const open = (location: DatabaseLocation) => openSqlite((location as { file: string }).file, () => 0);
const onLinux = { skip: process.platform === 'linux' ? false : 'reads /proc/net/tcp' };

const read = (path: string, key = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`;

function create(key: string): string {
  const body = JSON.stringify({ name: 'Reception', voiceId: 'v' });
  const head = `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
}

describe('the timeout for stalled writes', onLinux, () => {
  const writeMs = 3000;
  const service = useService(sqliteEngine(), { open, timeouts: { ...usual, writeMs } });
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
    for (let count = 0; count < 40; count += 1) await createAgent(service, key, { prompt: 'x'.repeat(200_000) });
  });
  const page = () => read('/api/v1/agents?limit=100', key);
  const stall = (): Socket => {
    const socket = connect(service.port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(page());
    return socket;
  };
  const untilOpen = async (count: number) => {
    while (connectionsOn(service.port) !== count) await delay(10);
  };
  const bytesOf = async (socket: Socket): Promise<number> => {
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
    return received;
  };

  it('disconnects a client that does not read, even if it keeps sending, and no other', async () => {
    // Without the connections that `send` keeps alive.
    const others = connectionsOn(service.port);
    const held = holdWrites(service);
    const [slow, idle] = await Promise.all([RawClient.open(service.port), RawClient.open(service.port)]);
    idle.write(read('/healthz'));
    await idle.receive(1);
    slow.write(create(key));
    const stalled = [stall(), stall(), stall()];
    await untilOpen(others + 5);
    while (connectionsOn(service.port) > others + 2) {
      stalled[0]?.write(read('/healthz'));
      await delay(20);
    }
    for (const socket of stalled) assert.ok((await bytesOf(socket.resume())) < 8_000_000, 'the response is cut off');
    held.release();
    assert.equal((await slow.receive(1))[0]?.status, 201, 'a slow handler writes nothing, and is awaited');
    idle.write(read('/healthz'));
    assert.equal((await idle.receive(2)).length, 2, 'an idle connection is kept');
    for (const client of [slow, idle]) client.destroy();
    await untilOpen(others);
  });

  it('does not disconnect a client that reads slowly', async () => {
    const { headers } = await send(service, 'GET', '/api/v1/agents?limit=100', { key });
    const length = Number(headers.get('content-length'));
    const socket = stall();
    let received = 0;
    const start = performance.now();
    // At a fixed rate, so that on a busy machine it makes up for the time in which it could not run.
    const durationMs = 1.5 * writeMs;
    for await (const chunk of socket) {
      received += (chunk as Buffer).length;
      if (received >= length) break;
      await delay(Math.max(0, start + (received / length) * durationMs - performance.now()));
    }
    assert.ok(received >= length, `${received} of ${length} bytes`);
    assert.ok(performance.now() - start > writeMs, 'it took longer than the timeout');
  });
});
