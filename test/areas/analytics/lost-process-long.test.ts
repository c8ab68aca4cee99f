import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { startProcess } from '../../support/process.ts';
import { eventually } from '../calls/support.ts';
import { analyticsClient } from './client.ts';

const key = 'a-key-for-this-suite-only';
/** With leases of two seconds, so that another process soon claims the job. */
const service = { file: join(import.meta.dirname, '..', '..', '..', 'campaigns', 'calls', 'service.ts') };

onEachEngine('an alert whose process is killed', (engine) => {
  it('fires once and resolves once', { timeout: 120_000 }, async () => {
    const settings = { DATABASE_URL: await engine.newServiceUrl(), BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'warn' };
    let process = await startProcess(settings, service);
    const restart = async (): Promise<void> => {
      await process.end('SIGKILL');
      process = await startProcess(settings, service);
    };
    const client = () => analyticsClient(process, key, 'alerts');
    const reaches = (id: string, wanted: string) =>
      eventually(async () => (await client().read(id)).state === wanted, wanted);
    // Each is killed while the evaluation is due, in progress or just done.
    const { id } = await client().create({ name: 'Dead line', metric: 'calls', window: '15m', op: 'lt', value: 1 });
    await restart();
    await reaches(id, 'firing');
    await client().expect(200, 'PATCH', `/${id}`, { op: 'gt' });
    await restart();
    await reaches(id, 'ok');
    const { items } = (await send(process, 'GET', `/api/v1/events?subjectId=${id}&order=asc`, { key })).json;
    assert.deepEqual(
      items.map(({ type, sequence }: { type: string; sequence: number }) => [type, sequence]),
      [
        ['alert_firing', 1],
        ['alert_resolved', 2],
      ],
    );
    assert.equal((await process.end('SIGTERM')).code, 0);
  });
});
