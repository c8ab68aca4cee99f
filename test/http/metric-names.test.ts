import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sqliteEngine } from '../support/engines.ts';
import { useService } from '../support/service.ts';

interface Described {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

const types = ['counter', 'gauge', 'histogram', 'summary'];
/** The base unit of each unit that a name should not have. */
const units = /_(?:ms|us|ns|milliseconds|minutes|hours|days|kb|mb|gb|kilobytes|megabytes|bits|percent)(?:_total)?$/;

/** What `promtool check metrics` says about a metric: not every machine has it. */
function problemsOf({ name, type, help, labels }: Described): string[] {
  const isCounter = type === 'counter';
  const isDistribution = type === 'histogram' || type === 'summary';
  const rules: [isBroken: boolean, problem: string][] = [
    [help.trim() === '', 'no help text'],
    [isCounter && !name.endsWith('_total'), 'counter metrics should have "_total" suffix'],
    [!isCounter && name.endsWith('_total'), 'non-counter metrics should not have "_total" suffix'],
    [!isDistribution && /_(?:count|sum|bucket)$/.test(name), 'a suffix that is for histograms and summaries'],
    [!/^[a-z][a-z0-9_]*$/.test(name), 'metric names should be written in snake_case'],
    [units.test(name), 'use base unit'],
    [labels.some((label) => !/^[a-z][a-z0-9_]*$/.test(label)), 'label names should be written in snake_case'],
    [labels.includes('le') && type !== 'histogram', 'non-histogram metrics should not have "le" label'],
    [labels.includes('quantile') && type !== 'summary', 'non-summary metrics should not have "quantile" label'],
    ...types.map((word): [boolean, string] => [
      name.split('_').includes(word),
      `metric name should not include type '${word}'`,
    ]),
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [`${name} ${problem}`] : []));
}

function described(text: string): Described[] {
  const lines = text.split('\n');
  return lines.flatMap((line) => {
    const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name === '') return [];
    const help = lines.find((each) => each.startsWith(`# HELP ${name} `))?.slice(`# HELP ${name} `.length) ?? '';
    const samples = lines.filter((each) => each.startsWith(`${name}{`) || each.startsWith(`${name}_bucket{`));
    const labels = samples.flatMap((each) =>
      Array.from(each.matchAll(/[{,]([^={},"]+)="/g), ([, label = '']) => label),
    );
    return [{ name, type, help, labels: [...new Set(labels)] }];
  });
}

describe('the names of metrics', () => {
  const service = useService(sqliteEngine());

  it('follow the conventions of Prometheus, except those that are documented', async () => {
    const { key } = await service.newKey();
    await fetch(`${service.url}/api/v1/agents`, { headers: { authorization: `Bearer ${key}` } });
    const metrics = described(await (await fetch(`${service.url}/metrics`)).text());
    assert.ok(metrics.some(({ name }) => name === 'http_request_duration_seconds'));
    // As promtool 2.42 reports them.
    assert.deepEqual(metrics.flatMap(problemsOf).sort(), [
      'nodejs_active_handles_total non-counter metrics should not have "_total" suffix',
      'nodejs_active_requests_total non-counter metrics should not have "_total" suffix',
      'nodejs_active_resources_total non-counter metrics should not have "_total" suffix',
      "nodejs_eventloop_utilization_histogram metric name should not include type 'histogram'",
      "nodejs_eventloop_utilization_summary metric name should not include type 'summary'",
    ]);
    const page = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
    for (const problem of metrics.flatMap(problemsOf)) {
      const [name = ''] = problem.split(' ');
      assert.ok(page.includes(`\`${name}\``), `${name} is documented`);
    }
  });
});
