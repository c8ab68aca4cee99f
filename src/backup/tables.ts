import { columnsAdded } from '../storage/migration.ts';
import { migrations } from '../storage/migrations/index.ts';
import { sqliteDialect } from '../storage/sqlite/sqlite.ts';

/** A table that is included in backups, as defined by one schema version. */
export interface Table {
  readonly name: string;
  /** Unique; also the order of the rows in a backup. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

/** Tables that are not included in backups, in the order in which they can be dropped. */
export const tablesWithoutBackup: readonly string[] = [
  ...migrations.flatMap(({ withoutBackup = [] }) => withoutBackup),
  'schema_migrations',
];

/** The tables of a schema version, in the order in which they are read and filled. */
export function tablesOf(schema: number): Table[] {
  const tables = new Map<string, Table>();
  for (const { backup = [], statements } of migrations.slice(0, schema)) {
    // The columns are the same in both engines.
    const added = statements(sqliteDialect);
    for (const name of backup) {
      const { key, columns } = columnsAdded(added, name);
      const known = tables.get(name);
      tables.set(name, { name, key: known?.key ?? key, columns: [...(known?.columns ?? []), ...columns] });
    }
  }
  return [...tables.values()];
}

/** Media files in a backup, stored as rows of parts. No table of the database can have this name. */
export const mediaTable: Table = { name: '(media)', key: ['name', 'part'], columns: ['name', 'part', 'content'] };
