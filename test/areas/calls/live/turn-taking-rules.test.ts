import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { SpeechProvider } from '../../../../src/voice/providers/speech-provider.ts';
import { createTestStt } from '../../../../src/voice/providers/test/test-speech.ts';
import type { Stt } from '../../../../src/voice/speech-ports.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { testSpeech, useService } from '../../../support/service.ts';
import { quickTime, said, useModelService } from '../support.ts';
import { type SpokenOptions, spokenCall } from './caller.ts';

const ten = 'One two three. Four five six seven. Eight nine ten.';

/** Test speech whose final transcripts wait until `confirm` is called. */
function hesitantSpeech(): { readonly provider: SpeechProvider; confirm(): void } {
  const waiting: (() => void)[] = [];
  const stt: Stt = {
    ...createTestStt(),
    open: (options, events) =>
      createTestStt().open(options, {
        ...events,
        final: (text, words) => void waiting.push(() => events.final(text, words)),
      }),
  };
  return {
    provider: {
      name: 'hesitant',
      configured: true,
      capabilities: ['stt'],
      languages: ['en'],
      automatic: false,
      stt: () => stt,
    },
    confirm: () => {
      for (const final of waiting.splice(0)) final();
    },
  };
}

async function hangUp({ client }: Pick<Awaited<ReturnType<typeof spokenCall>>, 'client'>): Promise<void> {
  client.send({ type: 'end' });
  assert.equal((await client.next('ended')).reason, 'caller_hangup');
}

describe('taking turns in a web call: what may be missing', { concurrency: true }, () => {
  const hesitant = hesitantSpeech();
  const service = useService(sqliteEngine(), { speech: testSpeech(hesitant.provider) });
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  const call = (options: SpokenOptions = {}) => spokenCall(service, key, options);

  it('9: without a final transcript, the last partial one is answered, and a late final is no turn', async () => {
    const { client, caller, ...rest } = await call({ agent: { sttProvider: 'hesitant' } });
    await caller.say('table', 'please');
    await client.said('table please');
    hesitant.confirm();
    await caller.say('thanks');
    await client.said('thanks');
    await hangUp({ client });
    assert.deepEqual(said(await rest.turns()), [
      ['caller', 'table please'],
      ['agent', 'table please'],
      ['caller', 'thanks'],
      ['agent', 'thanks'],
    ]);
  });

  it('12: the latency of a turn is that of its own words, not of an earlier sound', async () => {
    const { client, caller, ...rest } = await call();
    await caller.say('hello');
    await client.said('hello');
    await caller.say('', '', '');
    const sentAt = service.clock.now();
    client.send({ type: 'text', text: 'typed' });
    await client.said('typed');
    const tookMs = service.clock.now() - sentAt;
    await hangUp({ client });
    const latencies = (await rest.turns()).flatMap(({ latency }) => (latency === null ? [] : [latency]));
    assert.equal(latencies.length, 2);
    for (const { e2eMs, ...parts } of latencies) {
      const sum = Object.values(parts).reduce<number>((total, ms) => total + (ms ?? 0), 0);
      assert.ok(Math.abs(sum - (e2eMs ?? 0)) <= 3, `${JSON.stringify(parts)} of ${e2eMs}`);
    }
    const [spoken, typed] = latencies;
    assert.ok((spoken?.endpointingMs ?? 0) >= 200, 'the caller may go on');
    assert.ok((typed?.e2eMs ?? Number.NaN) <= tookMs, `${typed?.e2eMs} of ${tookMs}`);
  });

  it('13: a sound without words that goes on holds the agent for three seconds at most', async () => {
    const { client, caller, ...rest } = await call({ agent: { beginMessage: ten }, plays: 'in real time' });
    await caller.heard(2);
    let isOver = false;
    const noise = caller.say(...Array.from({ length: 30 }, () => '')).then(() => {
      isOver = true;
    });
    await client.next('resume');
    assert.equal(isOver, false, 'the sound goes on');
    await client.said(ten);
    await noise;
    await hangUp({ client });
    assert.deepEqual(caller.player, ['speech 1', 'pause 1', 'resume 1']);
    assert.deepEqual(said(await rest.turns()), [['agent', ten]]);
  });
});

describe('taking turns in a web call that is about to end', () => {
  const { service, model } = useModelService(sqliteEngine());
  const goodbye = { text: 'Goodbye my dear friend.', tools: [{ name: 'end_call', arguments: '{}' }] };

  it('17: words over the goodbye withdraw the end, and are answered', async () => {
    const { key } = await service.newKey();
    const { client, caller, ...rest } = await spokenCall(service, key, { model: 'gpt-5.4-mini', plays: 'when told' });
    model.play(goodbye, { text: 'Yes of course.' });
    await caller.say('bye');
    await caller.play(1, 2);
    await caller.say('oh', 'wait', 'please');
    await client.next('clear');
    await caller.play(2, 3);
    await client.said('Yes of course.');
    await hangUp({ client });
    assert.deepEqual(said(await rest.turns()), [
      ['caller', 'bye'],
      ['agent', 'Goodbye my'],
      ['caller', 'oh wait please'],
      ['agent', 'Yes of course.'],
    ]);
  });

  it('17: a cough over the goodbye does not', async () => {
    const { key } = await service.newKey();
    const { client, caller, ...rest } = await spokenCall(service, key, {
      model: 'gpt-5.4-mini',
      plays: 'in real time',
    });
    model.play(goodbye);
    await caller.say('bye');
    await caller.heard(1);
    await caller.say('');
    assert.equal((await client.next('ended')).reason, 'agent_hangup');
    assert.deepEqual(said(await rest.turns()), [
      ['caller', 'bye'],
      ['agent', 'Goodbye my dear friend.'],
    ]);
  });
});

describe('a web call whose page plays nothing', () => {
  const { service, model } = useModelService(sqliteEngine(), { calls: { clock: quickTime() } });

  it('13: ends after the goodbye that nobody hears', async () => {
    const { key } = await service.newKey();
    const { client, caller, ...rest } = await spokenCall(service, key, { model: 'gpt-5.4-mini', plays: 'when told' });
    model.play({ text: 'Goodbye.', tools: [{ name: 'end_call', arguments: '{}' }] });
    client.send({ type: 'text', text: 'bye' });
    assert.equal((await client.next('ended')).reason, 'agent_hangup');
    assert.deepEqual(caller.player[0], 'speech 1');
    assert.equal((await rest.call()).endReason, 'agent_hangup');
  });
});
