import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, serviceUnavailable } from '../errors.ts';
import { andThen, type Eventually } from '../eventually.ts';
import type { Database, Dialect, Queries, Reads, Row, Value } from './database.ts';

const dialect: Dialect = {
  engine: 'sqlite',
  idType: 'TEXT',
  integerType: 'INTEGER',
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  bytes: (expression) => `CAST(${expression} AS BLOB)`,
  // An aggregate takes the rows of a subquery as they come, and a sort of its own would copy every document once more.
  joined: (expression) => `string_agg(${expression}, ',')`,
  tableNames: "SELECT name FROM sqlite_schema WHERE type = 'table'",
  forUpdate: '',
};

/** How long a write waits for another process that holds the file, before its caller is told to come back. */
const longestWaitMs = 5000;
/** Writers share a commit up to this number, and for so long; more would keep everybody else of this process waiting. */
const largestBatch = 256;
const longestBatchMs = 10;

/** Documents are kept by who reads them; here it is the pages that lead to them. */
const readerCacheKiB = 16 * 1024;
/** A write touches the end of the table and a few pages of its indexes. */
const writerCacheKiB = 8 * 1024;

const pageBytes = 8192;
const longestLogBytes = 32 * 1024 * 1024;

export function openSqlite(file: string): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // For the owner alone; the files that SQLite makes beside it take after it.
  closeSync(openSync(file, 'a', 0o600));
  const writer = openConnection(file, writerCacheKiB);
  // From here on a busy file is waited for between turns, never inside a call that would hold up everything else.
  writer.exec('PRAGMA busy_timeout = 0');
  // Readers have a connection of their own, so that they never see what has not been committed yet.
  const reader = openConnection(file, readerCacheKiB);
  reader.exec('PRAGMA query_only = ON');

  const snapshot = createSnapshot(reader, writer);
  const writes = createWriteQueue(writer, snapshot.end);
  const reads = queriesOn(reader, snapshot.begin);
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
    stateNumber: snapshot.number,
    outsideNumber: snapshot.outsideNumber,
    expectedWaitMs: (isWrite) => (isWrite ? writes.expectedWaitMs() : 0),
    close: async () => {
      await writes.drained();
      snapshot.end();
      reader.close();
      writer.close();
    },
  };
}

function openConnection(file: string, cacheKiB: number): DatabaseSync {
  try {
    // Opening may meet another process at the same point: then it waits, in the call, as nothing is served yet.
    const connection = new DatabaseSync(file, { timeout: longestWaitMs });
    // Only where the file is new: for documents of this length a list reads half as many pages, which are better filled.
    connection.exec(`PRAGMA page_size = ${pageBytes}`);
    // Readers go on while one writes, and a commit is one write at the end of one file.
    connection.exec('PRAGMA journal_mode = WAL');
    // A commit is on the disk before it is acknowledged, power cut or not. WAL alone would allow less.
    connection.exec('PRAGMA synchronous = FULL');
    connection.exec('PRAGMA foreign_keys = ON');
    // The log grows while somebody reads for long, as a backup does; afterwards that room is given back.
    connection.exec(`PRAGMA journal_size_limit = ${longestLogBytes}`);
    connection.exec(`PRAGMA cache_size = -${cacheKiB}`);
    connection.exec('PRAGMA temp_store = MEMORY');
    return connection;
  } catch (error) {
    throw told(error);
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
    throw told(error);
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
    throw told(error);
  } finally {
    connection.close();
  }
}

/**
 * Reads of one turn of the event loop share a read transaction: taking and giving up its locks costs as much as the read
 * of a document. It begins with the first read, so after everything that the turn has received was sent, and ends with
 * the turn, or with a commit of our own: nobody is shown less than had been acknowledged when they asked.
 */
function createSnapshot(reader: DatabaseSync, writer: DatabaseSync) {
  const beginning = reader.prepare('BEGIN');
  const ending = reader.prepare('ROLLBACK');
  // Each changes with every commit over another connection than its own: the one with all, the other with all but ours.
  const numberOfReader = dataVersionOf(reader);
  const numberOfWriter = dataVersionOf(writer);
  let isOpen = false;
  let number: number | null = null;
  let outsideNumber = 0;
  const begin = (): void => {
    if (isOpen) return;
    // Before the snapshot is taken: what others commit in between is in it, and shows in the next number.
    outsideNumber = numberOfWriter();
    beginning.run();
    number = null;
    isOpen = true;
    setImmediate(end);
  };
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    // A fault of the disk ends the transaction by itself, and has been told to whoever read. Nothing was written here, so
    // there is nothing more to tell, and nobody to tell it to: thrown between turns it would end the process.
    if (reader.isTransaction) rollBack(ending);
  };
  return {
    begin,
    end,
    number: () =>
      telling(() => {
        begin();
        number ??= numberOfReader();
        return number;
      }),
    outsideNumber: () =>
      telling(() => {
        begin();
        return outsideNumber;
      }),
  };
}

function dataVersionOf(connection: DatabaseSync): () => number {
  const statement = connection.prepare('PRAGMA data_version');
  statement.setReturnArrays(true);
  return () => (statement.get() as unknown as [number])[0];
}

/** Faults in the words of the service. */
function telling<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw told(error);
  }
}

interface Prepared {
  readonly statement: StatementSync;
  /** The names of the columns that it answers with. */
  readonly columns: readonly string[];
  /** For each question mark of the statement, which of the caller's parameters belongs there. */
  readonly order: readonly number[];
}

function queriesOn(connection: DatabaseSync, beforeEach: () => void = () => {}): Omit<Queries, 'atEnd'> {
  const statements = new Map<string, Prepared>();

  const prepare = (sql: string): Prepared => {
    let prepared = statements.get(sql);
    if (prepared === undefined) {
      const order: number[] = [];
      const ownSql = sql.replace(/\$(\d+)/g, (_, number: string) => {
        order.push(Number(number) - 1);
        return '?';
      });
      const statement = connection.prepare(ownSql);
      // The driver's own objects are each of a shape of its own, and slow to read from.
      statement.setReturnArrays(true);
      const columns = namesOf(statement);
      prepared = { statement, columns, order };
      statements.set(sql, prepared);
    }
    return prepared;
  };
  const execute = <T>(sql: string, parameters: readonly Value[], call: (p: Prepared, v: Value[]) => T): T => {
    return telling(() => {
      beforeEach();
      const prepared = prepare(sql);
      const values: Value[] = [];
      for (const index of prepared.order) values.push(parameters[index] as Value);
      return call(prepared, values);
    });
  };

  return {
    get: <R extends Row>(sql: string, parameters: readonly Value[] = []) =>
      execute(sql, parameters, ({ statement, columns }, values) => {
        const row = statement.get(...values) as unknown[] | undefined;
        return row === undefined ? undefined : (rowOf(columns, row) as R);
      }),
    all: <R extends Row>(sql: string, parameters: readonly Value[] = []) =>
      execute(sql, parameters, ({ statement, columns }, values) => {
        const rows = statement.all(...values) as unknown as unknown[][];
        return rows.map((row) => rowOf(columns, row) as R);
      }),
    run: (sql: string, parameters: readonly Value[] = []) =>
      execute(sql, parameters, ({ statement }, values) => Number(statement.run(...values).changes)),
  };
}

/** As keys of an object: a name by any other string would be looked up in the table of all names each time it is used. */
function namesOf(statement: StatementSync): string[] {
  return Object.keys(Object.fromEntries(statement.columns().map(({ name }) => [name, null])));
}

function rowOf(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Row = {};
  for (let place = 0; place < columns.length; place += 1) row[columns[place] as string] = values[place];
  return row;
}

interface Job {
  readonly work: (queries: Queries) => Eventually<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Until then it waits for another process that holds the file. */
  readonly deadline: number;
}

/**
 * Group commit. Writes that arrive in the same turn of the event loop run one after the other in one transaction, each
 * in a savepoint of its own, and are answered after the one commit: the disk is waited for once instead of once each.
 */
function createWriteQueue(connection: DatabaseSync, onCommit: () => void) {
  const endings: (() => void)[] = [];
  const queries = { ...queriesOn(connection), atEnd: (callback: () => void) => void endings.push(callback) };
  const words = {
    begin: connection.prepare('BEGIN IMMEDIATE'),
    commit: connection.prepare('COMMIT'),
    rollback: connection.prepare('ROLLBACK'),
    beginJob: connection.prepare('SAVEPOINT job'),
    endJob: connection.prepare('RELEASE job'),
    undoJob: connection.prepare('ROLLBACK TO job'),
  };
  let waiting: Job[] = [];
  let running: Promise<void> | undefined;
  /** How long one write takes, on average, with all that is done between one batch and the next. */
  let jobMs = 0.2;

  const enqueue = <T>(work: (queries: Queries) => Eventually<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const deadline = performance.now() + longestWaitMs;
      waiting.push({ work, resolve: resolve as (value: unknown) => void, reject, deadline });
      running ??= runAll();
    });

  const runAll = async (): Promise<void> => {
    // One turn later, so that what arrives with this write goes with it.
    await nextTurn();
    for (let start = performance.now(); waiting.length > 0; ) {
      const done = await runBatch(waiting.slice(0, largestBatch));
      waiting = waiting.slice(done);
      await nextTurn();
      const end = performance.now();
      jobMs += 0.1 * ((end - start) / done - jobMs);
      start = end;
    }
    running = undefined;
  };

  /** Resolves to how many of the jobs it has come to; their callers know by then how it went. */
  const runBatch = async (gathered: readonly Job[]): Promise<number> => {
    const answers: (() => void)[] = [];
    let batch = gathered;
    let begun = 0;
    try {
      batch = await begin(words.begin, gathered);
      if (batch.length === 0) return gathered.length;
      const start = performance.now();
      for (const job of batch) {
        begun += 1;
        const answer = batch.length === 1 ? runAlone(job) : runJob(job);
        answers.push(answer instanceof Promise ? await answer : answer);
        if (performance.now() - start > longestBatchMs) break;
      }
      words.commit.run();
      onCommit();
    } catch (error) {
      if (connection.isTransaction) rollBack(words.rollback);
      // Where not even the transaction could begin, that is so for all who wait for it.
      if (begun === 0) begun = batch.length;
      for (const job of batch.slice(0, begun)) job.reject(told(error));
      return gathered.length - batch.length + begun;
    } finally {
      for (const callback of endings.splice(0)) callback();
    }
    // Also a refusal waits for the commit: it may rest on what an earlier write of the batch did.
    for (const answer of answers) answer();
    return gathered.length - batch.length + begun;
  };

  /** With nobody beside it, a job that fails takes the whole transaction with it. */
  const runAlone = (job: Job): Eventually<() => void> =>
    andThen(job.work(queries), (value) => () => job.resolve(value));

  const runJob = (job: Job): Eventually<() => void> => {
    const keep = (value: unknown) => {
      words.endJob.run();
      return () => job.resolve(value);
    };
    const undo = (error: unknown) => {
      // A full disk and the like end the whole transaction by themselves: then nothing of the batch stands.
      if (!connection.isTransaction) throw error;
      words.undoJob.run();
      words.endJob.run();
      return () => job.reject(error);
    };
    words.beginJob.run();
    try {
      const working = job.work(queries);
      return working instanceof Promise ? working.then(keep).catch(undo) : keep(working);
    } catch (error) {
      return undo(error);
    }
  };

  return {
    enqueue,
    // What fits a batch or two is no overload, however long the last one took: another process may have held the file.
    expectedWaitMs: () => (waiting.length <= largestBatch ? 0 : waiting.length * jobMs),
    drained: async () => {
      await running;
    },
  };
}

/**
 * Takes the write lock without blocking the process while another one has it. Whose time is up meanwhile is told so, each
 * at its own: also those who had to wait for others before. Resolves to who is left.
 */
async function begin(beginning: StatementSync, gathered: readonly Job[]): Promise<readonly Job[]> {
  let batch = gathered;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    try {
      beginning.run();
      return batch;
    } catch (error) {
      if (!isBusy(error)) throw error;
      const now = performance.now();
      for (const job of batch) if (job.deadline <= now) job.reject(told(error));
      batch = batch.filter(({ deadline }) => deadline > now);
      if (batch.length === 0) return batch;
    }
    await delay(pauseMs);
  }
}

function rollBack(rollback: StatementSync): void {
  try {
    rollback.run();
  } catch {
    // SQLite has rolled back by itself; the fault that led here is the one that is told.
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const primaryCodes = { busy: 5, locked: 6, readOnly: 8, ioError: 10, full: 13, cannotOpen: 14 };
const passing = new Set(Object.values(primaryCodes));

function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === primaryCodes.busy || code === primaryCodes.locked;
}

/** Faults of the disk pass; what else SQLite reports is a fault of ours and stays as it is. */
function told(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = primaryCode(error);
  return code !== undefined && passing.has(code) ? serviceUnavailable('The database cannot be used.', error) : error;
}
