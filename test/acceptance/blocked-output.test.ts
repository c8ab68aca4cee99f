import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { maxPendingBytes } from '../../src/process/logging.ts';
import { send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { createPipe } from '../support/pipe.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const key = 'a-key-for-this-suite-only';
/** If a client was connected, a stop takes a second or two. One that is stuck takes as long as requests may: eight. */
const maxStopMs = 7500;

/** Pipelines requests on one connection; each writes a log line of more than 300 bytes. */
async function sendMany({ port }: ServiceProcess, count: number): Promise<void> {
  const requestWith = (fields: string) =>
    `GET /api/v1/whoami HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\nx-request-id: ${'x'.repeat(128)}\r\n${fields}\r\n`;
  const socket = connect(port, '127.0.0.1');
  socket.resume();
  socket.write(requestWith('').repeat(count - 1));
  socket.end(requestWith('connection: close\r\n'));
  await once(socket, 'close');
}

async function metricOf({ url }: ServiceProcess, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

async function assertStops(service: ServiceProcess): Promise<void> {
  const { code, afterMs } = await service.end('SIGTERM');
  assert.equal(code, 0);
  assert.ok(afterMs < maxStopMs, `took ${afterMs} ms`);
}

describe('standard output', { concurrency: true }, () => {
  const engine = sqliteEngine();
  const pipe = createPipe();
  after(() => pipe.close());

  it('may be blocked: the service responds, drops and counts log lines, and stops as usual', async () => {
    const DATABASE_URL = await engine.newServiceUrl();
    const service = await startProcess({ DATABASE_URL, BOOTSTRAP_API_KEY: key }, { stdout: pipe.descriptor });
    const count = Math.ceil((maxPendingBytes + 256 * 1024) / 300);
    await sendMany(service, count);
    assert.equal((await send(service, 'GET', '/api/v1/whoami', { key })).status, 200);
    const dropped = await metricOf(service, 'log_lines_dropped_total');
    assert.ok(dropped > 0 && dropped < count, `${dropped} of ${count}`);
    await assertStops(service);
  });

  it('may be closed, as by `voice-agents serve | head -1`: the service reports it once and keeps running', async () => {
    const DATABASE_URL = await engine.newServiceUrl();
    const service = await startProcess({ DATABASE_URL, BOOTSTRAP_API_KEY: key });
    const before = service.output().length;
    service.child.stdout?.destroy();
    const said = once(service.child.stderr as Readable, 'data');
    await sendMany(service, 100);
    await said;
    await sendMany(service, 100);
    assert.ok((await metricOf(service, 'log_lines_dropped_total')) >= 100);
    await assertStops(service);
    assert.equal(
      service.output().slice(before),
      'Standard output is closed. The service keeps running without a log.\n',
    );
  });
});
