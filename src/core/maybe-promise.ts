/** A value that SQLite returns synchronously and PostgreSQL returns as a promise. */
export type MaybePromise<T> = T | Promise<T>;
