import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a write is acknowledged before its commit',
    engine: 'sqlite',
    in: 'createWriteQueue.runBatch',
    statement: 'statements.commit.run()',
    with: `
      if (batch.length > 1) {
        for (const settle of settlers.splice(0)) settle();
        await nextIteration();
        await nextIteration();
      }
      statements.commit.run();`,
  },
  {
    about: 'the audit entry is written in a separate transaction',
    engine: 'both',
    in: 'createChanges.performChange',
    replace: 'database.transaction(make)',
    with: `database.transaction(effect).then((reply) =>
      database.transaction((queries) => audit(queries, context, reply)).then(() => reply))`,
  },
  {
    about: 'the first migration does not run in one transaction',
    engine: 'postgres',
    in: 'migrate',
    replace: 'isInUse ? schema + 1 : all.length',
    with: 'schema + 1',
  },
  {
    about: 'a search uses the name before the last change',
    engine: 'both',
    in: 'createAgentStore.replace',
    replace: 'columnsOf(agent, foldedName',
    with: 'columnsOf(agent, fold(head.agent.name)',
  },
];
