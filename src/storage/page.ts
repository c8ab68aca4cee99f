import type { Piece } from '../pieces.ts';
import { bytesOf, type Dialect, type Row } from './database.ts';

/** A page of stored documents, put together by the database and read as one value. */
export interface Page {
  /** The documents, as they are stored, with commas between them. */
  readonly items: Piece;
  /** The place of the last one, where others follow it. */
  readonly next: string | null;
}

export interface PageRow extends Row {
  items: unknown;
  last_place: string | number | null;
  has_more: unknown;
}

/**
 * The newest documents before a place, and whether others follow, in one statement, so that both see the same moment.
 * `rowsBefore` is the part from FROM on; the place to begin at is $2 and the size of the page $3. With the bare parameter
 * as its limit, SQLite would plan the statement anew each time, for the sake of its value. `more` are further aggregates
 * of the rows, by name.
 */
export function pageSql(
  { bytes, joined }: Dialect,
  column: string,
  rowsBefore: (place: string) => string,
  more: Readonly<Record<string, string>> = {},
): string {
  const names = Object.keys(more).map((name) => `, ${name}`);
  const expressions = Object.entries(more).map(([name, expression]) => `, ${expression} AS ${name}`);
  return `SELECT ${bytes('items')} AS items${names.join('')}, last_place, EXISTS (SELECT 1 ${rowsBefore('last_place')}) AS has_more
    FROM (SELECT ${joined('doc', `${column} DESC`)} AS items${expressions.join('')}, min(${column}) AS last_place
      FROM (SELECT ${column}, doc ${rowsBefore('$2')} ORDER BY ${column} DESC LIMIT $3 + 0) AS page) AS pages`;
}

export function pageOf(row: PageRow | undefined): Page {
  if (row === undefined || row.items === null) return { items: Buffer.alloc(0), next: null };
  return { items: bytesOf(row.items), next: row.has_more ? String(row.last_place) : null };
}

/** Every id begins with a letter before "~", so this one stands after all of them: where a list of ids begins. */
export const afterEveryId = '~';
