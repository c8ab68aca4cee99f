import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { ConfigError, type DatabaseLocation, parseDataKey } from '../config.ts';
import { createSealer, dataKeyBytes, dataKeyDigest, type Sealer } from '../core/sealer.ts';
import type { Database, Dialect, Queries, Reads, Value } from './database.ts';
import type { SealedColumn } from './migration.ts';
import { migrations } from './migrations/index.ts';
import { readSetting, removeSetting, writeSetting } from './settings.ts';

/** The names of the settings: the generated key where it has no file, and the digest of the key in use. */
export const dataKeySetting = 'data_key';
export const dataKeyDigestSetting = 'data_key_digest';

/**
 * The keys in `DATA_KEY`, or the one that the service has generated, which is generated here at the first start. Whatever
 * an older key has sealed is sealed again. Throws if the database was used with another key.
 */
export function openDataKey(database: Database, location: DatabaseLocation, given: readonly Buffer[]) {
  const keyFile = keyFileOf(location);
  return database.exclusive(async (queries) => {
    const keys = await readDataKeys(queries, keyFile, given);
    if (keys.problem !== null) throw keys.problem;
    const sealer = await useDataKey(queries, keyFile, keys);
    return {
      sealer,
      /** The key is in the same database as what it seals. */
      isInDatabase: keys.isGenerated && keyFile === null,
      /** How many values an older key had sealed. */
      resealed: await resealAll(queries, database.dialect, sealer),
    };
  });
}

/** The keys that are available, and why the service cannot start with them, if it cannot. */
export interface DataKeys {
  readonly known: readonly Buffer[];
  /** None is in `DATA_KEY`. */
  readonly isGenerated: boolean;
  /** The file of the generated key contains none. */
  readonly isDamaged: boolean;
  readonly problem: ConfigError | null;
}

export async function readDataKeys(
  queries: Reads,
  keyFile: string | null,
  given: readonly Buffer[],
): Promise<DataKeys> {
  const isGenerated = given.length === 0;
  const { key: generated, problem: damage } = await readGeneratedKey(queries, keyFile);
  const known = [...given, ...(generated === null ? [] : [generated])];
  const usedDigest = await readSetting(queries, dataKeyDigestSetting);
  const isKnown = usedDigest === null || known.some((key) => dataKeyDigest(key) === usedDigest);
  const hasSealed = await hasSealedData(queries);
  // A damaged file does not matter while DATA_KEY has the key.
  let problem = isGenerated ? damage : null;
  if (known.length === 0 && hasSealed) problem ??= noKey(keyFile);
  if (known.length > 0 && !isKnown && (hasSealed || !isGenerated)) problem ??= wrongKey(isGenerated, keyFile);
  return { known, isGenerated, isDamaged: damage !== null, problem };
}

/** Seals with the first key from now on, which is generated if there is none. */
export async function useDataKey(
  queries: Queries,
  keyFile: string | null,
  { known, isGenerated }: DataKeys,
): Promise<Sealer> {
  const [current = randomBytes(dataKeyBytes), ...older] = known;
  if (known.length === 0) await storeGeneratedKey(queries, keyFile, current);
  await writeSetting(queries, dataKeyDigestSetting, dataKeyDigest(current));
  // A key in DATA_KEY protects nothing while the one before is still in the database.
  if (!isGenerated && keyFile === null) await removeSetting(queries, dataKeySetting);
  return createSealer([current, ...older]);
}

/** Where a generated key is: next to a SQLite database; null for PostgreSQL, which has it in the settings. */
export function keyFileOf(location: DatabaseLocation): string | null {
  return location.engine === 'sqlite' ? `${location.file}.key` : null;
}

/** The generated key that belongs to this database, for a backup. Null if it is in the settings, or in `DATA_KEY`. */
export async function keyForBackup(queries: Reads, keyFile: string | null): Promise<Buffer | null> {
  const { key, problem } = keyFile === null ? noGeneratedKey : readKeyFile(keyFile);
  if (problem !== null) throw problem;
  return key !== null && dataKeyDigest(key) === (await readSetting(queries, dataKeyDigestSetting)) ? key : null;
}

interface GeneratedKey {
  readonly key: Buffer | null;
  /** The file is there, but contains no key. */
  readonly problem: ConfigError | null;
}

const noGeneratedKey: GeneratedKey = { key: null, problem: null };

async function readGeneratedKey(queries: Reads, keyFile: string | null): Promise<GeneratedKey> {
  if (keyFile !== null) return readKeyFile(keyFile);
  const stored = await readSetting(queries, dataKeySetting);
  return stored === null ? noGeneratedKey : { key: Buffer.from(stored, 'base64'), problem: null };
}

function readKeyFile(keyFile: string): GeneratedKey {
  let text: string;
  try {
    text = readFileSync(keyFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return noGeneratedKey;
    throw error;
  }
  const key = parseDataKey(text.trim());
  return { key, problem: key === null ? damagedKey(keyFile) : null };
}

async function storeGeneratedKey(queries: Queries, keyFile: string | null, key: Buffer): Promise<void> {
  if (keyFile === null) await writeSetting(queries, dataKeySetting, key.toString('base64'));
  else writeKeyFile(keyFile, key.toString('base64'));
}

/** Synchronous, because it runs inside a transaction; complete on the disk before anything is sealed with it. */
export function writeKeyFile(keyFile: string, key: string): void {
  const unfinished = `${keyFile}.new`;
  const file = openSync(unfinished, 'w', 0o600);
  try {
    writeSync(file, `${key}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, keyFile);
}

export const sealedColumns: readonly SealedColumn[] = migrations.flatMap(({ sealed = [] }) => sealed);

async function hasSealedData(queries: Reads): Promise<boolean> {
  for (const { table, column } of sealedColumns) {
    if ((await queries.get(`SELECT 1 AS one FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`)) !== undefined)
      return true;
  }
  return false;
}

const rowsInBatch = 200;

async function resealAll(queries: Queries, dialect: Dialect, sealer: Sealer): Promise<number> {
  let count = 0;
  for (const sealedColumn of sealedColumns) {
    for (let changed = rowsInBatch; changed === rowsInBatch; count += changed) {
      changed = await resealBatch(queries, dialect, sealer, sealedColumn);
    }
  }
  return count;
}

async function resealBatch(
  queries: Queries,
  { forUpdate }: Dialect,
  sealer: Sealer,
  { table, key, column }: SealedColumn,
): Promise<number> {
  const rows = await queries.all(
    `SELECT ${key.join(', ')}, ${column} FROM ${table}
      WHERE ${column} IS NOT NULL AND substr(${column}, 1, ${sealer.currentStart.length}) <> $1
      LIMIT ${rowsInBatch} ${forUpdate}`,
    [sealer.currentStart],
  );
  const isRow = key.map((name, index) => `${name} = $${index + 2}`).join(' AND ');
  for (const row of rows) {
    const keyValues = key.map((name) => row[name] as Value);
    const id = associatedId(...keyValues.map(String));
    let plaintext: Buffer;
    try {
      plaintext = sealer.open(row[column] as Uint8Array, id);
    } catch {
      throw new ConfigError(
        `DATA_KEY lacks a key that has sealed a part of the database. To change keys, name both: DATA_KEY=new,old${resetAdvice}`,
      );
    }
    await queries.run(`UPDATE ${table} SET ${column} = $1 WHERE ${isRow}`, [sealer.seal(plaintext, id), ...keyValues]);
  }
  return rows.length;
}

const resetAdvice = '. If it is lost, "voice-agents secrets reset" starts again without what it has sealed';

/** The id of a row for its seal, from the columns of its key. */
export function associatedId(...key: readonly string[]): string {
  return key.join('/');
}

function damagedKey(keyFile: string): ConfigError {
  return new ConfigError(`DATA_KEY is not set, and ${keyFile} does not contain a key: restore the file${resetAdvice}`);
}

function noKey(keyFile: string | null): ConfigError {
  const lost = keyFile === null ? '' : `, and ${keyFile} is missing`;
  return new ConfigError(
    `DATA_KEY is not set${lost}, but the database contains data that was sealed with a key. Set DATA_KEY to that key${keyFile === null ? '' : ', or restore the file'}${resetAdvice}`,
  );
}

function wrongKey(isGenerated: boolean, keyFile: string | null): ConfigError {
  return new ConfigError(
    isGenerated
      ? `DATA_KEY is not set, and the key ${keyFile === null ? 'in the table settings' : `in ${keyFile}`} is not the one that this database was used with. Set DATA_KEY to that key${resetAdvice}`
      : `DATA_KEY is not the key that this database was used with. Set that key; to change keys, name both: DATA_KEY=new,old${resetAdvice}`,
  );
}
