import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { send } from '../../../support/client.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { newWorkspaceName, type Service, startService } from '../../../support/service.ts';
import { newChat, on, TestClock } from '../support.ts';
import { connect, joined, newWebCall, ongoing, refused, withResume, withToken } from './support.ts';

onEachEngine('the sockets of an API key', (engine) => {
  const clock = new TestClock();
  let one: Service;
  let other: Service;
  before(async () => {
    one = await startService(engine, { now: clock.now });
    other = await startService(engine, { now: clock.now, databaseUrl: one.databaseUrl });
  });
  after(async () => {
    await one.close();
    await other.close();
  });

  /** A web call on each process and a chat, all with tokens of one key; and another key of the workspace. */
  const openSockets = async () => {
    const workspace = newWorkspaceName();
    const creator = await one.newKey({ workspace });
    const { key: otherKey } = await one.newKey({ workspace });
    const here = await ongoing(one, creator.key);
    const there = await ongoing(other, creator.key);
    const { id, access } = await newChat(one, creator.key);
    const chat = await joined(connect(other, id, withToken(access.token)));
    await chat.start({ type: 'start' });
    return { creator, otherKey, here, there, chat };
  };

  it('are closed with 4401 on every process when it is revoked, and cannot be resumed', async () => {
    const { creator, otherKey, here, there, chat } = await openSockets();
    const spared = await ongoing(one, otherKey);
    const unused = await newWebCall(one, creator.key);
    const revoked = await send(one, 'DELETE', `/api/v1/api-keys/${creator.id}`, { key: otherKey });
    assert.equal(revoked.status, 200, revoked.text);
    assert.deepEqual(await Promise.all([here.client.closed, there.client.closed, chat.closed]), [4401, 4401, 4401]);
    assert.equal(await refused(connect(one, here.id, withResume(here.resumeKey))), '401 UNAUTHORIZED');
    assert.equal(await refused(connect(other, unused.id, withToken(unused.accessToken))), '401 UNAUTHORIZED');
    spared.client.send({ type: 'text', text: 'Still here?' });
    await spared.client.said('Still here?');
  });

  it('leave calls that go on with a token of another key', async () => {
    const { creator, otherKey, here } = await openSockets();
    await send(one, 'DELETE', `/api/v1/api-keys/${creator.id}`, { key: otherKey });
    assert.equal(await here.client.closed, 4401);
    const call = on(other, otherKey, here.id);
    assert.equal((await call.call()).status, 'ongoing');
    const { token } = (await call.token()).json;
    const again = await joined(connect(other, here.id, withToken(token)));
    await again.start();
    again.send({ type: 'text', text: 'Hello again' });
    await again.said('Hello again');
  });

  it('stay open during the grace period of a rotation, and are closed after it', async () => {
    const { creator, otherKey, here, there, chat } = await openSockets();
    const rotated = await send(one, 'POST', `/api/v1/api-keys/${creator.id}/rotate`, {
      key: otherKey,
      // Shorter than the lease of a call, which the other process would take over.
      body: { graceSeconds: 5 },
    });
    assert.equal(rotated.status, 201, rotated.text);
    for (const { client } of [here, there]) {
      client.send({ type: 'text', text: 'Hello' });
      await client.said('Hello');
    }
    clock.advance(6000);
    assert.deepEqual(await Promise.all([here.client.closed, there.client.closed, chat.closed]), [4401, 4401, 4401]);
  });
});
