import { existsSync } from 'node:fs';
import type { DatabaseLocation } from '../config.ts';
import { describeDatabase } from '../process/banner.ts';
import type { Database } from '../storage/database.ts';
import { schemaOf } from '../storage/migrate.ts';
import { openDatabase } from '../storage/open.ts';
import { CommandError } from './failures.ts';

/** Only the service and `restore` create a database. */
export function requireDatabaseFile(location: DatabaseLocation): void {
  if (location.engine === 'sqlite' && !existsSync(location.file))
    throw missing(`no database found at ${location.file}`);
}

export function openExistingDatabase(location: DatabaseLocation, stderr: { write(text: string): unknown }): Database {
  requireDatabaseFile(location);
  return openDatabase(location, (error) => void stderr.write(`voice-agents: ${error.message}\n`));
}

/** Throws if the service has not been started with the database, such as a PostgreSQL database without tables. */
export async function requireTables(database: Database, location: DatabaseLocation): Promise<void> {
  if ((await schemaOf(database, database.dialect)) === 0) throw missing(`${describeDatabase(location)} is empty`);
}

function missing(what: string): CommandError {
  return new CommandError(
    `${what}: set DATABASE_URL to the database of the service, or start the service once to create it`,
  );
}
