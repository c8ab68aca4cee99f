import type { DatabaseLocation } from '../config.ts';
import type { Database, ReaderConnection } from './database.ts';
import { isPostgresInUse, openPostgres, openPostgresReader } from './postgres/postgres.ts';
import { isSqliteInUse, openSqlite, openSqliteReader } from './sqlite/sqlite.ts';

/**
 * Opens the configured database. `onError` is called for errors that do not belong to a request. `release`: tests have
 * versions of their own.
 */
export function openDatabase(
  location: DatabaseLocation,
  onError: (error: Error) => void,
  release: Partial<Pick<Database, 'documents' | 'schema'>> = {},
): Database {
  const database = location.engine === 'sqlite' ? openSqlite(location.file) : openPostgres(location.url, onError);
  return { ...database, ...release };
}

/** Opens the database of a running service once more, to read from it in a thread. */
export function openReader(location: DatabaseLocation): ReaderConnection {
  return location.engine === 'sqlite' ? openSqliteReader(location.file) : openPostgresReader(location.url);
}

/** Whether another process uses the database, as far as can be detected. Call it before opening the database. */
export async function isInUse(location: DatabaseLocation): Promise<boolean> {
  return location.engine === 'sqlite' ? isSqliteInUse(location.file) : isPostgresInUse(location.url);
}
