import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'crash',
    about: 'a write is acknowledged before its commit',
    engine: 'sqlite',
    file: 'src/storage/sqlite/group-commit.ts',
    from: '      statements.commit.run();',
    to: [
      '      if (batch.length > 1) {',
      '        for (const settle of settlers.splice(0)) settle();',
      '        await nextIteration();',
      '        await nextIteration();',
      '      }',
      '      statements.commit.run();',
    ].join('\n'),
  },
  {
    campaign: 'crash',
    about: 'the audit entry is written in a separate transaction',
    engine: 'both',
    file: 'src/changes/change.ts',
    from: 'if (claim === null) return database.transaction(make);',
    to: `if (claim === null) {
        const made = database.transaction(effect);
        return made.then((reply) => database.transaction((queries) => audit(queries, context, reply)).then(() => reply));
      }`,
  },
  {
    campaign: 'crash',
    about: 'the first migration does not run in one transaction',
    engine: 'postgres',
    file: 'src/storage/migrate.ts',
    from: 'database.exclusive((queries) => migrateTo(newestSchema, queries, database.dialect, now))',
    to: 'migrateTo(newestSchema, database, database.dialect, now)',
  },
  {
    campaign: 'crash',
    about: 'a search uses the name before the last change',
    engine: 'both',
    file: 'src/areas/agents/store.ts',
    from: 'await queries.write(sql.update, columnsOf(agent, foldedName, document, etag));',
    to: 'await queries.write(sql.update, columnsOf(agent, fold(head.agent.name), document, etag));',
  },
];
