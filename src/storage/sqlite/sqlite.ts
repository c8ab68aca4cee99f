import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import type { Database, Dialect, Reader, ReaderConnection, Reads } from '../database.ts';
import { createDocumentKinds } from '../documents/upgrades.ts';
import { migrations } from '../migrations/index.ts';
import { isBusy, toServiceError, withServiceErrors } from './errors.ts';
import { createWriteQueue, maxWaitMs } from './group-commit.ts';
import { queriesOn } from './queries.ts';

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  idType: 'TEXT',
  integerType: 'INTEGER',
  floatType: 'REAL',
  bytesType: 'BLOB',
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  bytes: (expression) => `CAST(${expression} AS BLOB)`,
  // An aggregate takes the rows of a subquery in order. Sorting in the aggregate would copy every document once more.
  joined: (expression) => `string_agg(${expression}, ',')`,
  values: (expression) => `json_group_array(${expression})`,
  // The bytes of a blob are those of the text, so that nothing is converted.
  // A part of an empty blob is null.
  joinedBytes: (expression) => `CAST(coalesce(string_agg(${expression}, ''), '') AS BLOB)`,
  tableNames: "SELECT name FROM sqlite_schema WHERE type = 'table'",
  forUpdate: '',
  forUpdateSkipLocked: '',
  forFieldUpdate: '',
  forFieldUpdateSkipLocked: '',
  forShare: '',
  forReference: '',
  clock: (given) => given,
  textsIn: (parameter) => `SELECT value FROM json_each(${parameter})`,
};

/** Documents are cached by their readers; this cache is for the pages that lead to them. */
const readerCacheKiB = 16 * 1024;
/** A write touches the end of the table and a few index pages. */
const writerCacheKiB = 8 * 1024;

const pageBytes = 8192;
const maxLogBytes = 32 * 1024 * 1024;

export function openSqlite(file: string, now: () => number = () => performance.now()): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Readable by the owner only. The files that SQLite creates next to it inherit the mode.
  closeSync(openSync(file, 'a', 0o600));
  const writer = openConnection(file, writerCacheKiB);
  // From here on, waiting for a busy file happens between event loop iterations, never inside a call that would block
  // the process.
  writer.exec('PRAGMA busy_timeout = 0');
  // Reads use a separate connection, so that they never see uncommitted data.
  const reader = openReadingConnection(file);

  const externalVersion = dataVersionOf(writer);
  const writes = createWriteQueue(writer, now, externalVersion);
  const reads = queriesOn(reader);
  const run: Database['run'] = (sql, parameters) => writes.enqueue((queries) => queries.run(sql, parameters));
  return {
    dialect: sqliteDialect,
    documents: createDocumentKinds(),
    location: { engine: 'sqlite', file },
    schema: migrations.length,
    get: reads.get,
    all: reads.all,
    unqueued: { get: reads.get, all: reads.all, run },
    adHoc: queriesOn(reader, { isAdHoc: true }),
    run,
    write: run,
    transaction: writes.enqueue,
    // A write transaction in SQLite always locks the whole file.
    exclusive: (work) => writes.enqueue(work),
    buildIndex: async (name, on) => void (await run(`CREATE INDEX IF NOT EXISTS ${name} ON ${on}`)),
    snapshot: (work) => readSnapshot(file, work),
    beforeCommit: (step) => step(),
    atEnd: (callback) => callback(true),
    forgetDeleted: async () => truncateLog(file),
    externalVersion,
    expectedWaitMs: (isWrite) => (isWrite ? writes.expectedWaitMs() : 0),
    close: async () => {
      await writes.drained();
      reader.close();
      writer.close();
    },
  };
}

/** For a thread, next to the connections of the process. */
export function openSqliteReader(file: string): ReaderConnection {
  const connection = openReadingConnection(file);
  const { get, all } = queriesOn(connection);
  const reader: Reader = {
    dialect: sqliteDialect,
    documents: createDocumentKinds(),
    get,
    all,
    adHoc: queriesOn(connection, { isAdHoc: true }),
  };
  return {
    snapshot: async (work) => {
      connection.exec('BEGIN');
      try {
        return await work(reader);
      } finally {
        // A failed read may have ended it, and its error is the one to report.
        if (connection.isTransaction) connection.exec('COMMIT');
      }
    },
    close: async () => connection.close(),
  };
}

function openReadingConnection(file: string): DatabaseSync {
  const connection = openConnection(file, readerCacheKiB);
  connection.exec('PRAGMA query_only = ON');
  return connection;
}

function openConnection(file: string, cacheKiB: number): DatabaseSync {
  try {
    // Another process may be opening the file at the same time. Blocking is fine here, because nothing is served yet.
    const connection = new DatabaseSync(file, { timeout: maxWaitMs });
    // Only affects a new file: for documents of this length a list reads half as many pages, which are filled better.
    connection.exec(`PRAGMA page_size = ${pageBytes}`);
    // Readers are not blocked by a writer, and a commit is one append to one file.
    connection.exec('PRAGMA journal_mode = WAL');
    // A commit must survive a power failure before it is acknowledged. synchronous = NORMAL does not guarantee that in WAL mode.
    connection.exec('PRAGMA synchronous = FULL');
    connection.exec('PRAGMA foreign_keys = ON');
    // The WAL grows during long reads such as a backup. This returns the disk space afterwards.
    connection.exec(`PRAGMA journal_size_limit = ${maxLogBytes}`);
    connection.exec(`PRAGMA cache_size = -${cacheKiB}`);
    connection.exec('PRAGMA temp_store = MEMORY');
    // Deleted content is overwritten with zeros. A delete takes 16 µs instead of 8, everything else as long as before.
    connection.exec('PRAGMA secure_delete = ON');
    return connection;
  } catch (error) {
    throw toServiceError(error);
  }
}

/** Moves all commits into the database file, if nobody is using the log at the moment. */
function truncateLog(file: string): boolean {
  const connection = openConnection(file, writerCacheKiB);
  try {
    connection.exec('PRAGMA busy_timeout = 0');
    const { busy } = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
    return busy === 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw toServiceError(error);
  } finally {
    connection.close();
  }
}

/** Uses a separate connection. While it is open, commits accumulate in the WAL. */
async function readSnapshot<T>(file: string, work: (queries: Reads) => Promise<T>): Promise<T> {
  const connection = openConnection(file, writerCacheKiB);
  try {
    connection.exec('PRAGMA query_only = ON');
    connection.exec('BEGIN');
    const value = await work(queriesOn(connection));
    connection.exec('ROLLBACK');
    // Moves the accumulated commits into the database file; otherwise the next commit of the service would have to wait
    // for it.
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return value;
  } catch (error) {
    throw toServiceError(error);
  } finally {
    connection.close();
  }
}

/** Whether another process has the file open: leaving WAL mode requires exclusive access. */
export function isSqliteInUse(file: string): boolean {
  if (!existsSync(file)) return false;
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec('PRAGMA journal_mode = DELETE');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw toServiceError(error);
  } finally {
    connection.close();
  }
}

/**
 * `PRAGMA data_version` changes with every commit over a different connection; on the writer, these are commits by
 * other processes. While the writer has an open transaction, nobody else can commit.
 *
 * The version is read once after each poll of the event loop, because its file locks take a sixth of the time of a small
 * read. The requests that a poll returns were all sent before it, so none of them can follow a commit that this misses.
 * (Only after 1,024 events libuv polls again without counting it. By then, requests are usually queued for the next one.)
 */
function dataVersionOf(writer: DatabaseSync): () => number {
  const statement = writer.prepare('PRAGMA data_version');
  statement.setReturnArrays(true);
  const { nodeTiming } = performance;
  let version = Number.NaN;
  let readIn = -1;
  return () => {
    const { loopCount } = nodeTiming.uvMetricsInfo;
    if (loopCount !== readIn) {
      version = withServiceErrors(() => (statement.get() as unknown as [number])[0]);
      readIn = loopCount;
    }
    return version;
  };
}
