import type { Command } from 'commander';
import type { BackupOptions, RestoreOptions } from './backup.ts';
import type { Surroundings } from './surroundings.ts';

/** `voice-agents backup` and `voice-agents restore`: everything there is, as one file that both engines read. */
export function addBackupCommands(program: Command, surroundings: Surroundings): void {
  const json = ['--json', 'print one line of JSON'] as const;

  program
    .command('backup <file>')
    .description('write everything in the database to one file, beside a running service or without one')
    .option('--force', 'replace the file where it is there already')
    .option('--media', 'include the files in MEDIA_DIR, such as recordings')
    .option(...json)
    .addHelpText('after', backupHelp)
    .action(async (file: string, options: BackupOptions) =>
      (await import('./backup.ts')).runBackup(file, options, surroundings),
    );

  program
    .command('restore <file>')
    .description('fill an empty database from a backup, of whichever engine it was taken')
    .option('--replace', 'remove what is in the database first')
    .option('--check', 'only look whether the file is whole; no database is needed')
    .option(...json)
    .addHelpText('after', restoreHelp)
    .action(async (file: string, options: RestoreOptions) =>
      (await import('./backup.ts')).runRestore(file, options, surroundings),
    );
}

const backupHelp = `
The database is the one in DATABASE_URL. The file shows it as it is at one
moment: agents and their versions, keys, audit trail, kept answers. It gets its
name when it is whole. Keep it as safe as the database. With "-" it goes to
standard output.

Examples:
  voice-agents backup monday.backup
  voice-agents backup - | ssh elsewhere 'cat > monday.backup'
`;

const restoreHelp = `
The database is the one in DATABASE_URL, SQLite or PostgreSQL. Stop the service
first. Everything is restored or nothing: a file that is damaged or was cut
short is refused as a whole. With "-" it is read from standard input.

Examples:
  voice-agents restore monday.backup
  voice-agents restore monday.backup --check
  DATABASE_URL=postgres://user:password@host/db voice-agents restore monday.backup
`;
