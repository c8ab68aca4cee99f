import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'backup',
    about: 'every read of a backup has its own snapshot',
    engine: 'sqlite',
    file: 'src/storage/sqlite/sqlite.ts',
    from: 'await work(queriesOn(connection))',
    to: "await work(queriesOn(connection, () => connection.exec('COMMIT; BEGIN')))",
  },
  {
    campaign: 'backup',
    about: 'every read of a backup has its own snapshot',
    engine: 'postgres',
    file: 'src/storage/postgres/postgres.ts',
    from: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    to: 'BEGIN READ ONLY',
  },
  {
    campaign: 'backup',
    about: 'the checksum of a backup is not verified',
    engine: 'both',
    file: 'src/backup/format.ts',
    from: 'if (!held.equals(skippableFrame(1, digest.digest()))) throw damaged();',
    to: '',
  },
  {
    campaign: 'backup',
    about: 'a row is lost between two batches',
    engine: 'both',
    file: 'src/backup/backup.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    from: 'LIMIT ${rowsInBatch}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    to: "LIMIT ${rowsInBatch} OFFSET ${condition === '' ? 0 : 1}`",
  },
  {
    campaign: 'backup',
    about: 'a failed restore is not rolled back',
    engine: 'sqlite',
    file: 'src/storage/sqlite/group-commit.ts',
    from: 'if (connection.isTransaction) rollBack(statements.rollback);',
    to: 'if (connection.isTransaction) statements.commit.run();',
  },
];
