import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { type OpenAiDouble, startOpenAiDouble } from '../../providers/openai-double.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { startProcess } from '../../support/process.ts';
import { eventually, gate, newChat, on } from '../calls/support.ts';

const key = 'a-key-for-this-suite-only';
const summary = 'A table for two.';
/** With leases of two seconds, so that another process soon claims the job. */
const service = { file: join(import.meta.dirname, '..', '..', '..', 'campaigns', 'calls', 'service.ts') };

onEachEngine('an analysis whose process is killed', (engine) => {
  let model: OpenAiDouble;
  const never = gate();
  before(async () => {
    model = await startOpenAiDouble();
    const reply = { text: JSON.stringify({ summary, successful: true, sentiment: 'neutral' }) };
    model.play({ ...reply, after: never.opened }, reply);
  });
  after(() => model.close());

  it('leaves a valid call, and completes once after a restart', { timeout: 120_000 }, async () => {
    const settings = {
      DATABASE_URL: await engine.newServiceUrl(),
      BOOTSTRAP_API_KEY: key,
      OPENAI_BASE_URL: model.baseUrl,
      LOG_LEVEL: 'warn',
    };
    const first = await startProcess(settings, service);
    const { id } = await newChat(first, key, { agent: { postCallAnalysisModel: 'gpt' } });
    await on(first, key, id).say('A table for two, please.');
    assert.equal((await on(first, key, id).end()).status, 200);
    await eventually(async () => model.requests.length === 1);
    await first.end('SIGKILL');

    const second = await startProcess(settings, service);
    // Every response is compared with its schema.
    const call = on(second, key, id);
    assert.equal((await call.call()).status, 'ended');
    const analysis = await eventually(async () => {
      const read = (await call.call()).analysis;
      return read.status !== 'pending' && read;
    });
    assert.deepEqual([analysis.status, analysis.summary, analysis.revision], ['completed', summary, 1]);
    assert.equal(model.requests.length, 2);
    const { items } = (await send(second, 'GET', `${call.path}/analyses`, { key })).json;
    assert.deepEqual(
      items.map(({ status }: { status: string }) => status),
      ['completed'],
    );
    const events = (await send(second, 'GET', `/api/v1/events?subjectId=${id}`, { key })).json.items;
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ['call_analyzed', 'call_ended', 'call_started'],
    );
    assert.equal((await second.end('SIGTERM')).code, 0);
  });
});
