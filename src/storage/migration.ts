import type { Dialect } from './database.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: (dialect: Dialect) => readonly string[];
  /** What it adds that belongs into a backup, after the tables that it refers to. */
  readonly backup?: readonly BackupColumns[];
  /** Tables that it adds and that are not in a backup, because the service can make their content again. */
  readonly withoutBackup?: readonly string[];
}

export interface BackupColumns {
  readonly table: string;
  /** Of a new table: unique, and the order of its rows in a backup. */
  readonly key?: readonly string[];
  readonly columns: readonly string[];
}
