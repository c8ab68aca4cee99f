import { randomBytes } from 'node:crypto';
import type { Database, Queries, Reads } from './database.ts';

/** A secret shared by all instances on one database, created on first use. */
export async function sharedSecret(database: Database, name: string): Promise<Buffer> {
  const known = await readSetting(database, name);
  if (known !== null) return Buffer.from(known, 'hex');
  await database.run('INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
    name,
    randomBytes(32).toString('hex'),
  ]);
  const made = await readSetting(database, name);
  if (made === null) throw new Error(`the setting ${name} vanished`);
  return Buffer.from(made, 'hex');
}

export async function readSetting(queries: Reads, name: string): Promise<string | null> {
  return (await queries.get<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name]))?.value ?? null;
}

export async function writeSetting(queries: Queries, name: string, value: string): Promise<void> {
  await queries.run(
    'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [name, value],
  );
}

export async function removeSetting(queries: Queries, name: string): Promise<void> {
  await queries.run('DELETE FROM settings WHERE name = $1', [name]);
}
