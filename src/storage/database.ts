import type { Eventually } from '../core/eventually.ts';

/** What the two engines have in common, and all that the rest of the program knows of them. */

export type Value = string | number | Uint8Array | null;
export type Row = Record<string, unknown>;

/**
 * The few words in which the engines differ. SQL is written once, in what both understand, with parameters as `$1`;
 * where they have no common word, the statement takes it from here.
 */
export interface Dialect {
  readonly engine: 'sqlite' | 'postgres';
  /** A column type for ids and other text that sorts by bytes. */
  readonly idType: string;
  /** A whole number of up to 53 bits. */
  readonly integerType: string;
  /** A number with a fraction. Neither NaN nor infinite. */
  readonly floatType: string;
  readonly bytesType: string;
  /** True where `text` holds `part` as it stands. */
  contains(text: string, part: string): string;
  /** A text expression to be read with `bytesOf`, without a detour through a JavaScript string where that is possible. */
  bytes(expression: string): string;
  /** The texts of an ordered subquery with commas between them, in that order. */
  joined(expression: string, order: string): string;
  /** A query for the names of all tables, as `name`. */
  readonly tableNames: string;
  /** Ends a SELECT that holds its rows for a change. SQLite has no word for it: who writes there is alone anyway. */
  readonly forUpdate: string;
  /** The same, without the rows that others hold at the time. */
  readonly forUpdateSkipLocked: string;
  /**
   * The time in milliseconds by a clock that all processes on the database share. `given` is a parameter with the time of
   * this process: SQLite takes it, as they all run on one machine; PostgreSQL has a clock of its own, and takes it only where it is not null.
   */
  clock(given: string): string;
  /** The texts of a JSON array in a parameter, as a subquery for IN. */
  textsIn(parameter: string): string;
}

export interface Reads {
  get<R extends Row>(sql: string, parameters?: readonly Value[]): Eventually<R | undefined>;
  all<R extends Row>(sql: string, parameters?: readonly Value[]): Eventually<R[]>;
}

export interface Queries extends Reads {
  /** Resolves to the number of rows changed. */
  run(sql: string, parameters?: readonly Value[]): Eventually<number>;
  /** Runs when the transaction has ended, whichever way, and before anybody hears of it. */
  atEnd(callback: () => void): void;
}

export interface Database extends Queries {
  readonly dialect: Dialect;
  /**
   * Runs `work` in one transaction and resolves once it is durable. `work` may run again after a conflict, and while it
   * runs others wait: it must do nothing but talk to the database.
   */
  transaction<T>(work: (queries: Queries) => Eventually<T>): Promise<T>;
  /** Does not wait behind others: for the little that every request needs before it is known what else it needs. */
  readonly ahead: Reads;
  /** A transaction that no other process runs at the same time, whatever it touches: for migrations and first starts. */
  exclusive<T>(work: (queries: Queries) => Eventually<T>): Promise<T>;
  /**
   * Reads of one moment for as long as `work` takes: nobody waits for it, and what is committed meanwhile is not in it.
   * For commands that read everything there is; on SQLite it ends with work that would hold up a server.
   */
  snapshot<T>(work: (queries: Reads) => Promise<T>): Promise<T>;
  /**
   * A number that changes with every commit by anybody else than this process, and that is true at the time of the call.
   * Null if the engine would have to ask over the network.
   */
  externalVersion(): number | null;
  /** How long a read or a write that comes now waits before its work begins, judged by how it went so far. */
  readonly expectedWaitMs: (isWrite: boolean) => number;
  close(): Promise<void>;
}

/** A value read through `dialect.bytes`. */
export function bytesOf(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError('expected text or bytes from the database');
}
