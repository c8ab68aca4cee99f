import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { realClock } from '../../../../src/voice/clock.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { seed } from '../../../support/seed.ts';
import { useService } from '../../../support/service.ts';
import { said } from '../support.ts';
import { spokenCall } from './caller.ts';
import { type DelayingProxy, startDelayingProxy } from './delaying-proxy.ts';

const numbers = (count: number, word: string) => Array.from({ length: count }, (_, index) => `${word}${index + 1}`);
const sentence = (words: readonly string[]) => `${words.join(' ')}.`;
const stallMs = 3000;
/** A stalled network is played through from what arrived before; a busy machine adds to it. */
const maxGapMs = 1500;

/** In real time, because the delays of a network are. */
describe('a web call over a slow network that stalls for 3 s', { concurrency: true }, () => {
  const service = useService(sqliteEngine(), { calls: { clock: realClock } });
  let key: string;
  let proxies: DelayingProxy[] = [];
  before(async () => {
    ({ key } = await service.newKey());
  });
  after(async () => {
    for (const proxy of proxies) await proxy.close();
    proxies = [];
  });

  const call = async (agent: object) => {
    const proxy = await startDelayingProxy(service.port, seed + proxies.length);
    proxies.push(proxy);
    const target = { url: service.url, port: proxy.port };
    return { proxy, ...(await spokenCall(target, key, { agent, plays: 'in real time' })) };
  };

  it('while the agent speaks: every word is heard once, and playback goes on', async () => {
    const greeting = numbers(40, 'word');
    const { proxy, client, caller, ...rest } = await call({ beginMessage: sentence(greeting) });
    await caller.heard(8);
    proxy.stall(stallMs);
    await client.next('transcript', ({ isFinal, role }) => isFinal && role === 'agent', 20_000);
    assert.deepEqual(caller.heardWords, greeting);
    assert.ok(caller.longestGapMs < maxGapMs, `a gap of ${caller.longestGapMs} ms`);
    await caller.say('thanks');
    await client.said('thanks');
    await end(client);
    assert.deepEqual(said(await rest.turns()), [
      ['agent', sentence(greeting)],
      ['caller', 'thanks'],
      ['agent', 'thanks'],
    ]);
    assert.deepEqual(await warnings(rest), []);
    assert.equal((await rest.call()).endReason, 'caller_hangup');
  });

  it('while the caller speaks: every word is understood once, and answered', async () => {
    const { proxy, client, caller, ...rest } = await call({});
    const words = numbers(9, 'item');
    const saying = caller.say(...words);
    await delay(600);
    proxy.stall(stallMs);
    await saying;
    await client.next(
      'transcript',
      ({ text, isFinal, role }) => isFinal && role === 'agent' && /item9$/.test(text),
      15_000,
    );
    await end(client);
    const turns = await rest.turns();
    const callerTurns = turns.filter(({ role }) => role === 'caller').map(({ text }) => text);
    assert.deepEqual(callerTurns.join(' ').split(' '), words);
    // While nothing arrives, the caller seems to have stopped: a reply to the first words may have begun.
    assert.equal(turns.at(-1)?.text, callerTurns.at(-1));
    for (const [index, { role, text, unspokenText }] of turns.entries()) {
      if (role === 'agent') assert.equal(`${text}${unspokenText ?? ''}`, turns[index - 1]?.text);
    }
    const replies = turns.filter(({ role }) => role === 'agent');
    const last = replies.at(-1)?.text.split(' ') ?? [];
    assert.deepEqual(caller.heardWords.slice(-last.length), last);
    // The page may have played a word of the cleared reply that it could not report in time.
    const heard = caller.heardWords.slice(0, -last.length).join(' ');
    const [cleared, ...others] = replies.slice(0, -1);
    assert.deepEqual(others, []);
    assert.ok(heard.startsWith(cleared?.text ?? ''), heard);
    assert.ok(`${cleared?.text ?? ''}${cleared?.unspokenText ?? ''}`.startsWith(heard), heard);
    assert.deepEqual(await warnings(rest), []);
  });

  async function end(client: Awaited<ReturnType<typeof spokenCall>>['client']): Promise<void> {
    client.send({ type: 'end' });
    assert.equal((await client.next('ended')).reason, 'caller_hangup');
    assert.equal(await client.closed, 1000);
    assert.deepEqual(
      client.frames.filter(({ type }) => type === 'error'),
      [],
    );
  }

  async function warnings({ events }: Pick<Awaited<ReturnType<typeof spokenCall>>, 'events'>): Promise<unknown[]> {
    return (await events()).filter(({ type }) => type === 'warning');
  }
});
