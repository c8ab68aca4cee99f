// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source files.
import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'every read of a backup has its own snapshot',
    engine: 'sqlite',
    in: 'readSnapshot',
    replace: 'work(queriesOn(connection))',
    with: "(connection.exec('COMMIT'), work(queriesOn(connection))).finally(() => connection.exec('BEGIN'))",
  },
  {
    about: 'every read of a backup has its own snapshot',
    engine: 'postgres',
    in: 'openPostgres.snapshot',
    replace: 'beginSnapshot',
    with: "'BEGIN'",
  },
  {
    about: 'the checksum of a backup is not verified',
    engine: 'both',
    in: 'unsealed',
    statement: 'buffered.equals(',
  },
  {
    about: 'a row is lost between two batches',
    engine: 'both',
    in: 'rowsOf.select',
    replace: 'LIMIT ${rowsInBatch}',
    with: "LIMIT ${rowsInBatch} OFFSET ${condition === '' ? 0 : 1}",
  },
  {
    about: 'a failed restore is not rolled back',
    engine: 'sqlite',
    in: 'createWriteQueue.runBatch',
    replace: 'rollBack(statements.rollback)',
    with: 'statements.commit.run()',
  },
];
