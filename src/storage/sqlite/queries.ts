import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Queries, Row, Value } from '../database.ts';
import { withServiceErrors } from './errors.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** The names of the result columns. */
  readonly columns: readonly string[];
  /** For each question mark of the statement, the index of the caller's parameter. */
  readonly order: readonly number[];
}

/** Statements stay prepared, unless `isAdHoc`. */
export function queriesOn(connection: DatabaseSync, { isAdHoc = false } = {}): Omit<Queries, 'atEnd' | 'beforeCommit'> {
  const statements = new Map<string, Prepared>();

  const prepare = (sql: string): Prepared => {
    let prepared = statements.get(sql);
    if (prepared === undefined) {
      prepared = prepareOn(connection, sql);
      if (!isAdHoc) statements.set(sql, prepared);
    }
    return prepared;
  };
  const execute = <T>(sql: string, parameters: readonly Value[], call: (p: Prepared, v: Value[]) => T): T => {
    return withServiceErrors(() => {
      const prepared = prepare(sql);
      const values: Value[] = [];
      for (const index of prepared.order) values.push(parameters[index] as Value);
      return call(prepared, values);
    });
  };

  const run = (sql: string, parameters: readonly Value[] = []) =>
    execute(sql, parameters, ({ statement }, values) => Number(statement.run(...values).changes));

  return {
    get: <R extends Row>(sql: string, parameters: readonly Value[] = []) =>
      execute(sql, parameters, ({ statement, columns }, values) => {
        const row = statement.get(...values) as unknown[] | undefined;
        return row === undefined ? undefined : (rowOf(columns, row) as R);
      }),
    all: <R extends Row>(sql: string, parameters: readonly Value[] = []) =>
      execute(sql, parameters, ({ statement, columns }, values) => {
        const rows = statement.all(...values) as unknown as unknown[][];
        return rows.map((row) => rowOf(columns, row) as R);
      }),
    run,
    write: run,
  };
}

function prepareOn(connection: DatabaseSync, sql: string): Prepared {
  const order: number[] = [];
  const ownSql = sql.replace(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return '?';
  });
  const statement = connection.prepare(ownSql);
  // Each object of the driver has its own hidden class, which makes it slow to read from.
  statement.setReturnArrays(true);
  return { statement, columns: namesOf(statement), order };
}

/** As object keys, which are interned: other strings would be looked up in V8's string table on every use. */
function namesOf(statement: StatementSync): string[] {
  return Object.keys(Object.fromEntries(statement.columns().map(({ name }) => [name, null])));
}

function rowOf(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Row = {};
  for (let place = 0; place < columns.length; place += 1) row[columns[place] as string] = values[place];
  return row;
}
