import type { Database, Queries, Row, Value } from '../database.ts';
import { readSetting, writeSetting } from '../settings.ts';
import type { DocumentKind } from './document-kind.ts';

/** The documents of one table. */
export interface StoredDocuments {
  readonly kind: DocumentKind;
  readonly table: string;
  /** Unique; the order in which they are rewritten. */
  readonly key: readonly string[];
  /** The other columns that follow from a document, such as its ETag. */
  readonly derived?: (document: never, text: string) => Readonly<Record<string, Value>>;
}

/**
 * A release writes documents that the one before it cannot change. While both run, in a rolling upgrade, only those that
 * change are written in the new version.
 */
const startAfterMs = 3_600_000;
/** A batch is one transaction, which other writes wait for on SQLite. */
const maxRows = 100;
const maxBytes = 256 * 1024;

/** How far the rewriting of a table has come: in the settings, so that processes continue each other's work. */
interface Progress {
  readonly version: number;
  /** The key of the last row; null if all are done. */
  readonly after: readonly Value[] | null;
}

/**
 * Rewrites older documents in the current version, a batch at a time. Resolves to true if there are more. Several
 * processes may do so at once: at worst they look at the same rows.
 */
export function createRewriting(
  database: Database,
  now: () => number,
  tables: readonly StoredDocuments[],
): () => Promise<boolean> {
  const startAt = now() + startAfterMs;
  const left = new Set(tables.filter(({ kind }) => kind.version > 1));

  return async () => {
    if (now() < startAt) return false;
    for (const stored of left) {
      const isDone = await database.transaction((queries) => rewriteBatch(queries, database, stored), {
        isBackground: true,
      });
      if (!isDone) return true;
      left.delete(stored);
    }
    return false;
  };
}

/** Resolves to true if no rows are left. */
async function rewriteBatch(queries: Queries, { dialect }: Database, stored: StoredDocuments): Promise<boolean> {
  const { kind, table, key } = stored;
  const setting = `document_versions.${table}`;
  const known: Progress | null = JSON.parse((await readSetting(queries, setting)) ?? 'null');
  const progress = known === null || known.version < kind.version ? { version: kind.version, after: [] } : known;
  // A newer release may have done more.
  if (progress.after === null || progress.version > kind.version) return true;
  const { after } = progress;
  const start = after.length === 0 ? '' : `WHERE (${key.join(', ')}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`;
  const rows = await queries.all<Row & { doc_version: number }>(
    `SELECT ${key.join(', ')}, doc_version FROM ${table} ${start} ORDER BY ${key.join(', ')} LIMIT ${maxRows}`,
    after,
  );
  let bytes = 0;
  let last = rows.length < maxRows ? null : keyOf(stored, rows.at(-1) as Row);
  for (const row of rows) {
    if (row.doc_version < kind.version) bytes += await rewrite(queries, stored, keyOf(stored, row), dialect.forUpdate);
    if (bytes > maxBytes && row !== rows.at(-1)) {
      last = keyOf(stored, row);
      break;
    }
  }
  await writeSetting(queries, setting, JSON.stringify({ version: kind.version, after: last }));
  return last === null;
}

function keyOf({ key }: StoredDocuments, row: Row): Value[] {
  return key.map((name) => row[name] as Value);
}

/** Resolves to the length of the document. */
async function rewrite(
  queries: Queries,
  { kind, table, key, derived = () => ({}) }: StoredDocuments,
  keyValues: readonly Value[],
  forUpdate: string,
): Promise<number> {
  const isRow = key.map((name, index) => `${name} = $${index + 1}`).join(' AND ');
  const row = await queries.get<{ doc: string | null; doc_version: number }>(
    `SELECT doc, doc_version FROM ${table} WHERE ${isRow} AND doc_version < ${kind.version} ${forUpdate}`,
    keyValues,
  );
  // Another process has removed or rewritten it, or its content was deleted.
  if (row === undefined || row.doc === null) return 0;
  const text = String(kind.current(row.doc, row.doc_version));
  const columns = { doc: text, doc_version: kind.version, ...derived(JSON.parse(text) as never, text) };
  const changes = Object.keys(columns).map((name, index) => `${name} = $${key.length + index + 1}`);
  await queries.run(`UPDATE ${table} SET ${changes.join(', ')} WHERE ${isRow}`, [
    ...keyValues,
    ...Object.values(columns),
  ]);
  return Buffer.byteLength(text);
}
