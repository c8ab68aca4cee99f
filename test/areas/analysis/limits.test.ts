import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Kernel } from '../../../src/areas/area.ts';
import type { JobKind } from '../../../src/jobs/kind.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { eventually, gate, newChat, on, useModelService } from '../calls/support.ts';

const concurrent = 10;
const previews = 20;
const reply = { text: JSON.stringify({ summary: 'Said.', successful: true, sentiment: 'neutral' }) };

onEachEngine('limits of analyses', (engine) => {
  let kernel: Kernel | undefined;
  let markers = 0;
  const marker: JobKind = {
    name: 'marker',
    maxAttempts: 1,
    retryDelaysMs: [],
    timeoutMs: 5000,
    concurrency: 1,
    run: async () => {
      markers += 1;
    },
  };
  const { service, model } = useModelService(engine, {
    otherJobs: (given) => {
      kernel = given;
      return [marker];
    },
  });
  const limited = useService(engine, { rateLimits: { calls: null } });

  it(`are ${concurrent} at a time in a process; the rest waits for its turn`, async () => {
    const { key } = await service.newKey();
    const opened = gate();
    model.play({ ...reply, after: opened.opened });
    const ended = async () => {
      const call = on(service, key, (await newChat(service, key, { agent: { postCallAnalysisModel: 'gpt' } })).id);
      await call.say('Hello.');
      await call.end();
      return call;
    };
    const calls = await Promise.all(Array.from({ length: concurrent }, ended));
    await eventually(async () => model.requests.length === concurrent);
    calls.push(await ended(), await ended());
    // A job that is due after them has run: the worker has left them where they are.
    const { database, jobs } = kernel as Kernel;
    await database.transaction((queries) => jobs.add(queries, marker, { workspaceId: null, payload: {} }));
    await eventually(async () => markers === 1);
    assert.equal(model.requests.length, concurrent);
    const waiting = await Promise.all(calls.map(async (call) => (await call.call()).analysis.status));
    assert.deepEqual(new Set(waiting), new Set(['pending']));
    opened.open();
    for (const call of calls) await eventually(async () => (await call.call()).analysis.status === 'completed');
    assert.equal(model.requests.length, concurrent + 2);
  });

  it(`are ${previews} previews per minute and key`, async () => {
    const { key, workspaceId } = await limited.newKey();
    const call = on(limited, key, (await newChat(limited, key)).id);
    await call.say('Hello.');
    await call.end();
    const preview = (caller: string) =>
      send(limited, 'POST', `${call.path}/analysis/preview`, { key: caller, body: { model: 'test-extract' } });
    for (let count = 0; count < previews; count += 1) assert.equal((await preview(key)).status, 200);
    const refused = await preview(key);
    assert.deepEqual([refused.status, refused.json.error.code], [429, 'RATE_LIMITED']);
    assert.match(refused.headers.get('ratelimit-policy') ?? '', /"analysis-previews";q=20;w=60/);
    const { name } = (await limited.database.get<{ name: string }>('SELECT name FROM workspaces WHERE id = $1', [
      workspaceId,
    ])) as { name: string };
    assert.equal((await preview((await limited.newKey({ workspace: name })).key)).status, 200);
  });
});
