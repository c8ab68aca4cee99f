import type { Dialect } from './database.ts';

/**
 * A step of the schema. Instances of the release before go on working while and after it is applied, so it only adds:
 * tables, columns that can be left out, and indexes. A test checks that.
 */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Short: what they lock is locked until the last one has ended. */
  readonly statements: (dialect: Dialect) => readonly string[];
  /** An index on an existing table: the migration has nothing else, because it is built while others write. */
  readonly index?: { readonly name: string; readonly on: string };
  /**
   * For a step that takes something away: the earliest schema whose release does not use it any more. Instances of
   * earlier ones become unready, and do not start.
   */
  readonly compatibleFrom?: number;
  /** The tables whose columns that it adds are included in backups, after the tables that they refer to. */
  readonly backup?: readonly string[];
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

/** The columns that statements add to a table, one in each line. `key` is empty unless they create the table. */
export function columnsAdded(statements: readonly string[], table: string): { key: string[]; columns: string[] } {
  const definition = statements.find((statement) => statement.startsWith(`CREATE TABLE ${table} (`)) ?? '';
  const created = [...definition.matchAll(/^ +([a-z]\w*) /gm)];
  const later = statements.map((statement) => new RegExp(`^ALTER TABLE ${table} ADD COLUMN (\\w+)`).exec(statement));
  const constraint =
    /^ +(?:UNIQUE|PRIMARY KEY) \((.+)\)/m.exec(definition) ?? /^ +(\w+) .*PRIMARY KEY/m.exec(definition);
  return {
    key: constraint?.[1]?.split(', ') ?? [],
    columns: [...created, ...later].flatMap((match) => match?.[1] ?? []),
  };
}
