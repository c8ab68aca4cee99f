import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import type { Call } from '../../src/contract/calls/call.ts';
import { callColumnNames, callValue } from '../../src/core/call-columns.ts';
import { sqlText, useDuckDb } from '../support/duckdb.ts';
import { analysisWith, callWith, insertCalls } from '../support/stored-calls.ts';
import { useCommandLine } from './support.ts';

const notes = [
  '予約です。\n「三名」, "窓側"',
  '=cmd()',
  '+81',
  '-1',
  '@sum',
  '\tTab',
  'a\rb',
  "it's",
  '',
  'NULL',
  'null',
];
const many = 451;
const hasMiller = spawnSync('mlr', ['--version']).status === 0;

describe('calls export --format csv', { concurrency: 4 }, () => {
  const line = useCommandLine();
  const duckDb = useDuckDb();
  let calls: readonly Call[] = [];
  const own = (file: string) => join(line.folder, file);
  before(async () => {
    const [{ workspace_id: workspaceId = '' } = {}] = await line.service.database.all<{ workspace_id: string }>(
      'SELECT workspace_id FROM api_keys WHERE id = $1',
      [(await line.client.apiKeys.list()).items[0]?.id ?? ''],
    );
    calls = Array.from({ length: many }, (_, index) => {
      const at = new Date(Date.UTC(2026, 10, 1) + index * 3_600_000).toISOString();
      const isEven = index % 2 === 0;
      return callWith({
        workspaceId,
        status: 'ended',
        endReason: 'caller_hangup',
        createdAt: at,
        startedAt: isEven ? at : null,
        durationMs: isEven ? index : null,
        agentVersion: 1 + (index % 3),
        metadata: { note: notes[index % notes.length] as string, 'a,b': index, 'deep.list': [index] },
        analysis: analysisWith({ data: { booked: isEven, guests: isEven ? index / 8 : null }, successful: isEven }),
        updatedAt: at,
      });
    });
    await insertCalls(line.service.database, calls);
    const stored: Call[] = [];
    for await (const call of line.client.calls.list({ limit: 200 })) stored.push(call as unknown as Call);
    calls = stored;
  });
  const exported = async (file: string, ...options: string[]): Promise<string> => {
    const { code, stderr } = await line.run(['calls', 'export', '--format', 'csv', '--out', own(file), ...options]);
    assert.deepEqual([code, stderr.replace(/^[\d,]+ calls?/, 'n calls')], [0, `n calls exported to ${own(file)}\n`]);
    return readFileSync(own(file), 'utf8');
  };

  it('writes a file that DuckDB reads as calls.search returns the calls', async () => {
    const columns = ['id', 'createdAt', 'startedAt', 'durationMs', 'metadata.note', 'analysis.data.guests'];
    const names = columns.map((name) => `"${name}"`);
    await exported('duck.csv', '--time-zone', 'Australia/Lord_Howe', '--columns', columns.join());
    const rows = await duckDb.rows(
      `SELECT id, epoch_ms("createdAt")::DOUBLE, epoch_ms("startedAt")::DOUBLE, ${names.slice(3).join(', ')}
        FROM read_csv(${sqlText(own('duck.csv'))}, header = true, allow_quoted_nulls = false, columns = {
          id: 'VARCHAR', createdAt: 'TIMESTAMPTZ', startedAt: 'TIMESTAMPTZ', durationMs: 'BIGINT',
          'metadata.note': 'VARCHAR', 'analysis.data.guests': 'DOUBLE' })`,
    );
    assert.equal(rows.length, many);
    const instant = (time: unknown) => (time === null ? null : Date.parse(time as string));
    const text = (note: unknown) => (/^[=+\-@\t\r]/.test(note as string) ? `'${note}` : note);
    assert.deepEqual(
      rows.map((row) =>
        Object.values(row).map((value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)),
      ),
      calls.map((call) => {
        const [id, createdAt, startedAt, durationMs, note, guests] = columns.map((name) => callValue(call, name));
        return [id, instant(createdAt), instant(startedAt), durationMs, text(note), guests];
      }),
    );
  });

  it('writes a file that Miller reads', { skip: !hasMiller && 'Miller is not installed' }, async () => {
    const columns = ['id', 'metadata.note', 'durationMs', 'analysis.data.booked'];
    await exported('miller.csv', '--columns', columns.join());
    const { stdout } = spawnSync('mlr', ['-S', '--icsv', '--ojson', '--no-auto-unflatten', 'cat', own('miller.csv')], {
      encoding: 'utf8',
    });
    const cell = (value: unknown) => {
      if (value === null) return '';
      return typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    };
    assert.deepEqual(
      (JSON.parse(stdout) as Record<string, unknown>[]).map((row) => columns.map((name) => String(row[name]))),
      calls.map((call) => columns.map((name) => cell(callValue(call, name)))),
    );
  });

  it('starts with a byte order mark and the names, and writes times with the offset of the zone', async () => {
    const text = await exported('zone.csv', '--time-zone', 'Asia/Tokyo', '--columns', 'createdAt,durationMs,from');
    const [head, first, ...rest] = text.split('\r\n');
    assert.equal(head, '\ufeffcreatedAt,durationMs,from');
    assert.equal(first, '2026-11-20T03:00:00.000+09:00,450,');
    assert.equal(rest.length, many);
    assert.equal(rest.at(-1), '');
    const all = await exported('all.csv', '--columns', callColumnNames.join());
    assert.equal(all.split('\r\n')[0], `\ufeff${callColumnNames.join()}`);
  });

  it('exports the calls of a filter, which combines with the other options', async () => {
    const filter = own('filter.json');
    writeFileSync(filter, JSON.stringify({ field: 'analysis.data.guests', op: 'gte', value: 50 }));
    const options = [
      '--columns',
      'id',
      '--filter',
      filter,
      '--agent-version',
      '1,2',
      '--created-before',
      '2026-11-19T12:00:00Z',
    ];
    const ids = (await exported('filtered.csv', ...options, '--successful', 'true')).trimEnd().split('\r\n').slice(1);
    const wanted = calls.filter(
      (call) =>
        Number(call.analysis.data.guests) >= 50 &&
        (call.agentVersion as number) < 3 &&
        call.createdAt < '2026-11-19T12:00:00' &&
        call.analysis.successful,
    );
    assert.ok(wanted.length > 5);
    assert.deepEqual(
      ids,
      wanted.map(({ id }) => id),
    );
    const lines = await line.output([
      'calls',
      'export',
      '--filter',
      filter,
      '--columns',
      'id,metadata.a',
      '--agent-version',
      '3',
    ]);
    for (const text of lines.trimEnd().split('\n'))
      assert.deepEqual(Object.keys(JSON.parse(text)), ['id', 'metadata.a']);
  });

  it('says what is wrong with the options, before it reads any call', async () => {
    const filter = own('broken.json');
    writeFileSync(filter, '{');
    const wrong = [
      [['--format', 'csv', '--columns', 'usage'], /a call has no "usage"/],
      [['--format', 'csv', '--columns', ','], /must name at least one value/],
      [['--format', 'csv', '--time-zone', '+09:00'], /--time-zone must be the name of a time zone/],
      [['--time-zone', 'Asia/Tokyo'], /--time-zone is for --format csv/],
      [['--filter', filter], /cannot read a filter from/],
      [['--format', 'xml'], /Allowed choices are jsonl, csv/],
    ] as const;
    for (const [options, message] of wrong) {
      const { code, stdout, stderr } = await line.run(['calls', 'export', ...options]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    }
    writeFileSync(filter, '{"field": "color", "op": "eq", "value": 1}');
    const { code, stderr } = await line.run(['calls', 'export', '--filter', filter]);
    assert.equal(code, 2);
    assert.match(stderr, /filter: field: is not a field/);
  });

  /** Forwards to the service, until `answer` takes the request. */
  const proxied = async (context: TestContext, answer: (page: number) => 'forward' | 'cut' | 401): Promise<string> => {
    let pages = 0;
    const server = createServer(async (request, response) => {
      pages += 1;
      const what = answer(pages);
      if (what === 'cut') return void request.socket.destroy();
      if (what === 401) return void response.writeHead(401).end('{}');
      const { authorization = '' } = request.headers;
      const upstream = await fetch(`${line.service.url}${request.url}`, { headers: { authorization } });
      response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(await upstream.text());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    context.after(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it('continues where the connection broke', async (context) => {
    const url = await proxied(context, (page) => (page === 2 || page === 3 ? 'cut' : 'forward'));
    const broken = await exported('broken.csv', '--base-url', url, '--columns', 'id');
    assert.equal(broken, await exported('whole.csv', '--columns', 'id'));
  });

  it('leaves no file if it fails, and says how far it came on standard output', async (context) => {
    const refuse = () => proxied(context, (page) => (page === 2 ? 401 : 'forward'));
    const options = ['calls', 'export', '--format', 'csv', '--columns', 'id', '--base-url'];
    const toFile = await line.run([...options, await refuse(), '--out', own('never.csv')]);
    assert.equal(toFile.code, 3);
    assert.equal(existsSync(own('never.csv')), false);
    assert.deepEqual(
      readdirSync(line.folder).filter((name) => name.startsWith('never')),
      [],
    );
    const toPipe = await line.run([...options, await refuse()]);
    assert.equal(toPipe.code, 3);
    assert.equal(toPipe.stdout.trimEnd().split('\r\n').length, 1 + 200);
    assert.match(toPipe.stderr, /^The export is incomplete: it ends after 200 calls\.\n/);
  });
});
