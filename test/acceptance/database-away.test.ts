import assert from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { createAgent, send } from '../support/client.ts';
import { postgresEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess } from '../support/process.ts';

const key = 'a-key-for-this-suite-only';

/** A proxy to PostgreSQL that can be interrupted and restored, like a server that goes down and comes back. */
function createWay(target: URL) {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const open = async (): Promise<void> => {
    port ||= await freePort();
    server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          client.destroy();
          upstream.destroy();
        });
      }
      client.pipe(upstream).pipe(client);
    });
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
  };
  /** Rejects the first connection, and resolves when that has happened. */
  const refuseOnce = (): Promise<void> =>
    new Promise((resolve) => {
      const door = createServer((client) => {
        client.destroy();
        door.close(() => resolve());
      });
      door.listen(port, '127.0.0.1');
    });
  const cut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server?.close(resolve));
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await closed;
  };
  const url = () => {
    const address = new URL(target);
    address.port = String(port);
    return address.href;
  };
  return { open, refuseOnce, cut, url };
}

describe('an unreachable PostgreSQL', () => {
  const engine = postgresEngine();

  it('causes 503 with Retry-After, also for /readyz, and is used again when it is back, without a restart', async () => {
    const way = createWay(new URL(await engine.newServiceUrl()));
    await way.open();
    const service = await startProcess({ DATABASE_URL: way.url(), BOOTSTRAP_API_KEY: key });
    const { id } = await createAgent(service, key);
    await way.cut();
    for (let round = 0; round < 3; round += 1) {
      const answers = [
        await send(service, 'GET', `/api/v1/agents/${id}`, { key }),
        await send(service, 'GET', '/api/v1/agents', { key }),
        await send(service, 'POST', '/api/v1/agents', { key, body: { name: 'a', voiceId: 'v' } }),
        await send(service, 'GET', '/readyz'),
      ];
      for (const answer of answers) {
        assert.equal(answer.status, 503, answer.text);
        assert.equal(answer.json.error.code, 'SERVICE_UNAVAILABLE');
        assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      }
      assert.equal((await send(service, 'GET', '/healthz')).status, 200);
    }
    await way.open();
    assert.equal((await send(service, 'GET', '/readyz')).status, 200);
    assert.equal((await send(service, 'GET', `/api/v1/agents/${id}`, { key })).status, 200);
    await createAgent(service, key);
    assert.equal((await send(service, 'GET', '/api/v1/agents', { key })).json.items.length, 2);
    assert.equal((await service.end('SIGTERM')).code, 0);
    await way.cut();
  });

  it('is waited for at startup', async () => {
    const way = createWay(new URL(await engine.newServiceUrl()));
    await way.open();
    await way.cut();
    const refused = way.refuseOnce();
    const starting = startProcess({ DATABASE_URL: way.url(), BOOTSTRAP_API_KEY: key });
    await refused;
    await way.open();
    const service = await starting;
    await eventually(() => service.output().includes('waiting for the database'), 'the line in the log');
    await createAgent(service, key);
    assert.equal((await service.end('SIGTERM')).code, 0);
    await way.cut();
  });
});
