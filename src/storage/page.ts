import { createConcurrencyLimit } from './concurrency-limit.ts';
import { bytesOf, type Dialect, type Reads, type Row, type Value } from './database.ts';
import type { DocumentKind } from './documents/document-kind.ts';

/** Bytes of JSON documents of one type. `Item` exists only at compile time. */
export type StoredItems<Item> = Buffer & { readonly itemType?: Item };

/** A page of stored documents, joined by the database and read as one value. */
export interface Page<Item> {
  /** The stored documents, joined by commas. */
  readonly items: StoredItems<Item>;
  /** The position of the last item if another page follows. */
  readonly next: string | null;
}

export interface PageRow extends Row {
  items: unknown;
  oldest_version: number | null;
  last_place: string | number | null;
  has_more: unknown;
}

/** The maximum size of the documents of a page, unless it has only one. */
export const maxPageBytes = 8 * 1024 * 1024;
/** 200 documents of this length fit on a page. */
export const ordinaryBytes = 32 * 1024;

interface PageOptions {
  /** The maximum number of rows; defaults to the page size. */
  readonly limit?: string;
  /** The expression that joins the documents. */
  readonly items?: string;
}

/**
 * The newest documents before a position, and whether more follow, in one statement, so that both see the same
 * snapshot. `rowsBefore` starts with FROM; the start position is $2 and the page size $3. The limit is not a bare
 * parameter, because SQLite would prepare the statement again for each value.
 */
export function pageSql(
  { bytes, joined }: Dialect,
  kind: DocumentKind,
  column: string,
  rowsBefore: (place: string) => string,
  { limit = '$3 + 0', items = joined(kind.itemSql(), `${column} DESC`) }: PageOptions = {},
): string {
  return `SELECT items, oldest_version, last_place, EXISTS (SELECT 1 ${rowsBefore('last_place')}) AS has_more
    FROM (SELECT ${bytes(items)} AS items, min(doc_version) AS oldest_version, min(${column}) AS last_place
      FROM (SELECT ${column}, doc, doc_version ${rowsBefore('$2')} ORDER BY ${column} DESC LIMIT ${limit}) AS page) AS pages`;
}

/**
 * A page of documents that is shortened if they exceed `maxPageBytes`. Long documents are rare, and a statement that
 * sums up the lengths would cost half as much again.
 */
export interface BoundedPageSql {
  /** Returns null for the items if one of them may be long. */
  readonly ordinary: string;
  readonly cut: string;
}

/** `hasLongDocuments` is a condition for SQLite: whether workspace $1 has a long document before $2. */
export function boundedPageSql(
  dialect: Dialect,
  kind: DocumentKind,
  column: string,
  rowsBefore: (place: string) => string,
  hasLongDocuments: string,
): BoundedPageSql {
  const lengths = `SELECT ${column} AS place, octet_length(doc) AS bytes ${rowsBefore('$2')} ORDER BY ${column} DESC LIMIT $3 + 0`;
  const ordinary =
    dialect.engine === 'sqlite'
      ? { limit: `CASE WHEN ${hasLongDocuments} THEN 0 ELSE $3 + 0 END` }
      : { items: itemsUnlessLong(dialect, kind, `${column} DESC`) };
  return {
    ordinary: pageSql(dialect, kind, column, rowsBefore, ordinary),
    cut: pageSql(dialect, kind, column, rowsBefore, { limit: limitByLengths(lengths) }),
  };
}

/** For PostgreSQL, which might scan all agents for a long one: null if one of these rows is long. */
export function itemsUnlessLong({ joined }: Dialect, kind: DocumentKind, order: string): string {
  return `CASE WHEN max(octet_length(doc)) > ${ordinaryBytes} THEN NULL
      ELSE coalesce(${joined(kind.itemSql(), order)} FILTER (WHERE octet_length(doc) <= ${ordinaryBytes}), '') END`;
}

/** How many rows, newest first, fit on a page of $3. `lengths` is a SELECT of `place` and `bytes`. */
export function limitByLengths(lengths: string): string {
  return `CASE WHEN (SELECT sum(bytes) FROM (${lengths}) AS lengths) <= ${maxPageBytes} THEN $3 + 0
      ELSE (SELECT count(*) FROM (${placesWithin(lengths)}) AS within) END`;
}

/** The positions of the rows that fit. */
export function placesWithin(lengths: string): string {
  return `SELECT place FROM (
      SELECT place, bytes, sum(bytes) OVER (ORDER BY place DESC ROWS UNBOUNDED PRECEDING) AS total FROM (${lengths}) AS lengths
    ) AS totals WHERE total <= ${maxPageBytes} OR total = bytes`;
}

/** A long page takes three times its length while the PostgreSQL driver reads it. */
const maxConcurrentLongPages = 1;
const maxWaitMs = 5000;

export type ReadPage = <Item>(sql: BoundedPageSql, parameters: readonly Value[]) => Promise<Page<Item>>;

/** Reads pages of one kind of document, with a limit on concurrent long ones. */
export function createPageReader(queries: Reads, kind: DocumentKind): ReadPage {
  const longPages = createConcurrencyLimit(maxConcurrentLongPages, maxWaitMs);
  return async ({ ordinary, cut }, parameters) => {
    const row = await queries.get<PageRow>(ordinary, parameters);
    if (row?.items !== null) return pageOf(row, kind);
    return pageOf(await longPages.use(async () => queries.get<PageRow>(cut, parameters)), kind);
  };
}

export function pageOf<Item>(row: PageRow | undefined, kind: DocumentKind): Page<Item> {
  if (row === undefined || row.items === null) return { items: Buffer.alloc(0), next: null };
  const items = bytesOf(kind.currentItems(bytesOf(row.items), row.oldest_version));
  return { items, next: row.has_more ? String(row.last_place) : null };
}

/** Every id starts with a letter before "~", so this sorts after all ids: the start of a list in descending order. */
export const afterEveryId = '~';
