import { ConcurrencyLimit } from './concurrency-limit.ts';
import { bytesOf, type Dialect, type Reads, type Row, type Value } from './database.ts';

/** Bytes of JSON documents of one kind: `Item` is only for the compiler. */
export type StoredItems<Item> = Buffer & { readonly itemType?: Item };

/** A page of stored documents, put together by the database and read as one value. */
export interface Page<Item> {
  /** The documents, as they are stored, with commas between them. */
  readonly items: StoredItems<Item>;
  /** The place of the last one, where others follow it. */
  readonly next: string | null;
}

export interface PageRow extends Row {
  items: unknown;
  last_place: string | number | null;
  has_more: unknown;
}

/** The documents of a page come to no more than this, unless it has only one. */
export const maxPageBytes = 8 * 1024 * 1024;
/** Of documents up to this length 200 fit on a page. */
export const ordinaryBytes = 32 * 1024;

interface PageOptions {
  /** The number of rows: the size of the page where nothing else is said. */
  readonly limit?: string;
  /** What makes one text of the documents. */
  readonly items?: string;
}

/**
 * The newest documents before a place, and whether others follow, in one statement, so that both see the same moment.
 * `rowsBefore` is the part from FROM on; the place to begin at is $2 and the size of the page $3. With the bare parameter
 * as its limit, SQLite would plan the statement anew each time, for the sake of its value.
 */
export function pageSql(
  { bytes, joined }: Dialect,
  column: string,
  rowsBefore: (place: string) => string,
  { limit = '$3 + 0', items = joined('doc', `${column} DESC`) }: PageOptions = {},
): string {
  return `SELECT ${bytes('items')} AS items, last_place, EXISTS (SELECT 1 ${rowsBefore('last_place')}) AS has_more
    FROM (SELECT ${items} AS items, min(${column}) AS last_place
      FROM (SELECT ${column}, doc ${rowsBefore('$2')} ORDER BY ${column} DESC LIMIT ${limit}) AS page) AS pages`;
}

/**
 * A page of documents, which is cut where its documents would be more than `maxPageBytes`. Nearly always none of them is
 * long, and a statement that added up their lengths would be half as dear again.
 */
export interface BoundedPageSql {
  /** Answers with null for the items where one of them may be long. */
  readonly ordinary: string;
  readonly cut: string;
}

/** `hasLongDocuments` is a condition for SQLite: whether a document of workspace $1 before $2 is long. */
export function boundedPageSql(
  dialect: Dialect,
  column: string,
  rowsBefore: (place: string) => string,
  hasLongDocuments: string,
): BoundedPageSql {
  const lengths = `SELECT ${column} AS place, octet_length(doc) AS bytes ${rowsBefore('$2')} ORDER BY ${column} DESC LIMIT $3 + 0`;
  const ordinary =
    dialect.engine === 'sqlite'
      ? { limit: `CASE WHEN ${hasLongDocuments} THEN 0 ELSE $3 + 0 END` }
      : { items: itemsUnlessLong(dialect, `${column} DESC`) };
  return {
    ordinary: pageSql(dialect, column, rowsBefore, ordinary),
    cut: pageSql(dialect, column, rowsBefore, { limit: limitByLengths(lengths) }),
  };
}

/** For PostgreSQL, which might walk through all agents in search of one that is long: null where one of these is. */
export function itemsUnlessLong({ joined }: Dialect, order: string): string {
  return `CASE WHEN max(octet_length(doc)) > ${ordinaryBytes} THEN NULL
      ELSE coalesce(${joined('doc', order)} FILTER (WHERE octet_length(doc) <= ${ordinaryBytes}), '') END`;
}

/** How many of the rows, newest first, fit on a page of $3. `lengths` is a SELECT of their `place` and `bytes`. */
export function limitByLengths(lengths: string): string {
  return `CASE WHEN (SELECT sum(bytes) FROM (${lengths}) AS lengths) <= ${maxPageBytes} THEN $3 + 0
      ELSE (SELECT count(*) FROM (${placesWithin(lengths)}) AS within) END`;
}

/** The places of those that fit. */
export function placesWithin(lengths: string): string {
  return `SELECT place FROM (
      SELECT place, bytes, sum(bytes) OVER (ORDER BY place DESC ROWS UNBOUNDED PRECEDING) AS total FROM (${lengths}) AS lengths
    ) AS totals WHERE total <= ${maxPageBytes} OR total = bytes`;
}

/** A long page takes three times its length while the driver of PostgreSQL reads it. */
const maxLongPagesAtOnce = 1;
const maxWaitMs = 5000;

export type ReadPage = <Item>(sql: BoundedPageSql, parameters: readonly Value[]) => Promise<Page<Item>>;

/** Reads pages, with a limit on how many long ones are read at once. */
export function createPageReader(queries: Reads): ReadPage {
  const longPages = new ConcurrencyLimit(maxLongPagesAtOnce, maxWaitMs);
  return async ({ ordinary, cut }, parameters) => {
    const row = await queries.get<PageRow>(ordinary, parameters);
    if (row?.items !== null) return pageOf(row);
    return pageOf(await longPages.use(async () => queries.get<PageRow>(cut, parameters)));
  };
}

export function pageOf<Item>(row: PageRow | undefined): Page<Item> {
  if (row === undefined || row.items === null) return { items: Buffer.alloc(0), next: null };
  return { items: bytesOf(row.items), next: row.has_more ? String(row.last_place) : null };
}

/** Every id begins with a letter before "~", so this one stands after all of them: where a list of ids begins. */
export const afterEveryId = '~';
