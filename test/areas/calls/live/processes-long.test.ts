import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { onEachEngine } from '../../../support/engines.ts';
import { type ServiceProcess, startProcess } from '../../../support/process.ts';
import { eventually, on, said } from '../support.ts';
import { calledAgain, spokenCall } from './caller.ts';
import { connect, LiveClient, ongoing, withResume } from './support.ts';

const key = 'a-key-for-this-suite-only';
const ten = 'One two three. Four five six seven. Eight nine ten.';
const lines = Array.from({ length: 8 }, (_, index) => `Line ${index + 1}.`);

/** As a client does that has lost its connection: until it is accepted, as long as it is told to try again. */
async function resumed(target: ServiceProcess, id: string, resumeKey: string): Promise<LiveClient> {
  for (;;) {
    const answer = await connect(target, id, withResume(resumeKey));
    if (answer instanceof LiveClient) return answer;
    assert.equal(answer.status, 503, JSON.stringify(answer));
    await delay(250);
  }
}

onEachEngine('web calls of several processes', (engine) => {
  let settings: Record<string, string>;
  before(async () => {
    settings = { DATABASE_URL: await engine.newServiceUrl(), BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'warn' };
  });

  it('go on in another instance when their own is killed or stopped', { timeout: 300_000 }, async () => {
    const [killed, stopped] = [await startProcess(settings), await startProcess(settings)];
    const other = await startProcess(settings);
    const agent = { prompt: ten };
    const options = { model: 'test-script', agent, plays: 'when told' } as const;
    const [lost, drained] = [await spokenCall(killed, key, options), await spokenCall(stopped, key, options)];
    const sealed = await ongoing(killed, key, { agent: { dataStorageSetting: 'basic_attributes_only' } });
    for (const { client, caller } of [lost, drained]) {
      await caller.say('go');
      await caller.play(1, 4);
      await client.next('transcript', ({ text }) => text === 'One two three. Four');
    }
    const turnsOf = (id: string) => on(other, key, id).turns();

    // Told to stop in the middle of a sentence: its caller is told to reconnect, and hears that sentence again.
    const ended = stopped.end('SIGTERM');
    assert.equal(await drained.client.closed, 4503);
    const next = await calledAgain(other, drained.id, drained.resumeKey);
    await next.client.said('Four five six seven. Eight nine ten.');
    assert.equal((await ended).code, 0);
    assert.deepEqual(said(await eventually(async () => enough(await turnsOf(drained.id), 3))), [
      ['caller', 'go'],
      ['agent', 'One two three. Four'],
      ['agent', 'Four five six seven. Eight nine ten.'],
    ]);
    next.client.send({ type: 'end' });
    await next.client.closed;

    // Killed: the caller can resume when the lease has expired. What was stored of the call is all there is.
    await killed.end('SIGKILL');
    await lost.client.closed;
    const again = await resumed(other, lost.id, lost.resumeKey);
    await again.start();
    again.send({ type: 'text', text: 'Are you there?' });
    await again.next('speech');
    const stored = await eventually(async () => {
      const turns = await turnsOf(lost.id);
      return turns.some(({ text }) => text === 'Are you there?') && turns;
    });
    assert.deepEqual(said(stored).slice(0, 1), [['caller', 'go']]);
    assert.equal(said(stored).filter(([, text]) => text === 'Are you there?').length, 1);
    again.send({ type: 'end' });
    assert.equal((await again.next('ended')).reason, 'caller_hangup');
    const restarted = await eventually(async () => {
      const call = await on(other, key, sealed.id).call();
      return call.status !== 'ongoing' && call;
    });
    assert.deepEqual([restarted.status, restarted.endReason], ['error', 'server_restart']);
    assert.equal((await other.end('SIGTERM')).code, 0);
  });

  it('are resumed on another worker while their own is alive, with each storage setting', {
    timeout: 300_000,
  }, async () => {
    const service = await startProcess({ ...settings, WORKERS: '2' });
    for (const dataStorageSetting of ['everything', 'everything_except_pii', 'basic_attributes_only']) {
      const agent = { prompt: lines.join('\n'), dataStorageSetting };
      const { id, ...call } = await spokenCall(service, key, { model: 'test-script', agent });
      let { client, resumeKey } = call;
      for (const [index, line] of lines.entries()) {
        client.send({ type: 'text', text: `Message ${index}` });
        assert.equal((await client.said(line)).turn, 2 * index + 1, dataStorageSetting);
        const next = await calledAgain(service, id, resumeKey);
        assert.equal(await client.closed, 4409);
        ({ client, resumeKey } = next);
      }
      client.send({ type: 'end' });
      await client.next('ended');
      const { latency, endReason } = await call.call();
      assert.deepEqual([latency?.turns, endReason], [lines.length, 'caller_hangup']);
    }
    assert.equal((await service.end('SIGTERM')).code, 0);
  });
});

function enough<Item>(items: readonly Item[], count: number): readonly Item[] | false {
  return items.length >= count && items;
}
