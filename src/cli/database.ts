import { existsSync } from 'node:fs';
import type { DatabaseLocation } from '../config.ts';
import { describeDatabase } from '../process/banner.ts';
import type { Database } from '../storage/database.ts';
import { isEmpty } from '../storage/migrate.ts';
import { openDatabase } from '../storage/open.ts';
import type { CommandContext } from './context.ts';
import { CommandError } from './failures.ts';

/** Only the service and `restore` create a database. */
export function requireDatabaseFile(location: DatabaseLocation): void {
  if (location.engine === 'sqlite' && !existsSync(location.file))
    throw missing(`no database found at ${location.file}`);
}

/** Closes the database however the work ends. */
export async function withDatabase<T>(
  location: DatabaseLocation,
  { stderr }: CommandContext,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(location, (error) => void stderr.write(`voice-agents: ${error.message}\n`));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Throws if the service has not been started with the database, such as a PostgreSQL database without tables. */
export async function requireTables(database: Database, location: DatabaseLocation): Promise<void> {
  if (await isEmpty(database)) throw missing(`${describeDatabase(location)} is empty`);
}

function missing(what: string): CommandError {
  return new CommandError(
    `${what}: set DATABASE_URL to the database of the service, or start the service once to create it`,
  );
}
