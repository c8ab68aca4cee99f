import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../../src/storage/migrate.ts';
import { runInProcess } from '../support/command-line.ts';
import type { Engine } from '../support/engines.ts';
import { withDatabase } from './support.ts';

export function run(databaseUrl: string, ...args: string[]) {
  return runInProcess(args, { DATABASE_URL: databaseUrl });
}

/** PostgreSQL takes a moment to notice that a client is gone. */
export async function runWhenFree(databaseUrl: string, ...args: string[]) {
  for (let tries = 0; ; tries += 1) {
    const result = await run(databaseUrl, ...args);
    if (tries === 200 || !result.stderr.includes('in use')) return result;
    await delay(10);
  }
}

export async function isEmpty(databaseUrl: string): Promise<boolean> {
  const tables = await withDatabase(databaseUrl, async (database) => database.all(database.dialect.tableNames));
  return tables.length === 0;
}

/** A new database with so many workspaces, whose names are incompressible, so that there is something to write. */
export async function databaseOf(engine: Engine, workspaces: number): Promise<string> {
  const databaseUrl = await engine.newServiceUrl();
  await withDatabase(databaseUrl, async (database) => {
    await migrate(database, Date.now);
    await database.transaction(async (queries) => {
      for (let number = 0; number < workspaces; number += 1) {
        const name = randomBytes(3000).toString('base64');
        await queries.run('INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, 1)', [
          `ws_${String(number).padStart(6, '0')}`,
          `${number} ${name}`.slice(0, engine.name === 'postgres' ? 2000 : 4000),
        ]);
      }
    });
  });
  return databaseUrl;
}
