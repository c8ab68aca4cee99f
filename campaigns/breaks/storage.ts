import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a full disk is reported as an internal error',
    engine: 'sqlite',
    in: 'primaryCodes',
    replace: 'full: 13,',
    with: '',
  },
  {
    about: 'a failed commit is acknowledged',
    engine: 'sqlite',
    in: 'createWriteQueue.runBatch',
    statement: 'statements.commit.run()',
    with: `
      try {
        statements.commit.run();
      } catch {
        if (connection.isTransaction) rollBack(statements.rollback);
      }`,
  },
  {
    about: 'reads wait for writes to a file that another process has locked',
    engine: 'sqlite',
    in: 'openSqlite.get',
    replace: 'reads.get',
    with: '(sql, parameters) => writes.enqueue((queries) => queries.get(sql, parameters))',
  },
  {
    about: 'errors of idle sessions are not handled',
    engine: 'postgres',
    in: 'openPool',
    statement: "pool.on('error'",
  },
  {
    about: 'a session ended by the server is reported as an internal error',
    engine: 'postgres',
    in: 'transientCodes',
    replace: '/^57P0/,',
    with: '',
  },
  {
    about: 'a read-only server is reported as an internal error',
    engine: 'postgres',
    in: 'transientCodes',
    replace: '/^25006$/,',
    with: '',
  },
];
