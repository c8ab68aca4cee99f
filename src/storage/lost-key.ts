import { renameSync } from 'node:fs';
import type { DatabaseLocation } from '../config.ts';
import { createSealer, type Sealer } from '../core/sealer.ts';
import { associatedId, type DataKeys, keyFileOf, readDataKeys, sealedColumns, useDataKey } from './data-key.ts';
import type { Database, Queries, Reads, Value } from './database.ts';

/** A sealed value that none of the available keys opens. */
export interface LostValue {
  readonly table: string;
  /** The columns of its key. */
  readonly key: Readonly<Record<string, string>>;
}

/** What cannot be opened any more. Null if the service starts with the available keys. */
export async function findLostKey(queries: Reads, location: DatabaseLocation, given: readonly Buffer[]) {
  const keys = await readDataKeys(queries, keyFileOf(location), given);
  return check(queries, keys);
}

/**
 * Starts again with the available keys, or with a new one, in one transaction: `replace` has to remove or seal again what
 * is lost. Resolves to null if nothing is.
 */
export function replaceLostKey<T>(
  database: Database,
  location: DatabaseLocation,
  given: readonly Buffer[],
  replace: (queries: Queries, sealer: Sealer, lost: readonly LostValue[]) => Promise<T>,
): Promise<T | null> {
  const keyFile = keyFileOf(location);
  return database.exclusive(async (queries) => {
    const keys = await readDataKeys(queries, keyFile, given);
    const found = await check(queries, keys);
    if (found === null) return null;
    if (keyFile !== null && keys.isDamaged) renameSync(keyFile, `${keyFile}.replaced`);
    return replace(queries, await useDataKey(queries, keyFile, keys), found.lost);
  });
}

async function check(queries: Reads, { known, problem }: DataKeys) {
  const [current, ...older] = known;
  const lost = await lostValues(queries, current === undefined ? null : createSealer([current, ...older]));
  if (problem === null && lost.length === 0) return null;
  // The reason is why the service does not start.
  return { reason: problem?.message ?? 'DATA_KEY lacks a key that has sealed a part of the database', lost };
}

async function lostValues(queries: Reads, sealer: Sealer | null): Promise<LostValue[]> {
  const lost: LostValue[] = [];
  for (const { table, key, column } of sealedColumns) {
    const rows = await queries.all<Record<string, string>>(
      `SELECT ${key.join(', ')} FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${key.join(', ')}`,
    );
    const isRow = key.map((name, index) => `${name} = $${index + 1}`).join(' AND ');
    const sql = `SELECT ${column} AS sealed FROM ${table} WHERE ${isRow}`;
    for (const row of rows) {
      const values = key.map((name) => row[name] as Value);
      // One at a time: the state of a chat may have megabytes.
      const found = await queries.get<{ sealed: Uint8Array }>(sql, values);
      if (found !== undefined && !canOpen(sealer, found.sealed, associatedId(...values.map(String)))) {
        lost.push({ table, key: row });
      }
    }
  }
  return lost;
}

function canOpen(sealer: Sealer | null, sealed: Uint8Array, id: string): boolean {
  try {
    sealer?.open(sealed, id);
    return sealer !== null;
  } catch {
    return false;
  }
}
