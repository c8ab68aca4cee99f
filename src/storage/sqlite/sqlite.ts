import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Database, Dialect, Reads } from '../database.ts';
import { isBusy, toServiceError, withServiceErrors } from './errors.ts';
import { createWriteQueue, maxWaitMs } from './group-commit.ts';
import { queriesOn } from './queries.ts';

const dialect: Dialect = {
  engine: 'sqlite',
  idType: 'TEXT',
  integerType: 'INTEGER',
  floatType: 'REAL',
  bytesType: 'BLOB',
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  bytes: (expression) => `CAST(${expression} AS BLOB)`,
  // An aggregate takes the rows of a subquery as they come, and a sort of its own would copy every document once more.
  joined: (expression) => `string_agg(${expression}, ',')`,
  tableNames: "SELECT name FROM sqlite_schema WHERE type = 'table'",
  forUpdate: '',
  forUpdateSkipLocked: '',
  clock: (given) => given,
  textsIn: (parameter) => `SELECT value FROM json_each(${parameter})`,
};

/** Documents are kept by who reads them; here it is the pages that lead to them. */
const readerCacheKiB = 16 * 1024;
/** A write touches the end of the table and a few pages of its indexes. */
const writerCacheKiB = 8 * 1024;

const pageBytes = 8192;
const maxLogBytes = 32 * 1024 * 1024;

export function openSqlite(file: string, now: () => number = () => performance.now()): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // For the owner alone; the files that SQLite makes beside it take after it.
  closeSync(openSync(file, 'a', 0o600));
  const writer = openConnection(file, writerCacheKiB);
  // From here on a busy file is waited for between turns, never inside a call that would hold up everything else.
  writer.exec('PRAGMA busy_timeout = 0');
  // Readers have a connection of their own, so that they never see what has not been committed yet.
  const reader = openConnection(file, readerCacheKiB);
  reader.exec('PRAGMA query_only = ON');

  const writes = createWriteQueue(writer, now);
  const reads = queriesOn(reader);
  return {
    dialect,
    get: reads.get,
    all: reads.all,
    ahead: reads,
    run: (sql, parameters) => writes.enqueue((queries) => queries.run(sql, parameters)),
    transaction: writes.enqueue,
    // A write transaction of SQLite is alone on the whole file by its nature.
    exclusive: writes.enqueue,
    snapshot: (work) => readMoment(file, work),
    atEnd: (callback) => callback(),
    externalVersion: dataVersionOf(writer),
    expectedWaitMs: (isWrite) => (isWrite ? writes.expectedWaitMs() : 0),
    close: async () => {
      await writes.drained();
      reader.close();
      writer.close();
    },
  };
}

function openConnection(file: string, cacheKiB: number): DatabaseSync {
  try {
    // Opening may meet another process at the same point: then it waits, in the call, as nothing is served yet.
    const connection = new DatabaseSync(file, { timeout: maxWaitMs });
    // Only where the file is new: for documents of this length a list reads half as many pages, which are better filled.
    connection.exec(`PRAGMA page_size = ${pageBytes}`);
    // Readers go on while one writes, and a commit is one write at the end of one file.
    connection.exec('PRAGMA journal_mode = WAL');
    // A commit is on the disk before it is acknowledged, power cut or not. WAL alone would allow less.
    connection.exec('PRAGMA synchronous = FULL');
    connection.exec('PRAGMA foreign_keys = ON');
    // The log grows while somebody reads for long, as a backup does; afterwards that room is given back.
    connection.exec(`PRAGMA journal_size_limit = ${maxLogBytes}`);
    connection.exec(`PRAGMA cache_size = -${cacheKiB}`);
    connection.exec('PRAGMA temp_store = MEMORY');
    return connection;
  } catch (error) {
    throw toServiceError(error);
  }
}

/** On a connection of its own. While it is held, commits pile up in the log instead of going into the file. */
async function readMoment<T>(file: string, work: (queries: Reads) => Promise<T>): Promise<T> {
  const connection = openConnection(file, writerCacheKiB);
  try {
    connection.exec('PRAGMA query_only = ON');
    connection.exec('BEGIN');
    const value = await work(queriesOn(connection));
    connection.exec('ROLLBACK');
    // What has piled up goes into the file here, or else the next commit of the service would have to wait for it.
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return value;
  } catch (error) {
    throw toServiceError(error);
  } finally {
    connection.close();
  }
}

/** Whether any other process has the file open: only who is alone on it may leave the mode in which it is shared. */
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
 * `PRAGMA data_version` changes with every commit over another connection than its own, so on the writer with those of
 * other processes. It costs 2 µs. While a transaction of the writer is open nobody else can commit.
 */
function dataVersionOf(writer: DatabaseSync): () => number {
  const statement = writer.prepare('PRAGMA data_version');
  statement.setReturnArrays(true);
  return () => withServiceErrors(() => (statement.get() as unknown as [number])[0]);
}
