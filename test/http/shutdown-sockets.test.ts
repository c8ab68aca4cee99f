import assert from 'node:assert/strict';
import { it } from 'node:test';
import { drain, Lifecycle } from '../../src/http/shutdown.ts';
import { connect, joined, ongoing, withResume, withToken } from '../areas/calls/live/support.ts';
import { newChat } from '../areas/calls/support.ts';
import { sqliteEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { startService } from '../support/service.ts';

const engine = sqliteEngine();
const calls = { live: { pollMs: 25 } } as const;

it('a web call goes on during a shutdown until it ends, while other connections are closed', async () => {
  const lifecycle = new Lifecycle();
  const service = await startService(engine, { lifecycle, calls });
  const { key } = await service.newKey();
  const chat = await newChat(service, key);
  const chatClient = await joined(connect(service, chat.id, withToken(chat.access.token)));
  await chatClient.start({ type: 'start' });
  const { client } = await ongoing(service, key, { model: 'test-script' });
  client.send({ type: 'text', text: 'One' });
  await client.said('Good morning.');

  let isDrained = false;
  const drained = drain(service.server, lifecycle, { socketMs: 60_000 }).then(() => {
    isDrained = true;
  });
  assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
  assert.equal(await chatClient.closed, 4503);
  await eventually(() => service.server.connectionCount === 1, 'the call is the last connection');
  client.send({ type: 'text', text: 'Two' });
  await client.said('Which day?');
  assert.equal(isDrained, false);
  client.send({ type: 'end' });
  assert.equal(await client.closed, 1000);
  await drained;
  await service.close();
});

it('a web call whose time is over during a shutdown is continued by another instance', async () => {
  const lifecycle = new Lifecycle();
  const one = await startService(engine, { lifecycle, calls });
  const other = await startService(engine, { databaseUrl: one.databaseUrl, calls });
  const { key } = await one.newKey();
  const call = await ongoing(one, key, { model: 'test-script' });
  call.client.send({ type: 'text', text: 'One' });
  await call.client.said('Good morning.');
  const start = performance.now();
  const stopped = drain(one.server, lifecycle, { socketMs: 3000 }).then(() => one.close());
  assert.equal(await call.client.closed, 4503);
  assert.ok(performance.now() - start >= 2900);
  await stopped;
  const client = await joined(connect(other, call.id, withResume(call.resumeKey)));
  await client.start();
  client.send({ type: 'text', text: 'Two' });
  await client.said('Which day?');
  client.send({ type: 'end' });
  await client.closed;
  await other.close();
});
