import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { sqliteEngine } from '../support/engines.ts';
import { RawClient } from '../support/raw-client.ts';
import { useService } from '../support/service.ts';

const clients = 100;
/** Four megabytes if it is not compressed, of which the kernel takes more than half at once. */
const page = '/docs/js/scalar.js';

describe('public pages', () => {
  const service = useService(sqliteEngine());
  const sent = () => service.log.filter(({ route }) => route === 'docs').length;

  it('are sent to many clients over several iterations of the event loop, and health checks do not wait for them', async () => {
    const open = async () => {
      const client = await RawClient.open(service.port);
      // Once there is a response, the service has accepted the connection.
      client.write(`HEAD ${page} HTTP/1.1\r\nHost: x\r\n\r\n`);
      while (client.text === '') await once(client.socket, 'data');
      return client;
    };
    const visitors = await Promise.all(Array.from({ length: clients }, open));
    const probe = await open();
    const before = sent();
    for (const visitor of visitors) {
      visitor.socket.pause();
      visitor.write(`GET ${page} HTTP/1.1\r\nHost: x\r\n\r\n`);
    }
    probe.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const perIteration: number[] = [];
    let sentAtHealth: number | null = null;
    for (let total = 0; total < clients; ) {
      await nextIteration();
      perIteration.push(sent() - before - total);
      total = sent() - before;
      if (sentAtHealth === null && service.log.some(({ route }) => route === 'healthz')) sentAtHealth = total;
    }
    assert.ok(Math.max(...perIteration) < clients / 2, `${perIteration} in each iteration`);
    assert.ok(sentAtHealth !== null && sentAtHealth < clients / 2, `health after ${sentAtHealth} pages`);
    for (const client of [...visitors, probe]) client.destroy();
  });
});
