import assert from 'node:assert/strict';
import { it } from 'node:test';
import { send } from '../../../support/client.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { useService } from '../../../support/service.ts';
import { newChat, on } from '../support.ts';
import { connect, joined, ongoing, withToken } from './support.ts';

const perMinute = 120;

onEachEngine('messages over a socket', (engine) => {
  const service = useService(engine);

  /** Uses up the limit of the token, but for this many. */
  const leave = async (count: number, id: string, token: string): Promise<void> => {
    // One was the connection.
    for (let sent = 1; sent < perMinute - count; sent += 1) {
      const { status } = await send(service, 'GET', `/api/v1/calls/${id}/events?limit=1`, { key: token });
      assert.equal(status, 200);
    }
  };

  it('count towards the limit of the token, together with its requests; a chat stays open beyond it', async () => {
    const { key } = await service.newKey();
    const { id, access } = await newChat(service, key);
    const client = await joined(connect(service, id, withToken(access.token)));
    await client.start({ type: 'start' });
    await leave(2, id, access.token);
    for (const text of ['One', 'Two']) {
      client.send({ type: 'text', text });
      await client.said(text);
    }
    client.send({ type: 'text', text: 'Three' });
    const error = await client.next('error');
    assert.equal(error.code, 'rate_limited');
    assert.match(error.message, /^Rate limit exceeded for this access token\. Try again in \d+ s\.$/);
    const request = await send(service, 'GET', `/api/v1/calls/${id}/events?limit=1`, { key: access.token });
    assert.equal(request.status, 429);
    client.send({ type: 'end' });
    await client.next('ended');
    const turns = await on(service, key, id).turns();
    assert.deepEqual(
      turns.filter(({ role }) => role === 'caller').map(({ text }) => text),
      ['One', 'Two'],
    );
  });

  it('of a web call count, whether typed, pressed or recognized by the browser; the call goes on', async () => {
    const { key } = await service.newKey();
    const { client, id, accessToken, ...call } = await ongoing(service, key);
    await leave(3, id, accessToken);
    client.send({ type: 'dtmf', digits: '1' });
    client.send({ type: 'recognized', text: 'Hello', isFinal: true });
    client.send({ type: 'played', utterance: 77, samples: 1 });
    client.send({ type: 'recognized', text: 'Hel', isFinal: false });
    client.send({ type: 'text', text: 'One' });
    await client.said('1 One');
    client.send({ type: 'text', text: 'Two' });
    client.send({ type: 'end' });
    assert.equal((await client.next('error')).code, 'rate_limited');
    await client.next('ended');
    const turns = await call.turns();
    assert.ok(!turns.some(({ text }) => text === 'Two'), JSON.stringify(turns));
  });
});
