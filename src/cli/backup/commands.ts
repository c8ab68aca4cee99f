import type { Command } from 'commander';
import { type CommandContext, lazily } from '../context.ts';

/** `voice-agents backup` and `voice-agents restore`: all data in one file, independent of the database engine. */
export function addBackupCommands(program: Command, context: CommandContext): void {
  const json = ['--json', 'print one line of JSON'] as const;

  program
    .command('backup <file>')
    .description('back up the database to a file; the service may be running')
    .option('--force', 'overwrite an existing file')
    .option('--media', 'include the files in MEDIA_DIR, such as recordings')
    .option(...json)
    .addHelpText('after', backupHelp)
    .action(lazily(context, () => import('./backup.ts'), 'runBackup'));

  program
    .command('restore <file>')
    .description('restore a backup into an empty database of either engine')
    .option('--replace', 'delete existing data in the database first')
    .option('--check', 'only verify the file; needs no database')
    .option(...json)
    .addHelpText('after', restoreHelp)
    .action(lazily(context, () => import('./backup.ts'), 'runRestore'));
}

const backupHelp = `
Backs up the database in DATABASE_URL. The file is a consistent snapshot of
agents, versions, API keys, the audit trail and saved responses. It appears under
its name once it is complete. --media includes recordings and other files in
MEDIA_DIR. Protect it like the database. Use "-" for standard output.

Examples:
  voice-agents backup monday.backup
  voice-agents backup - | ssh elsewhere 'cat > monday.backup'
`;

const restoreHelp = `
Restores into the database in DATABASE_URL, SQLite or PostgreSQL. Stop the
service first. Restores everything or nothing: a damaged or incomplete file is
rejected. Use "-" for standard input.

Examples:
  voice-agents restore monday.backup
  voice-agents restore monday.backup --check
  DATABASE_URL=postgres://user:password@host/db voice-agents restore monday.backup
`;
