import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setField, unsetField } from '../../src/cli/agents/fields.ts';
import { table } from '../../src/cli/terminal/table.ts';
import { cells, jsonLine, shortened, visible } from '../../src/cli/terminal/text.ts';

const terminalOf = (columns: number) =>
  Object.assign(new PassThrough(), { isTTY: true, columns, getColorDepth: () => 1 }) as unknown as NodeJS.WriteStream;

describe('text for a terminal', () => {
  it('is measured in terminal cells', () => {
    const widths: [string, number][] = [
      ['Reception', 9],
      ['予約センター', 12],
      ['ｶﾅ', 2],
      ['ガ', 2],
      ['か\u3099', 2],
      ['ＡＢ（１）', 10],
      ['한국어', 6],
      ['é', 1],
      ['e\u0301', 1],
      ['👩‍👩‍👧', 2],
      ['☎️', 2],
      ['𠮷野家', 6],
    ];
    assert.deepEqual(
      widths.map(([text]) => [text, cells(text)]),
      widths,
    );
  });

  it('is truncated by visible width', () => {
    assert.equal(shortened('予約センター', 12), '予約センター');
    assert.equal(shortened('予約センター', 8), '予約セ…');
    assert.equal(shortened('Reception', 5), 'Rece…');
  });

  it('contains no escape sequences', () => {
    assert.equal(
      visible('a\x1b[2Jb\r\n\tc\x7f\x9b\u202e\u2028\ud800'),
      'a\\u001b[2Jb\\r\\n\\tc\\u007f\\u009b\\u202e\\u2028\\ud800',
    );
    assert.equal(visible('予約 👩‍👩‍👧'), '予約 👩‍👩‍👧');
    const value = { a: 'x\x1b\x9b\u202e' };
    assert.equal(jsonLine(value), '{"a":"x\\u001b\\u009b\\u202e"}\n');
    assert.deepEqual(JSON.parse(jsonLine(value)), value);
  });
});

describe('a table', () => {
  const rows = [
    ['agt_1', '予約センター', 'draft'],
    ['agt_22', 'Front desk of the second shop', 'published'],
  ];

  it('is aligned by visible width, without trailing spaces', () => {
    assert.equal(
      table(
        ['ID', 'NAME', 'STATE'],
        rows.map((row) => row.map((text) => text.slice(0, 10))),
      ),
      'ID      NAME          STATE\nagt_1   予約センター  draft\nagt_22  Front desk    published\n',
    );
    assert.equal(table(['A', 'B'], [['x', '']]), 'A  B\nx\n');
  });

  it('fits the terminal: some columns are dropped, one is truncated, ids are kept', () => {
    const options = { dispensable: ['STATE'], elastic: 'NAME' };
    const lines = (columns: number) =>
      table(['ID', 'NAME', 'STATE'], rows, { ...options, stream: terminalOf(columns) })
        .trimEnd()
        .split('\n');
    assert.deepEqual(lines(80), table(['ID', 'NAME', 'STATE'], rows).trimEnd().split('\n'));
    assert.equal(lines(40)[2], 'agt_22  Front desk of the se…  published');
    assert.equal(lines(20)[2], 'agt_22  Front desk…');
    for (const columns of [80, 40, 27, 20]) assert.ok(lines(columns).every((line) => cells(line) <= columns));
  });

  it('shows a line break in a name as an escape', () => {
    assert.equal(table(['A'], [['x\ny\x1b[31m']]), 'A\nx\\ny\\u001b[31m\n');
  });
});

describe('--set and --unset', () => {
  const fieldsOf = (...assignments: string[]) => {
    const fields = {};
    for (const assignment of assignments) setField(fields, assignment);
    return fields;
  };

  it('accept JSON, and anything else as text', () => {
    assert.deepEqual(
      fieldsOf('a=1.5', 'b=true', 'c=null', 'd=["x"]', 'e=hello', 'f="12"', 'g=', 'h=a=b', 'i={not json'),
      {
        a: 1.5,
        b: true,
        c: null,
        d: ['x'],
        e: 'hello',
        f: '12',
        g: '',
        h: 'a=b',
        i: '{not json',
      },
    );
  });

  it('address nested fields with dots', () => {
    assert.deepEqual(fieldsOf('a.b=1', 'a.c.d=2', 'a.b=3'), { a: { b: 3, c: { d: 2 } } });
    const fields = { a: { b: 1, c: 2 } };
    unsetField(fields, 'a.b');
    assert.deepEqual(fields, { a: { b: null, c: 2 } });
  });

  it('reject invalid paths by name', () => {
    assert.throws(() => fieldsOf('name'), /--set name: must have the form field=value/);
    assert.throws(() => fieldsOf('=1'), /must have the form field=value/);
    assert.throws(() => fieldsOf('a..b=1'), /--set a\.\.b: a field name is empty/);
    assert.throws(() => fieldsOf('a=1', 'a.b=1'), /--set a\.b: a is not an object/);
    assert.throws(() => fieldsOf('a=[]', 'a.b=1'), /a is not an object/);
  });

  it('cannot reach anything but fields', () => {
    const fields = fieldsOf('__proto__.isPublished=true', 'constructor.x=1');
    assert.deepEqual(Object.keys(fields), ['__proto__', 'constructor']);
    assert.equal(({} as { isPublished?: boolean }).isPublished, undefined);
    assert.equal(JSON.stringify(fields), '{"__proto__":{"isPublished":true},"constructor":{"x":1}}');
  });
});
