import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** A secret shared by all instances on one database, created on first use. */
export async function sharedSecret(database: Database, name: string): Promise<Buffer> {
  const read = () => database.get<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name]);
  const known = await read();
  if (known !== undefined) return Buffer.from(known.value, 'hex');
  await database.run('INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
    name,
    randomBytes(32).toString('hex'),
  ]);
  const made = await read();
  if (made === undefined) throw new Error(`the setting ${name} vanished`);
  return Buffer.from(made.value, 'hex');
}
