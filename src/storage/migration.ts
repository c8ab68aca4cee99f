import type { Dialect } from './database.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: (dialect: Dialect) => readonly string[];
  /** The columns it adds that are included in backups, after the tables that they refer to. */
  readonly backup?: readonly BackupColumns[];
  /** Tables it adds that are not included in backups, because the service can rebuild their content. */
  readonly withoutBackup?: readonly string[];
  /** Statements for the newest schema that run in the transaction that restores a backup, after everything else. */
  readonly afterRestore?: readonly string[];
  /** The columns it adds that are sealed with the data key, which a change of keys seals again. */
  readonly sealed?: readonly SealedColumn[];
}

export interface SealedColumn {
  readonly table: string;
  /** The unique columns that identify a row: joined by slashes, they are the associated id of its seal. */
  readonly key: readonly string[];
  readonly column: string;
}

export interface BackupColumns {
  readonly table: string;
  /** For a new table: unique; also the order of its rows in a backup. */
  readonly key?: readonly string[];
  readonly columns: readonly string[];
}
