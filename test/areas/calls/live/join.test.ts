import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sqliteEngine } from '../../../support/engines.ts';
import { useService } from '../../../support/service.ts';
import { eventually, newChat, on, quickSweep, TestClock } from '../support.ts';
import { audioStart, connect, joined, newWebCall, ongoing, refused, withResume, withToken } from './support.ts';

describe('joining a call over its socket', () => {
  const clock = new TestClock();
  const service = useService(sqliteEngine(), { now: clock.now, calls: quickSweep });
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  it('connects a web call, in which typing works without any speech', async () => {
    const { client, ready, ...call } = await ongoing(service, key);
    assert.deepEqual(ready.capabilities, { speechIn: false, speechOut: false, recording: false });
    assert.deepEqual([ready.callId, ready.language], [call.id, 'en']);
    assert.match(String(ready.resumeKey), /^[A-Za-z0-9_-]+$/);
    client.send({ type: 'text', text: 'Hello' });
    assert.equal((await client.next('transcript')).role, 'caller');
    await client.said('Hello');
    const found = await call.call();
    assert.equal(found.status, 'ongoing');
    assert.ok(found.startedAt);
    const fields = found.notApplied.map(({ field }) => field);
    assert.ok(fields.includes('sttProvider') && fields.includes('ttsProvider'), fields.join());
    client.send({ type: 'end' });
    assert.equal((await client.next('ended')).reason, 'caller_hangup');
    assert.equal(await client.closed, 1000);
    const ended = await call.call();
    assert.deepEqual([ended.status, ended.endReason, ended.endedBy], ['ended', 'caller_hangup', 'caller']);
    assert.equal(ended.transcriptStatus, 'available');
    assert.equal(ended.conversation?.reminders, 0);
    assert.equal(ended.latency?.turns, 1);
    assert.deepEqual(
      (await call.turns()).map(({ role, text, index }) => [index, role, text]),
      [
        [0, 'caller', 'Hello'],
        [1, 'agent', 'Hello'],
      ],
    );
    const sequences = (await call.events()).map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      [...sequences.keys()].map((index) => index + 1),
    );
  });

  it('stores nothing that the storage setting does not keep, not even while the call is open', async () => {
    const agent = { dataStorageSetting: 'everything_except_pii' };
    const { client, ...call } = await ongoing(service, key, { agent });
    client.send({ type: 'text', text: 'Write to jane@example.com' });
    await client.said('Write to jane@example.com');
    await eventually(async () => (await call.turns()).length === 2);
    const turns = (await call.turns()).map(({ text }) => text);
    assert.deepEqual(turns, ['Write to [EMAIL]', 'Write to [EMAIL]']);
    const row = await service.database.get<{ state: string | null }>('SELECT state FROM calls WHERE id = $1', [
      call.id,
    ]);
    assert.equal(row?.state, null);
    const sent = JSON.stringify(client.frames.filter(({ type }) => type === 'event'));
    assert.ok(sent.includes('[EMAIL]') && !sent.includes('jane'), sent);
    client.send({ type: 'end' });
    await client.closed;
  });

  it('sends the events that a token may see, in order, up to the end', async () => {
    const { client, ...call } = await ongoing(service, key);
    client.send({ type: 'text', text: 'Hello' });
    await client.said('Hello');
    client.send({ type: 'end' });
    await client.next('ended');
    const sent = client.frames.filter(({ type }) => type === 'event').map(({ event }) => event);
    const all = await call.events();
    const isVisible = ({ sequence }: { sequence: number }) => sequence > 1;
    assert.deepEqual(sent, all.filter(isVisible));
    assert.equal(sent.at(-1)?.type, 'state_changed');
  });

  it('is refused without the subprotocols, with a wrong token, or with two', async () => {
    const { id, accessToken: token } = await newWebCall(service, key);
    assert.equal(await refused(connect(service, id, [`token.${token}`])), '400 VALIDATION_ERROR');
    assert.equal(await refused(connect(service, id, ['voice-agents.v1'])), '401 UNAUTHORIZED');
    assert.equal(await refused(connect(service, id, withToken(`${token}x`))), '401 UNAUTHORIZED');
    assert.equal(await refused(connect(service, id, withToken('vat_x'))), '401 UNAUTHORIZED');
    const both = [...withToken(token), 'resume.abc'];
    assert.equal(await refused(connect(service, id, both)), '401 UNAUTHORIZED');
  });

  it('is refused with 404 for another call, an unknown one and a malformed id, and with 401 for an API key', async () => {
    const { accessToken: token } = await newWebCall(service, key);
    const other = await newWebCall(service, key);
    const { key: foreignKey } = await service.newKey();
    const foreign = await newWebCall(service, foreignKey);
    for (const id of [other.id, foreign.id, 'call_01m7f8np1p0000f5kznwj47tan9zt2', 'nonsense']) {
      assert.equal(await refused(connect(service, id, withToken(token))), '404 NOT_FOUND');
    }
    assert.equal(await refused(connect(service, other.id, withToken(key))), '401 UNAUTHORIZED');
  });

  it('is refused with an expired token, one that a newer has replaced, and one of a revoked key', async () => {
    const {
      id,
      accessToken: token,
      ...call
    } = await newWebCall(service, key, { call: { token: { expiresInSeconds: 30 } } });
    const { json: newer } = await call.token({ expiresInSeconds: 600 });
    assert.equal(await refused(connect(service, id, withToken(token))), '401 UNAUTHORIZED');
    const made = await service.newKey();
    const revoked = await newWebCall(service, made.key);
    await service.database.transaction((queries) => service.keys.revoke(queries, made));
    clock.advance(31_000);
    assert.equal(await refused(connect(service, revoked.id, withToken(revoked.accessToken))), '401 UNAUTHORIZED');
    const client = await joined(connect(service, id, withToken(newer.token)));
    await client.drop();
  });

  it('is refused to pages of other origins, also when they resume', async () => {
    const token = { allowedOrigins: ['https://shop.example.com'] };
    const call = await newWebCall(service, key, { call: { token } });
    const from = (origin?: string) => connect(service, call.id, withToken(call.accessToken), origin ? { origin } : {});
    assert.equal(await refused(from('https://evil.example.com')), '401 UNAUTHORIZED');
    assert.equal(await refused(from()), '401 UNAUTHORIZED');
    const client = await joined(from('https://shop.example.com'));
    const { resumeKey } = await client.start();
    await client.drop();
    assert.equal(await refused(connect(service, call.id, withResume(resumeKey))), '401 UNAUTHORIZED');
  });

  it('uses up the token', async () => {
    const { id, accessToken: token, client } = await ongoing(service, key);
    assert.equal(await refused(connect(service, id, withToken(token))), '401 UNAUTHORIZED');
    await client.drop();
    assert.equal(await refused(connect(service, id, withToken(token))), '401 UNAUTHORIZED');
  });

  it('with two clients at the same time lets one of them in', async () => {
    const { id, accessToken: token } = await newWebCall(service, key);
    const both = [connect(service, id, withToken(token)), connect(service, id, withToken(token))];
    const results = await Promise.all(both);
    assert.deepEqual(results.map((result) => ('status' in result ? result.status : 101)).sort(), [101, 401]);
  });

  it('is refused with 409 when the call is over', async () => {
    const { id, client, accessToken: token, ...call } = await ongoing(service, key);
    const { json: newer } = await call.token();
    client.send({ type: 'end' });
    await client.closed;
    assert.equal(await refused(connect(service, id, withToken(token))), '409 STATE_CONFLICT');
    assert.equal(await refused(connect(service, id, withToken(newer.token))), '401 UNAUTHORIZED');
    const unused = await newWebCall(service, key);
    await unused.end();
    assert.equal(await refused(connect(service, unused.id, withToken(unused.accessToken))), '409 STATE_CONFLICT');
  });

  it('with a newer token takes over the call, and the conversation goes on', async () => {
    const { id, client, resumeKey, ...call } = await ongoing(service, key, { model: 'test-script' });
    client.send({ type: 'text', text: 'One' });
    await client.said('Good morning.');
    const { json: newer } = await call.token();
    const second = await joined(connect(service, id, withToken(newer.token)));
    assert.equal(await client.closed, 4409);
    await second.start();
    second.send({ type: 'text', text: 'Two' });
    assert.equal((await second.said('Which day?')).turn, 3);
    assert.equal(await refused(connect(service, id, withResume(resumeKey))), '401 UNAUTHORIZED');
    second.send({ type: 'end' });
    await second.closed;
  });

  it('counts as an open socket and as a voice call in the metrics', async () => {
    const metrics = async () => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
      return [value('live_sockets_open'), value('voice_calls_ongoing')];
    };
    const [sockets = 0, calls = 0] = await metrics();
    const { client } = await ongoing(service, key);
    assert.deepEqual(await metrics(), [sockets + 1, calls + 1]);
    client.send({ type: 'end' });
    await client.closed;
    await eventually(async () => (await metrics()).join() === [sockets, calls].join());
  });
});

describe('joining a call that waits for its time', () => {
  const clock = new TestClock();
  const service = useService(sqliteEngine(), { now: clock.now, calls: quickSweep });

  it('is not possible while the call is queued, and is when its time has come', async (test) => {
    clock.hold(test);
    const { key } = await service.newKey();
    const startAt = new Date(clock.now() + 60_000).toISOString();
    const { id, created, ...call } = await newWebCall(service, key, { call: { startAt } });
    assert.deepEqual([created.status, created.access], ['queued', null]);
    const early = await call.token();
    assert.deepEqual([early.status, early.json.error.details.status], [409, 'queued']);
    clock.advance(60_001);
    await eventually(async () => (await call.call()).status === 'registered');
    const { json } = await call.token();
    const client = await joined(connect(service, id, withToken(json.token)));
    await client.start();
    client.send({ type: 'text', text: 'Hello' });
    await client.said('Hello');
    client.send({ type: 'end' });
    assert.equal(await client.closed, 1000);
  });
});

describe('a chat over its socket', () => {
  const service = useService(sqliteEngine());
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  const start = { type: 'start' };
  const join = async (options: Parameters<typeof newChat>[2] = {}) => {
    const chat = await newChat(service, key, options);
    const client = await joined(connect(service, chat.id, withToken(chat.access.token)));
    return { client, ...on(service, key, chat.id), ready: await client.start(start) };
  };

  it('takes text frames as messages, and replies with the transcript', async () => {
    const { client, ready, ...chat } = await join({ agent: { beginMessage: 'Welcome.' } });
    assert.deepEqual(ready.capabilities, { speechIn: false, speechOut: false, recording: false });
    client.send({ type: 'text' });
    await client.said('Welcome.');
    client.send({ type: 'text', text: 'Hello' });
    assert.equal((await client.said('Hello')).turn, 2);
    assert.equal((await chat.call()).status, 'ongoing');
    client.send({ type: 'end' });
    assert.equal((await client.next('ended')).reason, 'caller_hangup');
    assert.equal(await client.closed, 1000);
    assert.equal((await chat.call()).endReason, 'caller_hangup');
  });

  it('refuses a message while it replies, and reports a reply that fails', async () => {
    const slow = await join({ model: 'test-slow' });
    slow.client.send({ type: 'text', text: 'One' });
    slow.client.send({ type: 'text', text: 'Two' });
    assert.equal((await slow.client.next('error')).code, 'reply_in_progress');
    await slow.client.said('One');
    const failing = await join({ model: 'test-fail' });
    failing.client.send({ type: 'text', text: 'One' });
    assert.equal((await failing.client.next('error')).code, 'reply_failed');
  });

  it('refuses audio, frames of a web call, and the formats of one', async () => {
    const { client } = await join();
    client.send(Buffer.alloc(640));
    assert.equal((await client.next('error')).code, 'bad_frame');
    assert.equal(await client.closed, 4400);
    const { client: second } = await join();
    second.send({ type: 'dtmf', digits: '1' });
    assert.equal(await second.closed, 4400);
    const chat = await newChat(service, key);
    const third = await joined(connect(service, chat.id, withToken(chat.access.token)));
    third.send(audioStart);
    assert.equal(await third.closed, 4400);
  });

  it('does not end with its socket, and can be resumed', async () => {
    const { client, ready, ...chat } = await join();
    client.send({ type: 'text', text: 'Hello' });
    await client.said('Hello');
    await client.drop();
    assert.equal((await chat.call()).status, 'ongoing');
    const again = await joined(connect(service, chat.id, withResume(ready.resumeKey)));
    await again.start(start);
    again.send({ type: 'text', text: 'Still there?' });
    await again.said('Still there?');
    const { json: newer } = await chat.token();
    const page = await joined(connect(service, chat.id, withToken(newer.token)));
    assert.equal(await again.closed, 4409);
    assert.equal(await refused(connect(service, chat.id, withResume(ready.resumeKey))), '401 UNAUTHORIZED');
    await page.start(start);
  });

  it('learns that the API has ended it', async () => {
    const { client, ...chat } = await join();
    client.send({ type: 'text', text: 'Hello' });
    await client.said('Hello');
    await chat.end();
    assert.equal((await client.next('ended')).reason, 'api_end');
    assert.equal(await client.closed, 1000);
  });
});
