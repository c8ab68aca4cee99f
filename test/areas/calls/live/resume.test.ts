import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CallTime } from '../../../support/call-time.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { useService } from '../../../support/service.ts';
import { eventually } from '../support.ts';
import { spokenCall } from './caller.ts';
import { connect, joined, ongoing, refused, withResume } from './support.ts';

describe('a lost connection', () => {
  const service = useService(sqliteEngine());
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  it('is resumed with its key, once, and the conversation goes on', async () => {
    const { id, client, resumeKey, ...call } = await ongoing(service, key, { model: 'test-script' });
    client.send({ type: 'text', text: 'One' });
    await client.said('Good morning.');
    await client.drop();
    assert.equal((await call.call()).status, 'ongoing');
    const second = await joined(connect(service, id, withResume(resumeKey)));
    const ready = await second.start();
    assert.notEqual(ready.resumeKey, resumeKey);
    second.send({ type: 'text', text: 'Two' });
    await second.said('Which day?');
    await second.drop();
    assert.equal(await refused(connect(service, id, withResume(resumeKey))), '401 UNAUTHORIZED');
    const third = await joined(connect(service, id, withResume(ready.resumeKey)));
    await third.start();
    third.send({ type: 'text', text: 'Three' });
    await third.said('Goodbye.');
    third.send({ type: 'text', text: 'Four' });
    assert.equal((await third.next('ended')).reason, 'agent_hangup');
    const ended = await call.call();
    assert.equal(ended.usage.breakdown[0]?.requests, 4);
    assert.equal((await call.turns()).length, 7);
  });

  it('is resumed with the same key if the client has not got the next one', async () => {
    const { id, client, resumeKey } = await ongoing(service, key, { model: 'test-script' });
    await client.drop();
    // The response to the upgrade is lost, and then `ready`.
    await (await joined(connect(service, id, withResume(resumeKey)))).drop();
    const third = await joined(connect(service, id, withResume(resumeKey)));
    await third.start();
    await third.drop();
    const fourth = await joined(connect(service, id, withResume(resumeKey)));
    const ready = await fourth.start();
    fourth.send({ type: 'text', text: 'One' });
    await fourth.said('Good morning.');
    await fourth.drop();
    assert.equal(await refused(connect(service, id, withResume(resumeKey))), '401 UNAUTHORIZED');
    const fifth = await joined(connect(service, id, withResume(ready.resumeKey)));
    await fifth.start();
    fifth.send({ type: 'end' });
    await fifth.closed;
  });

  it('learns who speaks now', async () => {
    const { id, client, caller, resumeKey } = await spokenCall(service, key);
    await caller.say('');
    await client.next('state', ({ floor }) => floor === 'caller');
    await client.drop();
    const second = await joined(connect(service, id, withResume(resumeKey)));
    await second.start();
    // What the caller was saying may end before or after the page is back.
    await second.next('state', ({ floor }) => floor === 'none');
    second.send({ type: 'end' });
    await second.closed;
  });

  it('that is still open is taken over by the one that resumes it', async () => {
    const { id, client, resumeKey } = await ongoing(service, key);
    const second = await joined(connect(service, id, withResume(resumeKey)));
    assert.equal(await client.closed, 4409);
    await second.start();
    second.send({ type: 'text', text: 'Hello' });
    await second.said('Hello');
  });

  it('is not resumed with a key of another call, or one that was not issued', async () => {
    const one = await ongoing(service, key);
    const other = await ongoing(service, key);
    assert.equal(await refused(connect(service, one.id, withResume(other.resumeKey))), '404 NOT_FOUND');
    const changed = `${one.resumeKey.startsWith('A') ? 'B' : 'A'}${one.resumeKey.slice(1)}`;
    for (const forged of [changed, 'abc', one.accessToken.replaceAll('.', '_')]) {
      assert.equal(await refused(connect(service, one.id, withResume(forged))), '401 UNAUTHORIZED');
    }
  });

  it('is not resumed when the call is over', async () => {
    const { id, client, resumeKey, ...call } = await ongoing(service, key);
    await client.drop();
    await call.end();
    assert.equal(await refused(connect(service, id, withResume(resumeKey))), '409 STATE_CONFLICT');
  });

  it('gets the reply to what was said before', async () => {
    const { id, client, resumeKey } = await ongoing(service, key, { model: 'test-slow' });
    client.send({ type: 'text', text: 'Are you there?' });
    await client.next('transcript');
    await client.drop();
    const second = await joined(connect(service, id, withResume(resumeKey)));
    await second.start();
    await second.said('Are you there?');
  });
});

describe('a connection that is not resumed', () => {
  const clock = new CallTime();
  const service = useService(sqliteEngine(), { calls: { clock, concurrency: 1 } });

  it('ends the call as caller_disconnected, and frees its slot', async () => {
    const { key } = await service.newKey();
    const { client, ...call } = await ongoing(service, key);
    await client.drop();
    clock.speed = 20;
    const ended = await eventually(async () => {
      const found = await call.call();
      return found.status === 'ended' && found;
    });
    clock.speed = 1;
    assert.deepEqual([ended.endReason, ended.endedBy], ['caller_disconnected', 'caller']);
    await ongoing(service, key);
  });
});
