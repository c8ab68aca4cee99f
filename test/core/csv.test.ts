import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { call } from '../../src/contract/calls/call.ts';
import { callColumnNames, callCsv, callValue, defaultCallColumns, isCallColumn } from '../../src/core/call-columns.ts';
import { csvLines } from '../../src/core/csv.ts';
import { zonedTimes } from '../../src/core/zoned-time.ts';

describe('csvLines', () => {
  it('quotes what needs quotes, ends lines with CR LF, and leaves null empty', () => {
    assert.equal(
      csvLines([
        ['a', 'b,c', 'say "hi"', 'two\nlines', 'two\rlines', '日本語'],
        [null, '', true, false, 0, -1.5],
      ]),
      'a,"b,c","say ""hi""","two\nlines","two\rlines",日本語\r\n,"",true,false,0,-1.5\r\n',
    );
    assert.equal(csvLines([]), '');
  });

  it('puts an apostrophe before a text that a spreadsheet would compute, and not before a number', () => {
    const dangerous = ['=cmd()', '+1', '-1', '@sum', '\tx', '\rx'];
    for (const text of dangerous) assert.match(csvLines([[text]]), /^"?'/, text);
    assert.equal(csvLines([[-1, '1-1', "'=1", ' =1']]), "-1,1-1,'=1, =1\r\n");
  });
});

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

describe('the columns of exported calls', () => {
  const document = z.toJSONSchema(call, { unrepresentable: 'any' }) as Schema & {
    readonly $defs?: Record<string, Schema>;
  };
  const resolved = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    return document.$defs?.[schema.$ref.split('/').at(-1) as string] as Schema;
  };
  const pathsIn = (schema: Schema, path: string): string[] => {
    // What a call is based on, and a token: lists and secrets are no columns of their own.
    if (path === 'access') return [];
    const options = (resolved(schema).anyOf ?? [schema]).map(resolved);
    const members = options.find(({ properties }) => properties !== undefined)?.properties;
    if (members === undefined || path === 'analysis.evidence') return [path];
    return Object.entries(members).flatMap(([name, inner]) => pathsIn(inner, path === '' ? name : `${path}.${name}`));
  };

  it('are all fields of a call, except its access token', () => {
    assert.deepEqual(callColumnNames.toSorted(), pathsIn(document, '').toSorted());
    assert.ok(defaultCallColumns.every(isCallColumn));
    assert.deepEqual(['usage', 'access.token', 'metadata.', 'constructor', 'a'].filter(isCallColumn), []);
  });

  it('read free-form names with dots, and nothing that a call does not own', () => {
    const given = { metadata: { 'a.b': 1, a: { b: 2 } }, analysis: { data: { booked: true } }, latency: null };
    const columns = ['metadata.a.b', 'metadata.a', 'analysis.data.booked', 'latency.e2eMs.p95', 'metadata.toString'];
    assert.deepEqual(
      columns.map((column) => callValue(given, column)),
      [1, { b: 2 }, true, null, null],
    );
    assert.equal(
      callCsv(['createdAt', 'metadata.createdAt', 'metadata.a'], 'Asia/Tokyo').linesOf([
        { createdAt: '2026-12-18T00:00:00.000Z', metadata: { createdAt: '2026-12-18T00:00:00.000Z', a: { b: 2 } } },
      ]),
      '2026-12-18T09:00:00.000+09:00,2026-12-18T00:00:00.000Z,"{""b"":2}"\r\n',
    );
  });
});

describe('zonedTimes', () => {
  it('writes the offset that the zone has at that time', () => {
    const times = [
      ['UTC', '2026-12-18T00:30:00.123Z', '2026-12-18T00:30:00.123+00:00'],
      ['Asia/Kolkata', '2026-12-18T00:30:00Z', '2026-12-18T06:00:00.000+05:30'],
      ['America/New_York', '2026-11-01T05:59:59.999Z', '2026-11-01T01:59:59.999-04:00'],
      ['America/New_York', '2026-11-01T06:00:00Z', '2026-11-01T01:00:00.000-05:00'],
      ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05T01:30:00.000+10:30'],
    ] as const;
    for (const [zone, time, expected] of times) {
      assert.equal(zonedTimes(zone)(time), expected);
      assert.equal(Date.parse(expected), Date.parse(time));
    }
  });
});
