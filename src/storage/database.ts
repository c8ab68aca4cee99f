import type { DatabaseLocation } from '../config.ts';
import type { MaybePromise } from '../core/maybe-promise.ts';
import type { DocumentKinds } from './documents/upgrades.ts';

/** The interface of both database engines. */

export type Value = string | number | Uint8Array | null;
export type Row = Record<string, unknown>;

/**
 * The differences between the engines in SQL. Statements are written once, in the common subset, with parameters as
 * `$1`, and use these fields for the rest.
 */
export interface Dialect {
  readonly engine: 'sqlite' | 'postgres';
  /** The column type for ids and other text that sorts by bytes. */
  readonly idType: string;
  /** An integer of up to 53 bits. */
  readonly integerType: string;
  /** A floating-point number, except NaN and infinity. */
  readonly floatType: string;
  readonly bytesType: string;
  /** True if `text` contains `part` literally. */
  contains(text: string, part: string): string;
  /** A text expression to read with `bytesOf`, if possible without creating a JavaScript string. */
  bytes(expression: string): string;
  /** The values of an ordered subquery, joined by commas in that order. */
  joined(expression: string, order: string): string;
  /** The values of an expression over an ordered subquery, as the text of a JSON array. NULL if there are no rows. */
  values(expression: string): string;
  /** The bytes of an expression over an ordered subquery, one after another. */
  joinedBytes(expression: string): string;
  /** A query for all table names, as `name`. */
  readonly tableNames: string;
  /** Ends a SELECT that locks its rows for a change. Empty on SQLite, which has a single writer. */
  readonly forUpdate: string;
  /** The same, without the rows that others hold at the time. */
  readonly forUpdateSkipLocked: string;
  /** The same for rows whose key stays: others may add rows that refer to them in the meantime. */
  readonly forFieldUpdate: string;
  /** The same, without the rows that others hold at the time. */
  readonly forFieldUpdateSkipLocked: string;
  /** Keeps the rows from being changed; several transactions can do so at once. */
  readonly forShare: string;
  /** Keeps the rows from being deleted, so that rows that refer to them can be added. */
  readonly forReference: string;
  /**
   * The time in milliseconds by a clock that all processes on the database share. `given` is a parameter with the time of
   * this process: SQLite takes it, as they all run on one machine; PostgreSQL has a clock of its own, and takes it only where it is not null.
   */
  clock(given: string): string;
  /** The texts of a JSON array in a parameter, as a subquery for IN. */
  textsIn(parameter: string): string;
}

export interface Reads {
  get<R extends Row>(sql: string, parameters?: readonly Value[]): MaybePromise<R | undefined>;
  all<R extends Row>(sql: string, parameters?: readonly Value[]): MaybePromise<R[]>;
}

export type EndCallback = (isCommitted: boolean) => void;

export interface Queries extends Reads {
  /** Resolves to the number of rows changed. */
  run(sql: string, parameters?: readonly Value[]): MaybePromise<number>;
  /**
   * A write whose result is not needed. In a transaction on PostgreSQL it resolves when it is sent, which saves a round
   * trip; if it fails, the transaction does.
   */
  write(sql: string, parameters?: readonly Value[]): MaybePromise<unknown>;
  /**
   * Runs `work` as the last step of the transaction, after everything else in it: for a lock that others wait for. It
   * must do nothing but use `queries`. Outside of a transaction it runs at once.
   */
  beforeCommit(work: () => MaybePromise<void>): MaybePromise<void>;
  /**
   * Runs when the transaction has ended, before its caller is notified. `isCommitted` is false if it was rolled back, or
   * if that is not known.
   */
  atEnd(callback: EndCallback): void;
}

/** Reads what is committed. */
export interface Reader extends Reads {
  readonly dialect: Dialect;
  /** The kinds of documents that are stored in it, and their versions. */
  readonly documents: DocumentKinds;
  /** For statements that callers compose, such as filters: they are not kept prepared, because there is no limit to how many there are. */
  readonly adHoc: Reads;
}

/** A connection of a thread. */
export interface ReaderConnection {
  /** Everything that `work` reads is from one moment: later commits are not visible. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Database extends Queries, Reader {
  /** For threads, which need connections of their own. */
  readonly location: DatabaseLocation;
  /** The schema version that this process was written for. */
  readonly schema: number;
  /**
   * Runs `work` in one transaction and resolves once it is durable. `work` may run again after a conflict, and other
   * writes wait for it, so it must do nothing but query the database. `isBackground`: it may take a little longer. If many
   * of these are written at once, everything else of the process goes on in between.
   */
  transaction<T>(
    work: (queries: Queries) => MaybePromise<T>,
    options?: { readonly isBackground?: boolean },
  ): Promise<T>;
  /**
   * Bypasses the queue of PostgreSQL, for the few short reads that every request needs first, and for leases: if their
   * renewal waited behind the requests of a busy service, others would take over what is still in progress.
   */
  readonly unqueued: Reads & Pick<Queries, 'run'>;
  /**
   * A transaction that no other process runs concurrently, for migrations and first starts. With `locks`, it waits only
   * shortly for tables that others use on PostgreSQL, because everybody else waits behind it: then it starts again a
   * little later, and `onBlocked` is called.
   */
  exclusive<T>(work: (queries: Queries) => MaybePromise<T>, locks?: { readonly onBlocked: () => void }): Promise<T>;
  /** Builds an index that does not exist yet. On PostgreSQL, others can write to the table meanwhile. */
  buildIndex(name: string, on: string): Promise<void>;
  /**
   * Consistent reads for as long as `work` takes: it blocks nobody, and later commits are not visible. For commands
   * that read the whole database; on SQLite it ends with work that would block a server.
   */
  snapshot<T>(work: (queries: Reads) => Promise<T>): Promise<T>;
  /**
   * Removes what was deleted or overwritten from the log of SQLite, which keeps it until its place is used again. False:
   * somebody is reading from the log, so try again later. PostgreSQL has to be told by its operator.
   */
  forgetDeleted(): Promise<boolean>;
  /**
   * A number that changes with every commit by another process. It includes all commits before the last poll of the event
   * loop. Null if this would need a network request.
   */
  externalVersion(): number | null;
  /** The expected wait of a read or write that arrives now, based on recent ones. */
  readonly expectedWaitMs: (isWrite: boolean) => number;
  close(): Promise<void>;
}

/** A value read through `dialect.bytes`. */
export function bytesOf(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError('expected text or bytes from the database');
}
