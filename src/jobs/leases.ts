import type { Database, Queries, Reads, Row, Value } from '../storage/database.ts';

/**
 * A table whose rows are processed by one process at a time. Besides `id` it has the columns `lease_owner`, `lease_until`
 * and `attempt`, and an index for claims on `coalesce(lease_until, <runAt>)` of the rows that match `isOpen`.
 */
export interface LeasedTable {
  readonly name: string;
  /** The column with the time from which a row may be claimed. */
  readonly runAt: string;
  /** A condition: the row is not finished. */
  readonly isOpen: string;
  /** An additional condition for claims, with parameters from $5 on. */
  readonly among: string;
  /** Additional assignments when a row is claimed, and when it is released. */
  readonly whenClaimed: string | null;
  readonly whenReleased: string | null;
  /** The columns that a claim returns besides `id`, `attempt` and the one of `runAt`. */
  readonly columns: readonly string[];
}

export interface ClaimedRow extends Row {
  readonly id: string;
  readonly attempt: number;
}

export interface Claim {
  readonly owner: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** The parameters of the condition `among`. */
  readonly parameters: readonly Value[];
}

export type Leases = ReturnType<typeof createLeases>;

/**
 * The SQL of leases for any such table. The owner is the fencing token: a worker that has lost its lease cannot change
 * the row, and notices it by the returned ids. Times are those of the database's clock; `now` replaces it in tests.
 */
export function createLeases(database: Database, table: LeasedTable, now?: () => number) {
  const { dialect } = database;
  const { name, runAt, isOpen, among } = table;
  const time = dialect.clock('$1');
  const dueAt = `coalesce(lease_until, ${runAt})`;
  const isHeld = `lease_owner = $2 AND id IN (${dialect.textsIn('$3')})`;
  const free = 'lease_owner = NULL, lease_until = NULL';
  const set = (assignments: string | null) => (assignments === null ? '' : `, ${assignments}`);
  /** The first parameter of every statement. SQLite has no clock that a test could not replace anyway. */
  const given = (): number | null => now?.() ?? (dialect.engine === 'sqlite' ? Date.now() : null);
  const columns = ['id', 'attempt', runAt, ...table.columns].map((column) => `${name}.${column}`).join(', ');

  const sql = {
    // Materialized: PostgreSQL must not run the subquery more than once, or it would claim more than the limit.
    claim: `WITH due AS MATERIALIZED (
        SELECT id FROM ${name} WHERE ${isOpen} AND ${among} AND ${dueAt} <= ${time}
        ORDER BY ${dueAt}, id LIMIT $4 ${dialect.forUpdateSkipLocked})
      UPDATE ${name} SET lease_owner = $2, lease_until = ${time} + $3, attempt = attempt + 1${set(table.whenClaimed)}
      FROM due WHERE ${name}.id = due.id RETURNING ${columns}`,
    renew: `UPDATE ${name} SET lease_until = ${time} + $4 WHERE ${isHeld}`,
    held: `SELECT id FROM ${name} WHERE lease_owner = $1 AND id IN (${dialect.textsIn('$2')})`,
    release: `UPDATE ${name} SET ${free}, attempt = attempt - 1, ${runAt} = ${time} + $4${set(table.whenReleased)}
      WHERE ${isHeld} RETURNING id`,
    settle: (assignments: string) => `UPDATE ${name} SET ${free}, ${assignments} WHERE ${isHeld} RETURNING id`,
  };
  const idsOf = async (queries: Reads, text: string, parameters: readonly Value[]): Promise<Set<string>> =>
    new Set((await queries.all<{ id: string }>(text, parameters)).map(({ id }) => id));

  return {
    table,
    /** The clock in SQL, for a statement whose first parameter is `given()`. */
    time,
    given,
    dueAt,

    /** Claims the rows that have been due the longest, including those with an expired lease. */
    claim: async <R extends ClaimedRow>(queries: Queries, claim: Claim): Promise<R[]> => {
      const { owner, leaseMs, limit, parameters } = claim;
      const rows = await queries.all<R>(sql.claim, [given(), owner, leaseMs, limit, ...parameters]);
      // Neither engine promises an order here.
      return rows.sort((a, b) => Number(a[runAt]) - Number(b[runAt]) || (a.id < b.id ? -1 : 1));
    },

    /** Resolves to the ids whose lease was renewed. Ahead of requests, so that a busy service keeps what it works on. */
    renew: async (owner: string, ids: readonly string[], leaseMs: number): Promise<ReadonlySet<string>> => {
      const list = JSON.stringify(ids);
      const count = await database.unqueued.run(sql.renew, [given(), owner, list, leaseMs]);
      return count === ids.length ? new Set(ids) : idsOf(database.unqueued, sql.held, [owner, list]);
    },

    /** Releases rows as if they had not been claimed; anyone can claim them after the delay. */
    release: (queries: Queries, owner: string, ids: readonly string[], delayMs: number): Promise<Set<string>> =>
      idsOf(queries, sql.release, [given(), owner, JSON.stringify(ids), delayMs]),

    /** Ends the leases with an outcome. `assignments` is SQL that may use `time`, with parameters from $4 on. */
    settle: (
      queries: Queries,
      owner: string,
      ids: readonly string[],
      assignments: string,
      parameters: readonly Value[],
    ): Promise<Set<string>> =>
      idsOf(queries, sql.settle(assignments), [given(), owner, JSON.stringify(ids), ...parameters]),
  };
}
