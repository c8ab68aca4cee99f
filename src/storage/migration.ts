import type { Dialect } from './database.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: (dialect: Dialect) => readonly string[];
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
