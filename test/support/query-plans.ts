import type { Database, Queries, Reads } from '../../src/storage/database.ts';

/** A database that explains the queries of the code under test instead of running them, on SQLite. */
export function explaining(database: Database): { database: Database; queries: Queries; steps: string[] } {
  const steps: string[] = [];
  const all: Reads['all'] = async (sql, parameters) => {
    const plan = await database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
    steps.push(...plan.map(({ detail }) => detail));
    return [];
  };
  const queries = { ...database, all };
  const transaction = async <T>(work: (given: Queries) => T) => work(queries);
  return { database: { ...queries, transaction } as unknown as Database, queries, steps };
}
