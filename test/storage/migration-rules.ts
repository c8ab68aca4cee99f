import type { Dialect } from '../../src/storage/database.ts';
import type { Migration } from '../../src/storage/migration.ts';

const addedColumn = /^ALTER TABLE \w+ ADD COLUMN \w+ \w+( COLLATE "C"| PRECISION)*(?<rest>.*)$/s;
/** Written into no row, unless it is computed. */
const constantDefault = /^( NOT NULL)? DEFAULT ('[^']*'|-?[\d.]+)$/;
const newIndex = /^CREATE (UNIQUE )?INDEX \w+ ON (?<table>\w+)/;
const filling = /^INSERT INTO (?<table>\w+)/;
/** Nobody deletes workspaces. */
const keptTables = ['workspaces'];

/**
 * Why an instance of the release before might not go on working while the migration runs, or after it. `released` is the
 * schema of that release.
 */
export function problemsOf(migration: Migration, dialect: Dialect, released: number): string[] {
  const { index, compatibleFrom } = migration;
  const statements = migration.statements(dialect);
  if (index !== undefined && statements.length > 0) return ['an index on an existing table is a migration of its own'];
  if (compatibleFrom !== undefined && compatibleFrom > released) {
    return [`instances of the last release, with schema ${released}, would become unready`];
  }
  const created = statements.flatMap((statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? []);
  return statements.flatMap((statement) => {
    const problem = problemOf(statement, created, compatibleFrom !== undefined);
    return problem === null ? [] : [`${problem}: ${statement.slice(0, 80)}`];
  });
}

function problemOf(statement: string, created: readonly string[], isContraction: boolean): string | null {
  const isCreated = (table: string | undefined): boolean => table !== undefined && created.includes(table);
  if (statement.startsWith('CREATE TABLE ')) return referenceProblem(statement, created);
  if (statement === 'LOCK TABLE calls IN EXCLUSIVE MODE') return null;
  const indexed = newIndex.exec(statement)?.groups?.table;
  if (indexed !== undefined) return isCreated(indexed) ? null : 'nobody could write while the index is built';
  const filled = filling.exec(statement)?.groups?.table;
  if (filled !== undefined) return isCreated(filled) ? null : 'the release before does not expect these rows';
  if (/^(UPDATE|DELETE)\b/.test(statement)) return 'the rows would be locked for long';
  if (/\bALTER COLUMN\b.*\bTYPE\b/s.test(statement)) return 'the table would be rewritten';
  const rest = addedColumn.exec(statement)?.groups?.rest;
  if (rest !== undefined) {
    if (rest === '' || constantDefault.test(rest)) return null;
    return /NOT NULL/.test(rest) && !/DEFAULT/.test(rest)
      ? 'the release before does not write the column'
      : 'the rows would be checked or rewritten';
  }
  return isContraction ? null : 'it may take away what the release before uses, so it needs `compatibleFrom`';
}

/** The release before deletes rows without knowing what refers to them. */
function referenceProblem(statement: string, created: readonly string[]): string | null {
  // Each column is in a line of its own.
  for (const [, table = '', action = ''] of statement.matchAll(/REFERENCES (\w+)(.*)$/gm)) {
    if (!created.includes(table) && !keptTables.includes(table) && !action.includes('ON DELETE CASCADE'))
      return `the release before could not delete from ${table}`;
  }
  return null;
}
