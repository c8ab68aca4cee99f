import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sqliteEngine } from '../../../support/engines.ts';
import { startService, useService } from '../../../support/service.ts';
import { modelDouble } from '../support.ts';
import { newWebCall, ongoing } from './support.ts';

describe('controlling an ongoing web call', () => {
  const service = useService(sqliteEngine());
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  it('says something, which the caller reads and the transcript has', async () => {
    const { client, ...call } = await ongoing(service, key);
    const answer = await call.control({ action: 'say', text: 'A colleague joins.' });
    assert.equal(answer.status, 200, answer.text);
    await client.said('A colleague joins.');
    const events = await call.events();
    assert.equal(events.find(({ sequence }) => sequence === answer.json.sequence)?.type, 'control_applied');
    assert.deepEqual(
      (await call.turns()).map(({ role, source, text }) => [role, source, text]),
      [['agent', 'control', 'A colleague joins.']],
    );
    const repeated = { 'idempotency-key': 'k1' };
    await call.control({ action: 'say', text: 'Once.' }, repeated);
    const second = await call.control({ action: 'say', text: 'Once.' }, repeated);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal((await call.turns()).filter(({ text }) => text === 'Once.').length, 1);
  });

  it('interrupts a reply, mutes the agent, and lets it take a turn', async () => {
    const { client, ...call } = await ongoing(service, key, { model: 'test-slow' });
    client.send({ type: 'text', text: 'Hello' });
    await client.next('transcript');
    const responding = await call.control({ action: 'respond' });
    assert.deepEqual([responding.status, responding.json.error.details.reason], [409, 'reply_in_progress']);
    await call.control({ action: 'say', text: 'Wait.', interrupt: true });
    await client.said('Wait.');
    await call.control({ action: 'mute_agent' });
    client.send({ type: 'text', text: 'Anybody?' });
    await client.next('transcript', ({ role, text }) => role === 'caller' && text === 'Anybody?');
    await call.control({ action: 'unmute_agent' });
    const script = await ongoing(service, key, { model: 'test-script' });
    await script.control({ action: 'respond' });
    await script.client.said('Good morning.');
    assert.deepEqual(
      (await call.turns()).map(({ role, text }) => [role, text]),
      [
        ['caller', 'Hello'],
        ['agent', 'Wait.'],
        ['caller', 'Anybody?'],
      ],
    );
  });

  it('sets variables within their limits', async () => {
    const call = await ongoing(service, key);
    assert.equal((await call.control({ action: 'set_variables', variables: { seat: 12 } })).status, 200);
    assert.deepEqual((await call.call()).collectedVariables, { seat: 12 });
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`v${index}`, 1]));
    const tooMany = await call.control({ action: 'set_variables', variables: many });
    assert.deepEqual([tooMany.status, Object.keys(tooMany.json.error.details.fieldErrors)], [422, ['variables']]);
  });

  it('is refused for a recording that is not being made, for keys of a phone, and before the caller has joined', async () => {
    const call = await ongoing(service, key);
    for (const body of [
      { action: 'pause_recording' },
      { action: 'resume_recording' },
      { action: 'send_dtmf', digits: '1' },
    ]) {
      const answer = await call.control(body);
      assert.deepEqual([answer.status, Object.keys(answer.json.error.details.fieldErrors)], [422, ['action']]);
    }
    const waiting = await newWebCall(service, key);
    assert.equal((await waiting.control({ action: 'say', text: 'Hello' })).status, 409);
  });

  it('ends it, with everything that was said, and tells the caller', async () => {
    const { client, ...call } = await ongoing(service, key);
    client.send({ type: 'text', text: 'Hello' });
    await client.said('Hello');
    const answer = await call.end();
    assert.deepEqual([answer.status, answer.json.endReason, answer.json.endedBy], [200, 'api_end', 'api']);
    assert.equal((await client.next('ended')).reason, 'api_end');
    assert.equal(await client.closed, 1000);
    assert.equal((await call.turns()).length, 2);
    assert.equal((await call.end()).json.endReason, 'api_end');
  });

  it('ends it for its page, and not for a condition that does not hold', async () => {
    const { client, accessToken, ...call } = await ongoing(service, key);
    assert.equal((await call.end({ 'if-match': '"other"' })).status, 409);
    const response = await fetch(`${service.url}${call.path}/end`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}` },
    });
    assert.equal(((await response.json()) as { endReason: string }).endReason, 'caller_hangup');
    assert.equal((await client.next('ended')).reason, 'caller_hangup');
  });
});

describe('a web call with a model', () => {
  it('gives it the context that was added, and says the fallback sentence when it fails', async (test) => {
    const model = await modelDouble();
    const service = await startService(sqliteEngine(), { calls: { llm: model.llm } });
    test.after(() => service.close());
    const { key } = await service.newKey();
    const { client, ...call } = await ongoing(service, key, { model: 'gpt-5.4-mini' });
    await call.control({ action: 'add_context', text: 'The caller is a member.' });
    model.play({ text: 'Welcome back.' });
    client.send({ type: 'text', text: 'Hello' });
    await client.said('Welcome back.');
    assert.match(JSON.stringify(model.requests.at(-1)), /The caller is a member\./);
    model.play({ status: 400 });
    client.send({ type: 'text', text: 'What time is it?' });
    await client.said('Sorry, could you say that again?');
    client.send({ type: 'end' });
    await client.closed;
    assert.deepEqual(
      (await call.turns()).map(({ source }) => source),
      [null, 'engine', null, 'fallback'],
    );
  });
});
