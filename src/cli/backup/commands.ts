import { type Declaration, lazily, type OptionWords } from '../declaration.ts';

const json: OptionWords = ['--json', 'print one line of JSON'];

/** All data in one file, independent of the database engine. */
export const backupCommands: readonly Declaration[] = [
  {
    name: 'backup <file>',
    description: 'back up the database to a file; the service may be running',
    options: [['--force', 'overwrite an existing file'], ['--media', 'include media files, such as recordings'], json],
    about: `Backs up the database in DATABASE_URL. The file is a consistent snapshot of
agents, versions, API keys, the audit trail and saved responses. It appears under
its name once it is complete. --media includes recordings and other files in
MEDIA_DIR, or in the bucket in MEDIA_URL. Protect it like the database. Use "-"
for standard output.`,
    examples: ['monday.backup', "- | ssh elsewhere 'cat > monday.backup'"],
    run: lazily(() => import('./backup.ts'), 'runBackup'),
  },
  {
    name: 'restore <file>',
    description: 'restore a backup into an empty database of either engine',
    options: [
      ['--replace', 'delete existing data in the database first'],
      ['--check', 'only verify the file; needs no database'],
      json,
    ],
    about: `Restores into the database in DATABASE_URL, SQLite or PostgreSQL. Stop the
service first. Restores everything or nothing: a damaged or incomplete file is
rejected. Use "-" for standard input.

Examples:
  voice-agents restore monday.backup
  voice-agents restore monday.backup --check
  DATABASE_URL=postgres://user:password@host/db voice-agents restore monday.backup`,
    run: lazily(() => import('./backup.ts'), 'runRestore'),
  },
];
