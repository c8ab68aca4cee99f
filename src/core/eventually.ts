/** A value that SQLite returns synchronously and PostgreSQL returns as a promise. */
export type Eventually<T> = T | Promise<T>;
