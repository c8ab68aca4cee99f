import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { useCommandLine } from './support.ts';

describe('voice-agents analytics', () => {
  const line = useCommandLine();
  const written = (query: unknown): string => {
    const file = join(line.folder, 'query.json');
    writeFileSync(file, JSON.stringify(query));
    return file;
  };
  const query = {
    range: { last: '1d' },
    timeZone: 'Asia/Tokyo',
    groupBy: ['metadata.page'],
    metrics: ['calls', 'durationMs.p95'],
  };
  before(async () => {
    const agent = await line.client.agents.create({ name: 'Reception', voiceId: 'v', llmModel: 'test-echo' });
    const { version } = await line.client.agents.publish(agent.id);
    for (const page of ['=cmd()', '予約, "A"']) {
      const call = { type: 'chat', agentId: agent.id, agentVersion: version, metadata: { page } } as const;
      await line.client.calls.end((await line.client.calls.create(call)).id);
    }
  });

  it('prints figures as a table, as CSV and as the service returns them', async () => {
    const { code, stdout, stderr } = await line.run(['analytics', 'query', written({ ...query, compare: 'previous' })]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^bucket +metadata\.page +calls +previous\.calls +durationMs\.p95 +previous\.durationMs\.p95\n/,
    );
    assert.match(stdout, /\n\S+\+09:00 +=cmd\(\) +1 +(—|0) +— +—\n/);
    assert.match(stderr, /^2 calls from \S+\+09:00 to \S+ \(Asia\/Tokyo\)\.\n$/);
    const csv = await line.output(['analytics', 'query', written(query), '--csv']);
    const [head, ...rows] = csv.split('\r\n');
    assert.equal(head, '\ufeffbucket,metadata.page,calls,durationMs.p95');
    assert.deepEqual(
      rows.map((row) => row.slice(25)),
      [",'=cmd(),1,", ',"予約, ""A""",1,', ''],
    );
    const json = JSON.parse(await line.output(['analytics', 'query', written(query), '--json']));
    assert.deepEqual([json.calls, json.rows.length, json.previousRange], [2, 2, null]);
  });

  it('says on standard error that rows of a CSV were left out', async () => {
    const { code, stdout, stderr } = await line.run(['analytics', 'query', written({ ...query, limit: 1 }), '--csv']);
    assert.deepEqual([code, stdout.trimEnd().split('\r\n').length], [0, 2]);
    assert.equal(stderr, 'Rows were left out: set a higher limit.\n');
    const whole = await line.run(['analytics', 'query', written(query), '--csv']);
    assert.deepEqual([whole.code, whole.stderr], [0, '']);
  });

  it('says what is wrong with a query', async () => {
    const wrong = await line.run(['analytics', 'query', written({ ...query, metrics: ['happiness'] })]);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /metrics: 0: is not a metric/);
    const none = await line.run(['analytics', 'query', written('calls')]);
    assert.match(none.stderr, /must contain a query, as a JSON object/);
    assert.match(await line.output(['analytics', 'fields', '--json']), /"latency\.e2eMs\.p95"/);
    assert.equal(await line.output(['analytics', 'alerts', '--json']), '');
  });
});
