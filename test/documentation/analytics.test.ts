import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { AnalyticsRow } from '../../src/contract/analytics/query.ts';
import { generateCalls, storeCalls } from '../areas/analytics/calls-of-every-kind.ts';
import { send } from '../support/client.ts';
import { runInProcess } from '../support/command-line.ts';
import { sqlText, useDuckDb } from '../support/duckdb.ts';
import { sqliteEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { seed } from '../support/seed.ts';
import { useService } from '../support/service.ts';
import { blocksOf } from './pasted.ts';

describe('the queries for DuckDB in docs/analytics.md', () => {
  const service = useService(sqliteEngine());
  const duckDb = useDuckDb();
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-duckdb-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const [load, ...queries] = blocksOf('docs/analytics.md').filter(({ language }) => language === 'sql');
  const bodies = blocksOf('docs/analytics.md').filter(
    ({ language, code }) => language === 'json' && code.includes('"metrics"'),
  );
  let key = '';
  before(async () => {
    const created = await service.newKey();
    ({ key } = created);
    await storeCalls(service.database, generateCalls(created.workspaceId, 400, seed));
    const query = { range: { last: '1d' }, metrics: ['calls'] };
    await eventually(async () => {
      const { json } = await send(service, 'POST', '/api/v1/analytics/query', { key, body: query });
      return json.filledFrom === null;
    });
    const file = join(folder, 'calls.jsonl');
    const settings = { VOICE_AGENTS_API_KEY: key, VOICE_AGENTS_BASE_URL: service.url };
    assert.equal((await runInProcess(['calls', 'export', '--out', file], settings)).code, 0);
    for (const statement of (load?.code ?? '').split(';\n')) {
      if (statement.trim() !== '') await duckDb.rows(statement.replace("'calls.jsonl'", () => sqlText(file)));
    }
  });

  it('are five', () => {
    assert.deepEqual([queries.length, bodies.length], [5, 5]);
  });

  for (const [index, { code, line }] of queries.entries()) {
    it(`returns what analytics.query returns: line ${line}`, async () => {
      const body = { limit: 10_000, ...JSON.parse(bodies[index]?.code ?? '') };
      const { status, json } = await send(service, 'POST', '/api/v1/analytics/query', { key, body });
      assert.equal(status, 200);
      const first = Object.keys(json.rows[0].values)[0] as string;
      const rows = (json.rows as AnalyticsRow[])
        .filter(({ values }) => values[first] !== 0)
        .map(({ bucket, group, values }) => [
          ...(body.interval === undefined ? [] : [monday(bucket, body.interval)]),
          ...Object.values(group),
          ...Object.values(values),
        ]);
      assert.ok(rows.length > 1);
      const found = (await duckDb.rows(code)).map((row) => Object.values(row).map(scalar));
      assert.deepEqual(found, rows);
    });
  }
});

/** The first bucket of a range may begin within a week. */
function monday(bucket: string, interval: string): string {
  const day = new Date(`${bucket.slice(0, 10)}T00:00:00Z`);
  const back = interval === 'week' ? (day.getUTCDay() + 6) % 7 : 0;
  return new Date(day.getTime() - back * 86_400_000).toISOString().slice(0, 10);
}

/** Whole numbers of 64 bits are texts in the results of DuckDB. */
function scalar(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}
