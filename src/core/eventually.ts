/** A value that is there already on SQLite, and will be on PostgreSQL. */
export type Eventually<T> = T | Promise<T>;
