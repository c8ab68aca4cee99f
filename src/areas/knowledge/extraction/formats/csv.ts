import { blockKinds, TextBuilder } from '../blocks.ts';
import { collapseSpaces } from '../cleaning.ts';
import type { DocumentText } from '../extraction.ts';
import { limits } from '../limits.ts';

const maxNameLength = 100;

export interface CsvDocument extends DocumentText {
  /** Whether columns were left out. */
  readonly isTruncated: boolean;
}

/** A block per row, with a line `column: value` for each value. The first row has the names of the columns. */
export function readCsv(text: string): CsvDocument {
  const builder = new TextBuilder();
  let names: readonly string[] | null = null;
  let isTruncated = false;
  let rowCount = 0;
  for (const { values, columnCount } of csvRows(text)) {
    if (values.every((value) => value.trim() === '')) continue;
    isTruncated ||= columnCount > limits.columns;
    if (names === null) {
      names = values.map((value) => collapseSpaces(value).slice(0, maxNameLength));
      continue;
    }
    rowCount += 1;
    builder.add(blockKinds.record, rowText(names, values));
  }
  // Without any row, the names are all that it has.
  if (rowCount === 0 && names !== null) builder.add(blockKinds.record, names.join('\n'));
  return { ...builder.build(), isTruncated };
}

function rowText(names: readonly string[], values: readonly string[]): string {
  return values
    .map((value, column) => labelled(names[column] ?? '', value.trim()))
    .filter((line) => line !== '')
    .join('\n');
}

/** `name: value`, or only one of the two. */
export function labelled(name: string, value: string): string {
  if (value === '') return '';
  return name === '' ? value : `${name}: ${value}`;
}

interface CsvRow {
  /** At most as many as a table may have. */
  readonly values: readonly string[];
  readonly columnCount: number;
}

/** As in RFC 4180. Also reads what programs make of it: semicolons or tabs, and quotes in the middle of a value. */
function* csvRows(text: string): Generator<CsvRow> {
  const delimiter = delimiterOf(text);
  const valueEnd = new RegExp(`[${delimiter}\\n]`, 'g');
  let values: string[] = [];
  let columnCount = 0;
  for (let position = 0; position < text.length; ) {
    const quoted = text[position] === '"' ? quotedValue(text, position) : { value: '', end: position };
    valueEnd.lastIndex = quoted.end;
    const end = valueEnd.exec(text)?.index ?? text.length;
    columnCount += 1;
    if (columnCount <= limits.columns) values.push(quoted.value + text.slice(quoted.end, end));
    if (text[end] !== delimiter) {
      yield { values, columnCount };
      values = [];
      columnCount = 0;
    }
    position = end + 1;
  }
  if (columnCount > 0) yield { values, columnCount };
}

function quotedValue(text: string, start: number): { readonly value: string; readonly end: number } {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return { value: value + text.slice(from), end: text.length };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}

/** The one that the first line has most of. */
function delimiterOf(text: string): string {
  const [firstLine = ''] = text.split('\n', 1);
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: firstLine.split(delimiter).length }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}
