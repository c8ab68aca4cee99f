import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type OpenAiDouble, startOpenAiDouble } from '../../providers/openai-double.ts';
import { onEachEngine } from '../../support/engines.ts';
import { startProcess } from '../../support/process.ts';
import { eventually, gate, newChat, on, said } from './support.ts';

const key = 'a-key-for-this-suite-only';
/** With leases of two seconds, so that the test does not wait for fifteen. */
const leaseSeconds = 2;
const service = { file: join(import.meta.dirname, '..', '..', '..', 'campaigns', 'calls', 'service.ts') };

onEachEngine('a message whose process is killed', (engine) => {
  let model: OpenAiDouble;
  const never = gate();
  before(async () => {
    model = await startOpenAiDouble();
    model.play({ text: 'Too late.', after: never.opened }, { text: 'I am here.' });
  });
  after(() => model.close());

  it('succeeds after the Retry-After of the first 409, and is said once', { timeout: 120_000 }, async () => {
    const settings = {
      DATABASE_URL: await engine.newServiceUrl(),
      BOOTSTRAP_API_KEY: key,
      OPENAI_BASE_URL: model.baseUrl,
      LOG_LEVEL: 'warn',
    };
    const first = await startProcess(settings, service);
    const second = await startProcess(settings, service);
    const { id } = await newChat(first, key, { model: 'gpt-5.4-mini' });
    const headers = { 'idempotency-key': 'once' };
    const lost = on(first, key, id)
      .say('Hello', headers)
      .catch(() => 'lost');
    await eventually(async () => model.requests.length === 1);
    await first.end('SIGKILL');
    assert.equal(await lost, 'lost');

    const chat = on(second, key, id);
    /** On a busy machine, the database may take too long for any request: 503. */
    const say = async (): ReturnType<typeof chat.say> => {
      const answer = await chat.say('Hello', headers);
      if (answer.status !== 503) return answer;
      await delay(1000 * Number(answer.headers.get('retry-after')));
      return say();
    };
    let answer = await say();
    // On a busy machine the lease may have expired by now.
    if (answer.status === 409) {
      assert.equal(answer.json.error.code, 'IDEMPOTENCY_IN_PROGRESS');
      const retryAfter = Number(answer.headers.get('retry-after'));
      assert.ok(retryAfter >= 1 && retryAfter <= leaseSeconds, `Retry-After: ${retryAfter}`);
      await delay(retryAfter * 1000);
      answer = await say();
    }
    const { status, json } = answer;
    assert.equal(status, 200, JSON.stringify(json));
    const whole = [
      ['caller', 'Hello'],
      ['agent', 'I am here.'],
    ];
    assert.deepEqual(said(json.turns), whole);
    assert.deepEqual(said(await chat.turns()), whole);
    assert.equal((await second.end('SIGTERM')).code, 0);
  });
});
