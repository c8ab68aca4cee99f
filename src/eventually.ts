/**
 * A value that is there already, or will be. SQLite answers at once, PostgreSQL later; waiting where nothing has to be
 * waited for costs as much as the read of a document, so what every request passes through is written with `andThen`.
 */
export type Eventually<T> = T | Promise<T>;

/** Goes on with the value: at once where it is there. What `next` throws is thrown, or rejects, accordingly. */
export function andThen<T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
