import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { AppError, serviceUnavailable } from '../../core/errors.ts';
import type { Eventually } from '../../core/eventually.ts';
import { ConcurrencyLimit } from '../concurrency-limit.ts';
import type { Database, Dialect, Queries, Reads, Row, Value } from '../database.ts';

const dialect: Dialect = {
  engine: 'postgres',
  // Without it the order of ids would follow the language that the database was made with.
  idType: 'TEXT COLLATE "C"',
  integerType: 'BIGINT',
  floatType: 'DOUBLE PRECISION',
  bytesType: 'BYTEA',
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  bytes: (expression) => expression,
  joined: (expression, order) => `string_agg(${expression}, ',' ORDER BY ${order})`,
  tableNames: 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
  forUpdate: 'FOR UPDATE',
  forUpdateSkipLocked: 'FOR UPDATE SKIP LOCKED',
  // Not `clock_timestamp()`: it may change within a statement, so that no index could be used.
  clock: (given) => `coalesce(${given}::bigint, (extract(epoch FROM statement_timestamp()) * 1000)::bigint)`,
  textsIn: (parameter) => `SELECT json_array_elements_text(${parameter}::json)`,
};

/** Any number will do as long as every version of the service uses the same one. */
const exclusiveLock = 7_305_521_604;
const largestPool = 10;
/** So many reads, and so many changes, at once. Each fewer than there are connections: neither can keep the other out. */
const maxOfAKind = 8;
const maxConnectMs = 5000;
const maxStatementMs = 10_000;
/** The server ends a statement that takes too long. Where it says nothing at all, we stop waiting a little later. */
const ordinaryMaxSilenceMs = 11_000;
/** A connection that is not used is tried after this long, so that a dead one is found before somebody needs it. */
const keepAliveMs = 10_000;
/** As long as a timer can be. */
const noLimit = 2 ** 31 - 1;
const attemptsAfterConflict = 4;
const withoutTimeLimit = 'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';
const applicationName = 'voice-agent-service';

export function openPostgres(
  url: string,
  onError: (error: Error) => void,
  maxSilenceMs: number = ordinaryMaxSilenceMs,
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: largestPool,
    connectionTimeoutMillis: maxConnectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    application_name: applicationName,
    statement_timeout: maxStatementMs,
    query_timeout: maxSilenceMs,
    idle_in_transaction_session_timeout: maxStatementMs,
    types: { getTypeParser },
  });
  // A connection that breaks while nobody uses it is replaced by the pool; without a listener it would end the process.
  pool.on('error', onError);
  // The server may say goodbye right behind its greeting: then it is heard before whoever asked for the connection has it.
  pool.on('connect', (client) => client.on('error', () => {}));
  const nameOf = createStatementNames();
  const reads = new ConcurrencyLimit(maxOfAKind, maxConnectMs);
  const writes = new ConcurrencyLimit(maxOfAKind, maxConnectMs);

  const inTransaction = async <T>(
    begin: (client: pg.PoolClient) => Promise<unknown>,
    work: (queries: Queries) => Eventually<T>,
    maxMs: number = maxSilenceMs,
  ): Promise<T> => {
    const client = await pool.connect().catch(rethrowTold);
    let broken: Error | undefined;
    const noteError = (error: Error): void => {
      broken = error;
    };
    client.on('error', noteError);
    const endings: (() => void)[] = [];
    const atEnd = (callback: () => void) => void endings.push(callback);
    try {
      await begin(client);
      const value = await work({ ...queriesOn(client, nameOf, maxMs), atEnd });
      await client.query('COMMIT');
      return value;
    } catch (error) {
      // Nobody would hear it: the connection is given up, and the server undoes what was not committed.
      if (isSilence(error)) noteError(error as Error);
      else await client.query('ROLLBACK').catch(noteError);
      throw toServiceError(error);
    } finally {
      client.off('error', noteError);
      client.release(broken);
      for (const callback of endings) callback();
    }
  };

  const transaction = <T>(work: (queries: Queries) => Eventually<T>): Promise<T> => writes.use(() => repeated(work));

  const repeated = async <T>(work: (queries: Queries) => Eventually<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await inTransaction((client) => client.query('BEGIN'), work);
      } catch (error) {
        if (!isConflict(error)) throw error;
        if (attempt === attemptsAfterConflict)
          throw serviceUnavailable('The request conflicts with other writes.', error);
        await delay(attempt * 5 * Math.random());
      }
    }
  };

  const exclusive = <T>(work: (queries: Queries) => Eventually<T>): Promise<T> =>
    inTransaction(
      async (client) => {
        await client.query('BEGIN');
        // Whoever comes second waits for the first one's migrations, however long those take.
        await client.query(withoutTimeLimit);
        const text = 'SELECT pg_advisory_xact_lock($1)';
        await client.query({ text, values: [exclusiveLock], query_timeout: noLimit } as pg.QueryConfig);
      },
      work,
      noLimit,
    );

  const snapshot = <T>(work: (queries: Reads) => Promise<T>): Promise<T> =>
    inTransaction(
      async (client) => {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        await client.query(withoutTimeLimit);
      },
      work,
      noLimit,
    );

  return {
    dialect,
    ...queriesOn({ query: (statement) => reads.use(() => pool.query(statement)) }, nameOf, maxSilenceMs),
    ahead: queriesOn(pool, nameOf, maxSilenceMs),
    transaction,
    exclusive,
    snapshot,
    atEnd: (callback) => callback(),
    externalVersion: () => null,
    expectedWaitMs: (isWrite) => (isWrite ? writes : reads).expectedWaitMs(),
    close: () => pool.end(),
  };
}

/** Whether a service, or a command beside it, is connected to the database at this moment. */
export async function isPostgresInUse(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: maxConnectMs });
  try {
    await client.connect();
    const { rowCount } = await client.query(
      `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()`,
      [applicationName],
    );
    return rowCount !== 0;
  } catch (error) {
    throw toServiceError(error);
  } finally {
    await client.end();
  }
}

function queriesOn(
  connection: { query(statement: pg.QueryConfig): Promise<pg.QueryResult> },
  nameOf: (sql: string) => string,
  maxMs: number,
): Omit<Queries, 'atEnd'> {
  const query = async (sql: string, parameters: readonly Value[]): Promise<pg.QueryResult> => {
    try {
      const statement = { name: nameOf(sql), text: sql, values: parameters as Value[], query_timeout: maxMs };
      return await connection.query(statement);
    } catch (error) {
      throw toServiceError(error);
    }
  };
  return {
    get: async <R extends Row>(sql: string, parameters: readonly Value[] = []) =>
      (await query(sql, parameters)).rows[0] as R | undefined,
    all: async <R extends Row>(sql: string, parameters: readonly Value[] = []) =>
      (await query(sql, parameters)).rows as R[],
    run: async (sql: string, parameters: readonly Value[] = []) => (await query(sql, parameters)).rowCount ?? 0,
  };
}

/** A name makes the server keep the parsed and planned statement for the life of the connection. */
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

/** The driver hands over BIGINT as text, for fear of numbers past 2^53; ours stay below. */
const bigintType = 20;

function getTypeParser(type: number, format?: 'text' | 'binary'): (value: never) => unknown {
  if (type === bigintType && format !== 'binary') return Number;
  return pg.types.getTypeParser(type, format as 'text');
}

const passingConditions = [
  /^08/, // the connection broke
  /^53/, // the server lacks memory, disk or connections
  /^57P0/, // the server is starting, stopping, or ended the session
  /^57014$/, // the statement ran out of time
  /^25P03$/, // this process was held up in the middle of a transaction
  /^58/, // the disk of the server, or what else is below it
  /^25006$/, // a standby: it will be the leader again, or another server will
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH)/,
];
/** What the driver throws without a code when it has no usable connection. */
const passingMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|The server does not support|Query read timeout)/;

/** The driver stopped waiting for an answer. Told by `told`, it is the cause. */
function isSilence(error: unknown): boolean {
  const { message, cause } = error as Error;
  return message === 'Query read timeout' || (cause instanceof Error && cause.message === 'Query read timeout');
}

function isConflict(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === '40001' || code === '40P01';
}

function rethrowTold(error: unknown): never {
  throw toServiceError(error);
}

/** A server that cannot be reached becomes 503. Anything else that PostgreSQL reports is a bug, and stays as it is. */
function toServiceError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = String((error as { code?: unknown }).code ?? '');
  const passes = passingConditions.some((condition) => condition.test(code)) || passingMessages.test(error.message);
  return passes ? serviceUnavailable('The database is unavailable.', error) : error;
}
