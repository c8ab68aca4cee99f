import { after } from 'node:test';
import { type DuckDBConnection, DuckDBInstance, type Json } from '@duckdb/node-api';

export interface DuckDb {
  /** Runs a statement. Whole numbers of up to 53 bits are numbers. */
  rows(sql: string): Promise<Record<string, Json>[]>;
}

/** DuckDB in memory, for the tests of a suite. */
export function useDuckDb(): DuckDb {
  let instance: DuckDBInstance | undefined;
  let connection: DuckDBConnection | undefined;
  after(() => {
    connection?.closeSync();
    instance?.closeSync();
  });
  return {
    rows: async (sql) => {
      instance ??= await DuckDBInstance.create(':memory:');
      connection ??= await instance.connect();
      const reader = await connection.runAndReadAll(sql);
      return reader.getRowObjectsJson();
    },
  };
}

/** A path as a text in SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
