import type { DatabaseLocation } from '../config.ts';
import type { Database } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/** Opens the database that the configuration names. `onFault` hears of faults that no request was waiting for. */
export function openDatabase(location: DatabaseLocation, onFault: (error: Error) => void): Database {
  return location.engine === 'sqlite' ? openSqlite(location.file) : openPostgres(location.url, onFault);
}
