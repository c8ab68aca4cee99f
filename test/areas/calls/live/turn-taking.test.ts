import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sqliteEngine } from '../../../support/engines.ts';
import { useService } from '../../../support/service.ts';
import { eventually, quickTime, said, useModelService } from '../support.ts';
import { type SpokenOptions, spokenCall, wordSamples } from './caller.ts';

const ten = 'One two three. Four five six seven. Eight nine ten.';
const flow = {
  skills: [
    { id: 'notice', type: 'say', text: 'This call is recorded today.', interruptible: false, next: 'side' },
    {
      id: 'side',
      type: 'choose',
      text: 'North or south side.',
      routes: [{ when: ['north'], next: 'done' }],
      otherwise: 'done',
    },
    { id: 'done', type: 'end', text: 'Thank you very much.' },
  ],
};
const flowAgent = { responseEngineType: 'conversation_flow', beginMessage: undefined, agentSettings: { flow } };

type Spoken = Awaited<ReturnType<typeof spokenCall>>;

async function hangUp({ client }: Pick<Spoken, 'client'>): Promise<void> {
  client.send({ type: 'end' });
  assert.equal((await client.next('ended')).reason, 'caller_hangup');
}

/** The rules of taking turns, through the socket. Those that are not here are in spoken.test.ts. */
describe('taking turns in a web call', { concurrency: true }, () => {
  const service = useService(sqliteEngine());
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  const call = (options: SpokenOptions = {}) => spokenCall(service, key, options);
  const script = { model: 'test-script', agent: { prompt: ten }, plays: 'when told' } as const;

  it('1: a cough after the caller’s words changes nothing', async () => {
    const { client, caller, ...rest } = await call();
    await caller.say('table', 'please');
    await caller.say('');
    await client.said('table please');
    await hangUp({ client });
    assert.deepEqual(said(await rest.turns()), [
      ['caller', 'table please'],
      ['agent', 'table please'],
    ]);
  });

  it('4: what is reported after clear and for other utterances is ignored', async () => {
    const { client, caller, ...rest } = await call(script);
    await caller.say('go');
    await caller.play(1, 2);
    await caller.say('wait', 'please', 'stop');
    await client.next('clear');
    await client.said('One two');
    for (const [utterance, words] of [
      [1, 10],
      [2, 0],
      [77, 3],
    ] as const) {
      client.send({ type: 'played', utterance, samples: words * wordSamples });
    }
    await caller.play(2, 10);
    await client.said(ten);
    await hangUp({ client });
    assert.deepEqual(said(await rest.turns()), [
      ['caller', 'go'],
      ['agent', 'One two'],
      ['caller', 'wait please stop'],
      ['agent', ten],
    ]);
  });

  it('7 and 8: what is said while the agent thinks belongs to the same turn, which is answered once', async () => {
    const { client, caller, ...rest } = await call({ model: 'test-slow' });
    await caller.say('one', 'table');
    await client.next('state', ({ floor }) => floor === 'none');
    await caller.say('for', 'two');
    await client.next('transcript', ({ isFinal, role }) => isFinal && role === 'agent');
    await hangUp({ client });
    assert.deepEqual(said(await rest.turns()), [
      ['caller', 'one table for two'],
      ['agent', 'one table for two'],
    ]);
    assert.deepEqual(caller.player, ['speech 1']);
    assert.equal((await rest.call()).usage.breakdown[0]?.requests, 2);
  });

  it('11: a sentence of a flow that cannot be interrupted is not, and what was said over it is answered', async () => {
    const { client, caller, ...rest } = await call({ agent: flowAgent, plays: 'when told' });
    await caller.play(1, 2);
    await caller.say('north', 'side', 'please');
    await caller.play(1, 9);
    await client.said('This call is recorded today. North or south side.');
    await eventually(async () => (await rest.skill()) === 'side');
    await caller.play(2, 4);
    assert.equal((await client.next('ended')).reason, 'agent_hangup');
    assert.deepEqual(caller.player, ['speech 1', 'speech 2']);
    const turns = await rest.turns();
    assert.deepEqual(said(turns), [
      ['agent', 'This call is recorded today. North or south side.'],
      ['caller', 'north side please'],
      ['agent', 'Thank you very much.'],
    ]);
    assert.equal(turns[0]?.interrupted, false);
  });

  it('11: the sentence after it can be interrupted', async () => {
    const { client, caller, ...rest } = await call({ agent: flowAgent, plays: 'when told' });
    await caller.play(1, 6);
    await caller.say('north', 'side', 'please');
    await client.next('clear');
    assert.deepEqual(caller.player.slice(0, 3), ['speech 1', 'pause 1', 'clear 1']);
    await caller.play(2, 4);
    assert.equal((await client.next('ended')).reason, 'agent_hangup');
    const turns = await rest.turns();
    assert.deepEqual(said(turns), [
      ['agent', 'This call is recorded today. North'],
      ['caller', 'north side please'],
      ['agent', 'Thank you very much.'],
    ]);
    assert.deepEqual([turns[0]?.interrupted, turns[0]?.unspokenText], [true, ' or south side.']);
  });

  it('15: steady noise does not keep the caller from being answered', async () => {
    const { client, caller, ...rest } = await call();
    const saying = caller.say('hello', 'there', ...Array.from({ length: 25 }, () => ''));
    let isOver = false;
    void saying.then(() => {
      isOver = true;
    });
    await client.next('speech');
    assert.equal(isOver, false, 'the sound goes on');
    await saying;
    await hangUp({ client });
    assert.equal((await rest.turns())[0]?.text, 'hello there');
  });

  it('an acknowledgment does not take the floor, and is no turn', async () => {
    const { client, caller, ...rest } = await call({ ...script, plays: 'in real time' });
    await caller.say('go');
    await caller.heard(2);
    await caller.say('yeah', '');
    await client.said(ten);
    await hangUp({ client });
    assert.deepEqual(said(await rest.turns()), [
      ['caller', 'go'],
      ['agent', ten],
    ]);
    assert.deepEqual(caller.player, ['speech 1', 'pause 1', 'resume 1']);
  });

  it('typed words interrupt at once, and cancel the opening', async () => {
    const { client, caller, ...rest } = await call({ agent: { beginMessage: ten }, plays: 'when told' });
    await caller.play(1, 4);
    client.send({ type: 'text', text: 'stop' });
    await client.next('clear');
    await caller.play(2, 1);
    await client.said('stop');
    const early = await call({ agent: { beginMessage: ten, beginMessageDelayMs: 3000 } });
    early.client.send({ type: 'text', text: 'me first' });
    await early.client.said('me first');
    await hangUp({ client });
    await hangUp(early);
    assert.deepEqual(said(await rest.turns()), [
      ['agent', 'One two three. Four'],
      ['caller', 'stop'],
      ['agent', 'stop'],
    ]);
    assert.deepEqual(said(await early.turns()), [
      ['caller', 'me first'],
      ['agent', 'me first'],
    ]);
    assert.deepEqual(caller.player, ['speech 1', 'clear 1', 'speech 2']);
  });

  it('an acknowledgment in the last second is the caller’s answer', async () => {
    const { client, caller, ...rest } = await call({ agent: { beginMessage: ten }, plays: 'when told' });
    await caller.play(1, 8);
    await caller.say('yeah');
    await caller.soundUntil(client.next('pause'));
    await client.next('resume');
    await caller.play(1, 10);
    await client.said(ten);
    await caller.play(2, 1);
    await client.said('yeah');
    await hangUp({ client });
    assert.deepEqual(said(await rest.turns()), [
      ['agent', ten],
      ['caller', 'yeah'],
      ['agent', 'yeah'],
    ]);
  });
});

describe('a web call whose time passes quickly', { concurrency: true }, () => {
  const service = useService(sqliteEngine(), { calls: { clock: quickTime() } });

  it('3: goes on if the page plays nothing, with a warning', async () => {
    const { key } = await service.newKey();
    const agent = { beginMessage: ten, endCallAfterSilenceMs: 600_000 };
    const { client, caller, ...rest } = await spokenCall(service, key, { agent, plays: 'when told' });
    const { event } = await client.next('event', ({ event }) => event.type === 'warning');
    assert.equal(event.data.code, 'playback_stalled');
    client.send({ type: 'text', text: 'hello' });
    await caller.play(2, 1);
    await client.said('hello');
    await hangUp({ client });
    assert.deepEqual(said(await rest.turns()), [
      ['caller', 'hello'],
      ['agent', 'hello'],
    ]);
  });

  it('14: ends at its maximum duration', async () => {
    const { key } = await service.newKey();
    const { client, ...rest } = await spokenCall(service, key, { agent: { maxCallDurationMs: 60_000 } });
    assert.equal((await client.next('ended')).reason, 'max_duration');
    assert.equal(await client.closed, 1000);
    assert.equal((await rest.call()).endReason, 'max_duration');
  });
});

describe('a web call with a model that calls tools', () => {
  const { service, model } = useModelService(sqliteEngine());
  const tool = {
    name: 'pick_seat',
    description: 'Lets the caller pick a seat on the page.',
    parameters: { type: 'object', properties: {} },
    where: 'client',
  };

  it('16: says the waiting sentence once while a tool runs, and 10: its result is kept whatever is said', async () => {
    const { key } = await service.newKey();
    const options = { model: 'gpt-5.4-mini', agent: { agentSettings: { tools: [tool] } } };
    const { client, caller, ...rest } = await spokenCall(service, key, options);
    model.play({ tools: [{ name: 'pick_seat', arguments: '{}' }] }, { text: 'Seat twelve.' });
    await caller.say('a', 'seat');
    const called = await eventually(async () => client.frames.find(({ type }) => type === 'tool_call'));
    await client.said('One moment, please.');
    await caller.say('');
    client.send({ type: 'tool_result', toolCallId: called.toolCallId, result: 12 });
    await client.said('Seat twelve.');
    await hangUp({ client });
    const turns = await rest.turns();
    assert.deepEqual(
      turns.map(({ role, source, text }) => [role, source, text]),
      [
        ['caller', null, 'a seat'],
        ['tool', null, ''],
        ['agent', 'waiting', 'One moment, please.'],
        ['agent', 'engine', 'Seat twelve.'],
      ],
    );
    assert.equal(turns[1]?.toolCall?.result, 12);
    assert.equal((await rest.call()).conversation?.waitingSentences, 1);
  });
});
