import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bucketOf, buckets, quantile } from '../../../src/areas/figures/latencies.ts';
import { type CountsRow, RequestCounts } from '../../../src/areas/figures/request-counts.ts';
import { createFiguresStore } from '../../../src/areas/figures/store.ts';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { startService, useService } from '../../support/service.ts';

const minute = 60_000;

onEachEngine('figures', (engine) => {
  const service = useService(engine);
  const newTime = () => Math.floor(Date.now() / (10 * minute)) * 10 * minute;

  it('cover one workspace, across all instances, without gaps', async () => {
    const { key, workspaceId } = await service.newKey();
    const other = await service.newKey();
    const time = newTime();
    for (const id of [workspaceId, workspaceId, other.workspaceId]) {
      const store = createFiguresStore(
        service.database,
        async () => 0,
        () => time,
      );
      const counts = new RequestCounts([60, 600], store.save, () => time - 5 * minute);
      for (const [status, ms] of [
        [200, 1],
        [200, 1],
        [200, 30],
        [404, 2],
        [503, 900],
      ] as const) {
        counts.note(id, status, ms);
      }
      await counts.flush();
    }
    const { points } = await createFiguresStore(
      service.database,
      async () => 0,
      () => time,
    ).read(workspaceId, 'hour');
    assert.equal(points.length, 60);
    assert.equal(points.at(-1)?.at, new Date(time).toISOString());
    const counted = points.filter(({ requests }) => requests > 0);
    assert.equal(counted.length, 1);
    const { p50Ms, p95Ms, p99Ms, ...numbers } = counted[0] as (typeof points)[number];
    assert.deepEqual(numbers, { at: new Date(time - 5 * minute).toISOString(), requests: 10, refusals: 2, errors: 2 });
    assert.ok(p50Ms !== null && p50Ms > 0.7 && p50Ms <= 2, `${p50Ms}`);
    assert.ok(p95Ms !== null && p95Ms > 550 && p95Ms <= 1000, `${p95Ms}`);
    assert.ok(p99Ms !== null && p99Ms >= p95Ms && p99Ms <= 1000, `${p99Ms}`);
    const empty = points.find(({ requests }) => requests === 0);
    assert.deepEqual([empty?.p50Ms, empty?.p99Ms], [null, null]);
    const answer = await send(service, 'GET', '/api/v1/figures?period=day', { key });
    assert.equal(answer.json.points.length, 144);
    assert.equal(
      answer.json.points.reduce((sum: number, point: { requests: number }) => sum + point.requests, 0),
      10,
    );
  });

  it('include the number of agents', async () => {
    const { key } = await service.newKey();
    for (let count = 0; count < 3; count += 1) await createAgent(service, key);
    const { json } = await send(service, 'GET', '/api/v1/figures', { key });
    assert.deepEqual([json.agents, json.hasMoreAgents, json.period, json.stepSeconds], [3, false, 'hour', 60]);
  });

  it('are removed when they are old', async () => {
    const { workspaceId } = await service.newKey();
    const time = newTime();
    const at = async (now: number) => {
      const store = createFiguresStore(
        service.database,
        async () => 0,
        () => now,
      );
      const counts = new RequestCounts([60, 600], store.save, () => now);
      counts.note(workspaceId, 200, 1);
      await counts.flush();
    };
    for (const age of [0, 30 * minute, 70 * minute, 20 * 60 * minute, 30 * 60 * minute]) await at(time - age);
    await createFiguresStore(
      service.database,
      async () => 0,
      () => time,
    ).removeOld();
    const rows = await service.database.all<{ step_seconds: number; at: number }>(
      'SELECT step_seconds, at FROM request_figures WHERE workspace_id = $1 ORDER BY step_seconds, at',
      [workspaceId],
    );
    assert.deepEqual(
      rows.map(({ step_seconds, at }) => [step_seconds, (time / 1000 - at) / 60]),
      [
        [60, 30],
        [60, 0],
        [600, 20 * 60],
        [600, 70],
        [600, 30],
        [600, 0],
      ],
    );
  });

  it('count all requests of a known caller, including rejected ones', async () => {
    const own = await startService(engine, { databaseUrl: service.databaseUrl });
    const { key, workspaceId } = await own.newKey();
    await createAgent(own, key);
    await send(own, 'GET', '/api/v1/agents/agt_unknown', { key });
    await send(own, 'GET', '/api/v1/agents', { key: `${key}x` });
    // On close it saves what it has counted, as it does every few seconds.
    await own.close();
    const store = createFiguresStore(service.database, async () => 0, Date.now);
    const { points } = await store.read(workspaceId, 'hour');
    assert.deepEqual(
      [
        points.reduce((sum, { requests }) => sum + requests, 0),
        points.reduce((sum, { refusals }) => sum + refusals, 0),
      ],
      [2, 1],
    );
  });
});

describe('counts of requests', () => {
  it('are saved completely each time, and again after a failure', async () => {
    let isAway = false;
    let time = 1_000_000 * minute;
    const saved = new Map<string, number>();
    const save = async (rows: readonly CountsRow[]) => {
      if (isAway) throw new Error('away');
      for (const { workspaceId, stepSeconds, at, counts } of rows)
        saved.set(`${workspaceId} ${stepSeconds} ${at}`, counts.requests);
    };
    const counts = new RequestCounts([60], save, () => time);
    counts.note('one', 200, 1);
    await counts.flush();
    counts.note('one', 200, 1);
    isAway = true;
    await assert.rejects(counts.flush(), /away/);
    counts.note('one', 200, 1);
    time += minute;
    counts.note('one', 200, 1);
    await assert.rejects(counts.flush(), /away/);
    isAway = false;
    await counts.flush();
    assert.deepEqual([...saved.values()], [3, 1]);
    saved.clear();
    await counts.flush();
    assert.equal(saved.size, 0);
  });

  it('are not kept for inactive workspaces', async () => {
    let time = 1_000_000 * minute;
    let saves = 0;
    const counts = new RequestCounts(
      [60],
      async (rows) => {
        saves += rows.length;
      },
      () => time,
    );
    counts.note('one', 200, 1);
    time += 2 * minute;
    await counts.flush();
    await counts.flush();
    counts.note('one', 200, 1);
    await counts.flush();
    assert.equal(saves, 2);
  });
});

describe('latencies', () => {
  it('belong to the first bucket whose bound they do not exceed', () => {
    assert.equal(bucketOf(0), 0);
    assert.equal(bucketOf(0.5), 0);
    assert.equal(bucketOf(0.51), 1);
    assert.equal(bucketOf(30_000), buckets - 2);
    assert.equal(bucketOf(1e9), buckets - 1);
  });

  it('have quantiles that are off by less than a bucket', () => {
    const counts = new Array<number>(buckets).fill(0);
    const times = Array.from({ length: 1000 }, (_, place) => 0.3 * 1.008 ** place);
    for (const ms of times) counts[bucketOf(ms)] = (counts[bucketOf(ms)] as number) + 1;
    for (const share of [0.2, 0.5, 0.95, 0.99]) {
      const exact = times[Math.ceil(share * 1000) - 1] as number;
      const found = quantile(counts, share) as number;
      assert.ok(found > exact / 1.6 && found < exact * 1.6, `${share}: ${found} instead of ${exact}`);
    }
    assert.equal(quantile(new Array<number>(buckets).fill(0), 0.5), null);
  });
});
