// The same code as in Node.js, without Buffer, so that the dashboard can use it.
import { stringify } from 'csv-stringify/browser/esm/sync';

export type CsvCell = string | number | boolean | null;

/** So that Excel reads UTF-8. It is the start of a file. */
export const byteOrderMark = '\ufeff';

/**
 * Lines of a CSV file as in RFC 4180: null is empty, an empty text is `""`. A text that a spreadsheet would compute, such
 * as `=cmd()`, starts with an apostrophe.
 */
export function csvLines(rows: readonly (readonly CsvCell[])[]): string {
  return stringify(rows as CsvCell[][], {
    record_delimiter: '\r\n',
    escape_formulas: true,
    // A line break of another kind than that between records.
    quoted_match: /[\r\n]/,
    cast: { boolean: String, string: (text) => (text === '' ? { value: '', quoted_empty: true } : text) },
  });
}
