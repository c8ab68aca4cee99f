import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { serviceUnavailable } from '../../core/errors.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import type { Database, EndCallback, Queries, ReaderConnection, Reads, Row, Value } from '../database.ts';
import { createDocumentKinds } from '../documents/upgrades.ts';
import { migrations } from '../migrations/index.ts';
import { postgresDialect } from './dialect.ts';
import { isBlocked, isConflict, isQueryTimeout, toServiceError } from './errors.ts';

/** An arbitrary number that must be the same in every version of the service. */
const exclusiveLock = 7_305_521_604;
/** How often a process that waits for the lock asks for it, and how long a migration lets others work before it tries again. */
const exclusivePauseMs = 200;
/** How long a migration waits for a table at a time: everybody who needs the table waits behind it. */
const maxLockMs = 100;
const maxPoolSize = 10;
/**
 * The maximum of concurrent reads, and of concurrent writes. Each is below the number of connections, so that neither
 * can block the other.
 */
const maxConcurrent = 8;
const maxConnectMs = 5000;
const maxStatementMs = 10_000;
/** The server cancels slow statements. If it does not respond at all, we stop waiting a little later. */
const defaultQueryTimeoutMs = 11_000;
/** Idle connections are checked at this interval, so that dead ones are found before they are needed. */
const keepAliveMs = 10_000;
/** The maximum delay of a timer. */
const noLimit = 2 ** 31 - 1;
const maxAttempts = 4;
/** How many writes of a transaction are sent before the result of one is waited for: results take memory until then. */
const maxUnconfirmedWrites = 100;
const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
const noTimeouts = 'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';
const applicationName = 'voice-agent-service';

const require = createRequire(import.meta.url);

/** Loaded with the first connection: a service on SQLite takes 2 MB less without it. */
function postgresLibrary(): typeof pg {
  return require('pg');
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function openPostgres(
  url: string,
  onError: (error: Error) => void,
  queryTimeoutMs: number = defaultQueryTimeoutMs,
): Database {
  const pool = openPool(url, maxPoolSize, queryTimeoutMs, onError);
  const nameOf = createStatementNames();
  const reads = createConcurrencyLimit(maxConcurrent, maxConnectMs);
  const writes = createConcurrencyLimit(maxConcurrent, maxConnectMs);

  const inTransaction = async <T>(
    begin: (client: pg.PoolClient) => MaybePromise<BegunTransaction>,
    work: (queries: Queries) => MaybePromise<T>,
    maxMs: number = queryTimeoutMs,
  ): Promise<T> => {
    const client = await pool.connect().catch((error) => {
      throw toServiceError(error);
    });
    let broken: Error | undefined;
    const noteError = (error: Error): void => {
      broken = error;
    };
    client.on('error', noteError);
    const lastSteps: (() => MaybePromise<void>)[] = [];
    const beforeCommit = (step: () => MaybePromise<void>) => void lastSteps.push(step);
    const endCallbacks: EndCallback[] = [];
    const atEnd = (callback: EndCallback) => void endCallbacks.push(callback);
    const unconfirmed = new UnconfirmedWrites();
    let isCommitted = false;
    try {
      const { begun, query } = await begin(client);
      const queries = queriesOn({ query }, nameOf, maxMs);
      const write: Queries['write'] = async (sql, parameters) => {
        await begun;
        await unconfirmed.add(queries.run(sql, parameters));
      };
      const value = await work({ ...queries, write, beforeCommit, atEnd });
      for (const step of lastSteps) await step();
      const commit = client.query('COMMIT');
      // If one has failed, the server rolls back instead.
      await Promise.all([unconfirmed.settled(), commit]);
      isCommitted = true;
      return value;
    } catch (error) {
      // What came after a failed write failed because of it.
      const cause = unconfirmed.firstError ?? error;
      // A ROLLBACK would not arrive: the connection is closed, and the server rolls back.
      if (isQueryTimeout(cause)) noteError(cause as Error);
      else await client.query('ROLLBACK').catch(noteError);
      throw toServiceError(cause);
    } finally {
      client.off('error', noteError);
      client.release(broken);
      for (const callback of endCallbacks) callback(isCommitted);
    }
  };

  const transaction = <T>(work: (queries: Queries) => MaybePromise<T>): Promise<T> =>
    writes.use(() => withRetries(work));

  const withRetries = async <T>(work: (queries: Queries) => MaybePromise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await inTransaction(beginTogether, work);
      } catch (error) {
        if (!isConflict(error)) throw error;
        if (attempt === maxAttempts) throw serviceUnavailable('The request conflicts with other writes.', error);
        await delay(attempt * 5 * Math.random());
      }
    }
  };

  const withoutTimeouts = <T>(begin: readonly string[], work: (queries: Queries) => MaybePromise<T>): Promise<T> =>
    inTransaction(
      async (client) => {
        for (const text of begin) await client.query({ text, query_timeout: noLimit } as pg.QueryConfig);
        return { begun: Promise.resolve(), query: (statement) => client.query(statement) };
      },
      work,
      noLimit,
    );

  // A second process waits for the migrations of the first, however long they take. It asks again and again: a statement
  // that waited for the lock would hold up the building of an index.
  const exclusive: Database['exclusive'] = async (work, locks) => {
    const begin = locks === undefined ? noTimeouts : `${noTimeouts}; SET LOCAL lock_timeout = ${maxLockMs}`;
    for (;;) {
      try {
        const done = await withoutTimeouts(['BEGIN', begin], async (queries) => {
          const row = await queries.get<{ locked: boolean }>(
            `SELECT pg_try_advisory_xact_lock(${exclusiveLock}) AS locked`,
          );
          return row?.locked === true ? { value: await work(queries) } : null;
        });
        if (done !== null) return done.value;
      } catch (error) {
        if (locks === undefined || !isBlocked(error)) throw error;
        locks.onBlocked();
      }
      await delay(exclusivePauseMs);
    }
  };

  const buildIndex = async (name: string, on: string): Promise<void> => {
    const client = await pool.connect().catch((error) => {
      throw toServiceError(error);
    });
    let failure: Error | undefined;
    client.on('error', () => {});
    const query = (text: string) => client.query({ text, query_timeout: noLimit } as pg.QueryConfig);
    try {
      await query('SET statement_timeout = 0');
      while ((await query(`SELECT pg_try_advisory_lock(${exclusiveLock}) AS locked`)).rows[0].locked !== true)
        await delay(exclusivePauseMs);
      const invalid = `SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('${name}') AND NOT indisvalid`;
      // A process that was lost while it built the index leaves it unfinished.
      if ((await query(invalid)).rowCount !== 0) await query(`DROP INDEX CONCURRENTLY ${name}`);
      await query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
    } catch (error) {
      failure = error as Error;
      throw toServiceError(error);
    } finally {
      // The lock and the timeout end with the connection.
      client.release(failure ?? true);
    }
  };

  const snapshot = <T>(work: (queries: Reads) => Promise<T>): Promise<T> =>
    withoutTimeouts([beginSnapshot, noTimeouts], work);

  const limited: Connection = { query: (statement) => reads.use(() => pool.query(statement)) };
  return {
    dialect: postgresDialect,
    documents: createDocumentKinds(),
    location: { engine: 'postgres', url },
    schema: migrations.length,
    ...queriesOn(limited, nameOf, queryTimeoutMs),
    unqueued: queriesOn(pool, nameOf, queryTimeoutMs),
    adHoc: queriesOn(limited, null, queryTimeoutMs),
    transaction,
    exclusive,
    buildIndex,
    snapshot,
    beforeCommit: (step) => step(),
    atEnd: (callback) => callback(true),
    forgetDeleted: async () => true,
    externalVersion: () => null,
    expectedWaitMs: (isWrite) => (isWrite ? writes : reads).expectedWaitMs(),
    close: () => pool.end(),
  };
}

/** For a thread, which runs one query at a time. */
export function openPostgresReader(url: string): ReaderConnection {
  // The next query reports what an idle connection is not asked for.
  const pool = openPool(url, 1, defaultQueryTimeoutMs, () => {});
  const documents = createDocumentKinds();
  const nameOf = createStatementNames();
  return {
    snapshot: async (work) => {
      let client: pg.PoolClient | undefined;
      let failure: Error | undefined;
      try {
        client = await pool.connect();
        await client.query(beginSnapshot);
        const adHoc = queriesOn(client, null, defaultQueryTimeoutMs);
        const value = await work({
          dialect: postgresDialect,
          documents,
          ...queriesOn(client, nameOf, defaultQueryTimeoutMs),
          adHoc,
        });
        await client.query('COMMIT');
        return value;
      } catch (error) {
        failure = error as Error;
        throw toServiceError(error);
      } finally {
        // After a failure it is closed, which ends the transaction, too.
        client?.release(failure);
      }
    },
    close: () => pool.end(),
  };
}

function openPool(url: string, max: number, queryTimeoutMs: number, onError: (error: Error) => void): pg.Pool {
  const { Pool, types } = postgresLibrary();
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: maxConnectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    application_name: applicationName,
    statement_timeout: maxStatementMs,
    query_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: maxStatementMs,
    types: { getTypeParser: withNumbers(types) },
    // Statements are sent without waiting for the result of the one before.
    pipeline: true,
  });
  // The pool replaces connections that break while idle. Without a listener the error would crash the process.
  pool.on('error', onError);
  // The server may close a connection right after the handshake, before the code that requested it can add a listener.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A connection that was just closed is listed until its process on the server has ended. */
const endingChecks = 10;
const endingPauseMs = 300;

/** Whether a service or command is connected to the database. */
export async function isPostgresInUse(url: string): Promise<boolean> {
  const { Client } = postgresLibrary();
  const client = new Client({ connectionString: url, connectionTimeoutMillis: maxConnectMs });
  try {
    await client.connect();
    for (let check = 1; ; check += 1) {
      const { rowCount } = await client.query(
        `SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()`,
        [applicationName],
      );
      if (rowCount === 0 || check === endingChecks) return rowCount !== 0;
      await delay(endingPauseMs);
    }
  } catch (error) {
    throw toServiceError(error);
  } finally {
    await client.end();
  }
}

interface Connection {
  query(statement: pg.QueryConfig): Promise<pg.QueryResult>;
}

interface BegunTransaction extends Connection {
  /** Resolves when the server has begun it. */
  readonly begun: Promise<unknown>;
}

/**
 * Sends BEGIN together with the first statement, if that only reads: if BEGIN failed, a write would be committed by
 * itself.
 */
function beginTogether(client: pg.PoolClient): BegunTransaction {
  let hasBegun = false;
  const begun = client.query('BEGIN').then(() => {
    hasBegun = true;
  });
  begun.catch(() => {});
  return {
    begun,
    query: async (statement) => {
      if (hasBegun) return client.query(statement);
      if (!/^\s*SELECT\b/.test(statement.text)) await begun;
      const [result] = await Promise.all([client.query(statement), begun]);
      return result;
    },
  };
}

/** The writes of a transaction whose results have not been waited for. */
class UnconfirmedWrites {
  firstError: unknown;
  #writes: Promise<unknown>[] = [];

  async add(write: MaybePromise<unknown>): Promise<void> {
    const noted = Promise.resolve(write).catch((error) => {
      this.firstError ??= error;
      throw error;
    });
    noted.catch(() => {});
    this.#writes.push(noted);
    if (this.#writes.length > maxUnconfirmedWrites) await this.#writes.shift();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#writes);
  }
}

/** Statements stay prepared under their names, unless `nameOf` is null. */
function queriesOn(
  connection: Connection,
  nameOf: ((sql: string) => string) | null,
  maxMs: number,
): Omit<Queries, 'atEnd' | 'beforeCommit'> {
  const query = async (sql: string, parameters: readonly Value[]): Promise<pg.QueryResult> => {
    try {
      const statement = { text: sql, values: parameters as Value[], query_timeout: maxMs };
      return await connection.query(nameOf === null ? statement : { ...statement, name: nameOf(sql) });
    } catch (error) {
      throw toServiceError(error);
    }
  };
  const run = async (sql: string, parameters: readonly Value[] = []) => (await query(sql, parameters)).rowCount ?? 0;
  return {
    get: async <R extends Row>(sql: string, parameters: readonly Value[] = []) =>
      (await query(sql, parameters)).rows[0] as R | undefined,
    all: async <R extends Row>(sql: string, parameters: readonly Value[] = []) =>
      (await query(sql, parameters)).rows as R[],
    run,
    write: run,
  };
}

/** Naming a statement makes the server keep it parsed and planned for the life of the connection. */
function createStatementNames(): (sql: string) => string {
  const names = new Map<string, string>();
  return (sql) => {
    let name = names.get(sql);
    if (name === undefined) {
      name = `statement_${names.size + 1}`;
      names.set(sql, name);
    }
    return name;
  };
}

/** The driver returns BIGINT as text because of values above 2^53; ours are below. */
const bigintType = 20;

function withNumbers(types: typeof pg.types) {
  return (type: number, format?: 'text' | 'binary'): ((value: never) => unknown) =>
    type === bigintType && format !== 'binary' ? Number : types.getTypeParser(type, format as 'text');
}
