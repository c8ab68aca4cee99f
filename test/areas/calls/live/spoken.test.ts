import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sqliteEngine } from '../../../support/engines.ts';
import { useService } from '../../../support/service.ts';
import { eventually, quickTime, said, useModelService } from '../support.ts';
import { spokenCall } from './caller.ts';

const ten = 'One two three. Four five six seven. Eight nine ten.';

describe('a spoken web call', { concurrency: true }, () => {
  const service = useService(sqliteEngine());
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  it('greets, listens and answers, and says how it went', async () => {
    const agent = { beginMessage: 'Good morning.' };
    const { client, caller, ready, ...call } = await spokenCall(service, key, { agent });
    assert.deepEqual(ready.capabilities, { speechIn: true, speechOut: true, recording: false });
    await client.said('Good morning.');
    assert.deepEqual(caller.words(1), ['Good', 'morning']);
    await caller.say('hello', 'there');
    await client.said('hello there');
    assert.deepEqual(caller.words(2), ['hello', 'there']);
    assert.deepEqual(caller.player, ['speech 1', 'speech 2']);
    client.send({ type: 'end' });
    assert.equal((await client.next('ended')).reason, 'caller_hangup');
    const turns = await call.turns();
    assert.deepEqual(said(turns), [
      ['agent', 'Good morning.'],
      ['caller', 'hello there'],
      ['agent', 'hello there'],
    ]);
    assert.deepEqual(
      turns[1]?.words.map(({ text }) => text),
      ['hello', 'there'],
    );
    const { usage, latency, conversation, notApplied } = await call.call();
    assert.equal(usage.stt.provider, 'test');
    assert.ok(usage.stt.audioMs >= 400);
    assert.deepEqual(usage.tts, { provider: 'test', characters: 'Good morning.hello there'.length });
    assert.deepEqual(
      usage.breakdown.map(({ capability, provider, requests }) => [capability, provider, requests]),
      [
        ['llm', 'test', 1],
        ['stt', 'test', 1],
        ['tts', 'test', 2],
      ],
    );
    assert.deepEqual([latency?.turns, latency?.e2eMs?.count, latency?.endpointingMs?.count], [2, 1, 1]);
    assert.ok((latency?.endpointingMs?.min ?? 0) >= 250);
    assert.notEqual(conversation?.firstWordMs, null);
    assert.deepEqual(notApplied, []);
    const events = await call.events();
    const [started = 0, ended = 0] = events.flatMap(({ data }) =>
      'atMs' in data && data.role === 'caller' ? [data.atMs] : [],
    );
    assert.ok(Math.abs((conversation?.callerSpeechMs ?? 0) - (ended - started)) <= 1);
    const types = events.map(({ type, data }) => `${type} ${'role' in data ? data.role : ''}`);
    assert.ok(types.includes('speech_started caller') && types.includes('speech_ended agent'), types.join());
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /call_reply_duration_seconds_count\{[^}]*type="web"[^}]*\} \d/);
  });

  it('is interrupted: the transcript has what was heard', async () => {
    const agent = { prompt: ten };
    const options = { model: 'test-script', agent, plays: 'when told' } as const;
    const { client, caller, ...call } = await spokenCall(service, key, options);
    await caller.say('go');
    await caller.play(1, 4);
    await caller.soundUntil(client.next('pause'));
    await caller.say('wait', 'please', 'stop');
    await client.next('clear');
    assert.deepEqual(caller.player.slice(0, 3), ['speech 1', 'pause 1', 'clear 1']);
    await caller.play(2, 10);
    await client.said(ten);
    client.send({ type: 'end' });
    await client.closed;
    const turns = await call.turns();
    assert.deepEqual(said(turns), [
      ['caller', 'go'],
      ['agent', 'One two three. Four'],
      ['caller', 'wait please stop'],
      ['agent', ten],
    ]);
    assert.deepEqual([turns[1]?.interrupted, turns[1]?.unspokenText], [true, ' five six seven. Eight nine ten.']);
    const types = (await call.events()).map(({ type }) => type);
    assert.ok(types.includes('agent_interrupted'));
    const { conversation } = await call.call();
    assert.deepEqual([conversation?.callerInterruptions, conversation?.falseInterruptions], [1, 0]);
  });

  it('pauses at a cough, and goes on', async () => {
    const options = { model: 'test-script', agent: { prompt: ten }, plays: 'when told' } as const;
    const { client, caller, ...call } = await spokenCall(service, key, options);
    await caller.say('go');
    await caller.play(1, 2);
    await caller.soundUntil(client.next('pause'));
    await client.next('resume');
    assert.deepEqual(caller.player, ['speech 1', 'pause 1', 'resume 1']);
    await caller.play(1, 10);
    await client.said(ten);
    client.send({ type: 'end' });
    await client.closed;
    assert.deepEqual(said(await call.turns()), [
      ['caller', 'go'],
      ['agent', ten],
    ]);
    assert.equal((await call.call()).conversation?.falseInterruptions, 1);
  });

  it('is not interrupted at sensitivity 0, and answers afterwards', async () => {
    const agent = { beginMessage: ten, interruptionSensitivity: 0 };
    const { client, caller, ...call } = await spokenCall(service, key, { agent, plays: 'when told' });
    await caller.play(1, 2);
    await caller.say('hold', 'on');
    await caller.play(1, 10);
    await client.said(ten);
    await caller.play(2, 2);
    await client.said('hold on');
    assert.deepEqual(caller.player, ['speech 1', 'speech 2']);
    client.send({ type: 'end' });
    await client.closed;
    assert.deepEqual(said(await call.turns()), [
      ['agent', ten],
      ['caller', 'hold on'],
      ['agent', 'hold on'],
    ]);
  });

  it('says what the API wants, and nothing while it is muted', async () => {
    const { client, caller, ...call } = await spokenCall(service, key);
    assert.equal((await call.control({ action: 'say', text: 'A short note.' })).status, 200);
    await client.said('A short note.');
    assert.deepEqual(caller.words(1), ['A', 'short', 'note']);
    await call.control({ action: 'mute_agent' });
    await caller.say('anybody', 'there');
    await client.next('event', ({ event }) => event.type === 'turn_completed' && event.data.turn.role === 'caller');
    await call.control({ action: 'unmute_agent' });
    await caller.say('hello');
    await client.said('hello');
    client.send({ type: 'end' });
    await client.closed;
    assert.deepEqual(said(await call.turns()), [
      ['agent', 'A short note.'],
      ['caller', 'anybody there'],
      ['caller', 'hello'],
      ['agent', 'hello'],
    ]);
  });

  it('takes typed words, and stores nothing that it may not', async () => {
    const agent = { dataStorageSetting: 'everything_except_pii' };
    const { client, caller, ...call } = await spokenCall(service, key, { agent });
    await caller.say('mail', 'me', 'at', 'jo@example.com');
    await client.said('mail me at jo@example.com');
    client.send({ type: 'text', text: 'or call' });
    await client.said('or call');
    client.send({ type: 'end' });
    await client.closed;
    const turns = await call.turns();
    assert.deepEqual(said(turns).slice(0, 2), [
      ['caller', 'mail me at [EMAIL]'],
      ['agent', 'mail me at [EMAIL]'],
    ]);
    assert.doesNotMatch(JSON.stringify([turns, await call.events()]), /jo@example/);
    const strict = await spokenCall(service, key, { agent: { dataStorageSetting: 'basic_attributes_only' } });
    await strict.caller.say('a', 'secret');
    await strict.client.said('a secret');
    strict.client.send({ type: 'end' });
    await strict.client.closed;
    const { transcriptStatus, conversation, latency } = await strict.call();
    assert.equal(transcriptStatus, 'not_stored');
    assert.ok((conversation?.callerSpeechMs ?? 0) > 0);
    assert.equal(latency?.e2eMs?.count, 1);
    assert.doesNotMatch(JSON.stringify(await strict.events()), /secret/);
  });

  it('is written if there is nothing that speaks the language', async () => {
    const agent = { sttProvider: 'auto', ttsProvider: 'auto', beginMessage: 'Welcome.' };
    const { client, ready, ...call } = await spokenCall(service, key, { agent });
    assert.deepEqual(ready.capabilities, { speechIn: false, speechOut: false, recording: false });
    await client.said('Welcome.');
    client.send({ type: 'end' });
    await client.closed;
    const { notApplied } = await call.call();
    assert.deepEqual(notApplied, [
      { field: 'sttProvider', reason: 'provider_not_configured' },
      { field: 'ttsProvider', reason: 'provider_not_configured' },
    ]);
  });

  it('takes what the caller’s browser has recognized, if the agent says so', async () => {
    const { client, caller, ...call } = await spokenCall(service, key, { agent: { sttProvider: 'browser' } });
    client.send({ type: 'recognized', text: 'from the', isFinal: false });
    client.send({ type: 'recognized', text: 'from the page', isFinal: true });
    await client.said('from the page');
    assert.deepEqual(caller.words(1), ['from', 'the', 'page']);
    client.send({ type: 'end' });
    await client.closed;
    assert.equal((await call.turns())[0]?.text, 'from the page');
    const other = await spokenCall(service, key);
    other.client.send({ type: 'recognized', text: 'not trusted', isFinal: true });
    await other.caller.say('hello');
    await other.client.said('hello');
  });
});

describe('a silent caller', () => {
  const service = useService(sqliteEngine(), { calls: { clock: quickTime() } });

  it('is reminded, and the call ends', async () => {
    const { key } = await service.newKey();
    const agent = { reminderTriggerMs: 4000, reminderMaxCount: 1, endCallAfterSilenceMs: 10_000 };
    const { client, ...call } = await spokenCall(service, key, { agent });
    await client.said('Are you still there?');
    assert.equal((await client.next('ended')).reason, 'silence_timeout');
    const ended = await call.call();
    assert.deepEqual([ended.endReason, ended.conversation?.reminders], ['silence_timeout', 1]);
  });
});

describe('a tool of a spoken call', () => {
  const { service, model } = useModelService(sqliteEngine());

  it('runs while the agent says its sentence', async () => {
    const { key } = await service.newKey();
    const seats = {
      name: 'pick_seat',
      description: 'Lets the caller pick a seat on the page.',
      parameters: { type: 'object', properties: {} },
      where: 'client',
      say: 'Let me look.',
    };
    const { client, caller, ...call } = await spokenCall(service, key, {
      model: 'gpt-5.4-mini',
      agent: { agentSettings: { tools: [seats] } },
    });
    model.play({ tools: [{ name: 'pick_seat', arguments: '{}' }] }, { text: 'Seat twelve.' });
    await caller.say('a', 'seat');
    // On a busy machine, the sentence may be over before the page is asked.
    const called = await eventually(async () => client.frames.find(({ type }) => type === 'tool_call'));
    await client.said('Let me look.');
    client.send({ type: 'tool_result', toolCallId: called.toolCallId, result: 12 });
    await client.said('Seat twelve.');
    client.send({ type: 'end' });
    await client.closed;
    const turns = await call.turns();
    assert.deepEqual(
      turns.map(({ role, source, text }) => [role, source, text]),
      [
        ['caller', null, 'a seat'],
        ['tool', null, ''],
        ['agent', 'waiting', 'Let me look.'],
        ['agent', 'engine', 'Seat twelve.'],
      ],
    );
  });
});
