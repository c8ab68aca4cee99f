import type { DatabaseLocation } from '../config.ts';
import type { Database } from './database.ts';
import { isPostgresInUse, openPostgres } from './postgres/postgres.ts';
import { isSqliteInUse, openSqlite } from './sqlite/sqlite.ts';

/** Opens the database that the configuration names. `onError` is called for errors that no request was waiting for. */
export function openDatabase(location: DatabaseLocation, onError: (error: Error) => void): Database {
  return location.engine === 'sqlite' ? openSqlite(location.file) : openPostgres(location.url, onError);
}

/** Whether another process works on the database, as far as that can be told. To be asked before it is opened here. */
export async function isInUse(location: DatabaseLocation): Promise<boolean> {
  return location.engine === 'sqlite' ? isSqliteInUse(location.file) : isPostgresInUse(location.url);
}
