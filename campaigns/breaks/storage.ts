import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'storage',
    about: 'a full disk is reported as an internal error',
    engine: 'sqlite',
    file: 'src/storage/sqlite/errors.ts',
    from: 'ioError: 10, full: 13, cannotOpen: 14',
    to: 'ioError: 10, cannotOpen: 14',
  },
  {
    campaign: 'storage',
    about: 'a failed commit is acknowledged',
    engine: 'sqlite',
    file: 'src/storage/sqlite/group-commit.ts',
    from: '      statements.commit.run();\n',
    to: '      try {\n        statements.commit.run();\n      } catch {\n        if (connection.isTransaction) rollBack(statements.rollback);\n      }\n',
  },
  {
    campaign: 'storage',
    about: 'reads wait for writes to a file that another process has locked',
    engine: 'sqlite',
    file: 'src/storage/sqlite/sqlite.ts',
    from: '    get: reads.get,',
    to: '    get: (sql, parameters) => writes.enqueue((queries) => queries.get(sql, parameters)) as never,',
  },
  {
    campaign: 'storage',
    about: 'errors of idle sessions are not handled',
    engine: 'postgres',
    file: 'src/storage/postgres/postgres.ts',
    from: "  pool.on('error', onError);\n",
    to: '',
  },
  {
    campaign: 'storage',
    about: 'a session ended by the server is reported as an internal error',
    engine: 'postgres',
    file: 'src/storage/postgres/postgres.ts',
    from: '  /^57P0/, // the server is starting, stopping, or ended the session\n',
    to: '',
  },
  {
    campaign: 'storage',
    about: 'a read-only server is reported as an internal error',
    engine: 'postgres',
    file: 'src/storage/postgres/postgres.ts',
    from: '  /^25006$/, // a standby: it may become the primary again, or another server will\n',
    to: '',
  },
];
