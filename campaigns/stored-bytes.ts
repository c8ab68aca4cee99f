import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from '../src/storage/database.ts';

/** Every row of every table as bytes. */
export async function tablesOf(database: Database): Promise<[string, Buffer][]> {
  const tables = await database.all<{ name: string }>(database.dialect.tableNames);
  return Promise.all(
    tables.map(async ({ name }): Promise<[string, Buffer]> => {
      const rows = await database.all(`SELECT * FROM ${name}`);
      const values = rows.flatMap((row) => Object.values(row));
      return [
        name,
        Buffer.concat(values.map((value) => Buffer.from(value instanceof Uint8Array ? value : `${value}\n`))),
      ];
    }),
  );
}

/** The files of the database and of its log: on PostgreSQL those of the server, if they can be read from here. */
export async function databaseFiles(database: Database): Promise<[string, string][]> {
  const { location } = database;
  if (location.engine === 'sqlite') {
    return filesIn(dirname(location.file)).map((file) => [`the file …${file.slice(-4)} of the database`, file]);
  }
  await database.run('CHECKPOINT');
  const [row] = await database.all<{ folder: string; oid: number }>(
    "SELECT current_setting('data_directory') AS folder, oid FROM pg_database WHERE datname = current_database()",
  );
  const { folder = '', oid = 0 } = row ?? {};
  const log = filesIn(join(folder, 'pg_wal')).map((file): [string, string] => ['the log of the database', file]);
  // A cache of the catalog, which PostgreSQL removes and writes again at any time.
  const files = filesIn(join(folder, 'base', String(oid))).filter((file) => !file.endsWith('pg_internal.init'));
  return [...log, ...files.map((file): [string, string] => ['a file of the database', file])];
}

export function filesIn(folder: string): string[] {
  const names = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
  return names.map((name) => join(folder, name)).filter((file) => statSync(file).isFile());
}
