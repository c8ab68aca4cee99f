import { existsSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { backUp, rowsInBatch } from '../../backup/backup.ts';
import { BackupError, type Content, checkSeal, type Head, type OpenedBackup, openBackup } from '../../backup/format.ts';
import { MediaNotEmptyError } from '../../backup/media.ts';
import { DatabaseNotEmptyError, restore } from '../../backup/restore.ts';
import { readDatabaseLocation } from '../../config.ts';
import { describeDatabase } from '../../process/banner.ts';
import { keyFileOf } from '../../storage/data-key.ts';
import { isInUse } from '../../storage/open.ts';
import { writeFileAtomically } from '../atomic-file.ts';
import type { CommandContext } from '../context.ts';
import { requireDatabaseFile, requireTables, withDatabase } from '../database.ts';
import { CommandError } from '../failures.ts';
import { withMedia } from '../media/open.ts';
import { labelled } from '../terminal/fields.ts';
import { createProgress, type Progress, watched } from '../terminal/progress.ts';
import { counted, jsonLine } from '../terminal/text.ts';
import { tableNames } from './content.ts';

export interface BackupOptions {
  readonly media?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

export interface RestoreOptions {
  readonly replace?: boolean;
  readonly check?: boolean;
  readonly json?: boolean;
}

const standardStream = '-';

export async function runBackup(
  file: string,
  { force = false, json = false, media = false }: BackupOptions,
  context: CommandContext,
) {
  const { environment, version, stdout, stderr } = context;
  const isStream = file === standardStream;
  if (isStream && stdout.isTTY)
    throw new CommandError('cannot write a backup to a terminal: specify a file, or use a pipe');
  if (!isStream) checkTarget(file, force);
  const location = readDatabaseLocation(environment);
  requireDatabaseFile(location);
  // The running service has priority.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const progress = createProgress('Backing up', stderr);
  const onProgress = stderr.isTTY ? progress.show : undefined;
  const write = (target: Writable) =>
    withMedia(environment, ({ store }) =>
      withDatabase(location, context, async (database) => {
        await requireTables(database, location);
        return backUp(database, target, {
          service: version,
          now: Date.now,
          keyFile: keyFileOf(location),
          media: media ? store : undefined,
          onProgress,
        });
      }),
    );
  const { head, content } = await watched(progress, () =>
    isStream ? write(stdout) : writeFileAtomically(file, write),
  );
  const size = isStream ? null : statSync(file).size;
  // If the backup itself goes to standard output, nothing else may.
  const output = isStream ? stderr : stdout;
  output.write(
    json
      ? jsonLine({ ...(isStream ? {} : { file: resolve(file), bytes: size }), ...toJson(head, content) })
      : labelled([
          ['Backup', isStream ? 'standard output' : file],
          ...(size === null ? [] : [['Size', describeSize(size)] as const]),
          ['From', describeDatabase(location)],
          ['Taken at', head.createdAt],
          ...describeContent(content),
        ]),
  );
}

/** Checked up front, to fail before the work starts. */
function checkTarget(file: string, isForced: boolean): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new CommandError(`directory ${folder} not found`);
  const known = statSync(file, { throwIfNoEntry: false });
  if (known === undefined) return;
  if (!known.isFile()) throw new CommandError(`${file} exists and is not a regular file`);
  if (!isForced) throw new CommandError(`${file} already exists: choose another file, or use --force to replace it`);
}

export async function runRestore(
  file: string,
  { replace = false, check = false, json = false }: RestoreOptions,
  context: CommandContext,
): Promise<void> {
  const { environment, stdin, stdout, stderr } = context;
  const isStream = file === standardStream;
  const name = isStream ? 'the data on standard input' : file;
  const progress = createProgress(check ? 'Checking' : 'Restoring', stderr);
  const handle = isStream ? null : await openFile(file);
  try {
    const work = async (source: AsyncIterable<Buffer>) => {
      const backup = await openBackup(source);
      const content = check
        ? await backup.read(rowsInBatch, async () => {})
        : await restoreInto(backup, replace, context);
      return { head: backup.head, content };
    };
    const { head, content } = await watched(progress, async () => {
      if (handle === null) return work(stdin);
      const { size } = await handle.stat();
      await checkSeal(handle.createReadStream({ start: 0, autoClose: false }));
      return work(tracked(handle.createReadStream({ start: 0, autoClose: false }), size, progress));
    });
    const source = isStream ? {} : { file: resolve(file) };
    stdout.write(
      json
        ? jsonLine({ ...source, ...toJson(head, content) })
        : labelled([
            [check ? 'Valid' : 'Restored', isStream ? 'standard input' : file],
            ...(check ? [] : [['Into', describeDatabase(readDatabaseLocation(environment))] as const]),
            ['Taken at', head.createdAt],
            ...describeContent(content),
          ]),
    );
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    throw new CommandError(`${name} ${error.message}.${check ? '' : ' Nothing was restored.'}`);
  } finally {
    await handle?.close();
  }
}

async function openFile(file: string): Promise<FileHandle> {
  const handle = await open(file, 'r');
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new CommandError(`${file} is not a file`);
}

async function restoreInto(backup: OpenedBackup, isReplacing: boolean, context: CommandContext): Promise<Content> {
  const { environment } = context;
  const location = readDatabaseLocation(environment);
  if (await isInUse(location)) {
    throw new CommandError(
      `${describeDatabase(location)} is in use by another process: stop the service first. Nothing was restored.`,
    );
  }
  try {
    return await withMedia(environment, ({ folder, store, spool }) =>
      withDatabase(location, context, (database) =>
        restore(database, backup, {
          isReplacing,
          now: Date.now,
          mediaFolder: folder,
          mediaBucket: store === spool.folder ? null : store,
          keyFile: keyFileOf(location),
        }),
      ),
    );
  } catch (error) {
    if (error instanceof MediaNotEmptyError) {
      throw new CommandError(
        `${error.message}: name another place in MEDIA_DIR or MEDIA_URL, or replace its files with --replace. Nothing was restored.`,
      );
    }
    if (!(error instanceof DatabaseNotEmptyError)) throw error;
    throw new CommandError(
      `${describeDatabase(location)} is not empty: it contains ${describeRows(error.rows)}. Set DATABASE_URL to another database, or use --replace to delete everything in this one.`,
    );
  }
}

async function* tracked(source: AsyncIterable<Buffer>, total: number, progress: Progress): AsyncGenerator<Buffer> {
  let done = 0;
  for await (const chunk of source) {
    yield chunk;
    done += chunk.length;
    progress.show(done, total);
  }
}

function toJson(head: Head, { rows, media, sha256 }: Content): Record<string, unknown> {
  const counts = Object.entries(tableNames).map(([table, [, , field]]) => [field, rows[table] ?? 0]);
  return { ...head, content: Object.fromEntries(counts), ...(media === undefined ? {} : { media }), sha256 };
}

function describeContent({ rows, media, sha256 }: Content): [string, string][] {
  return [
    ['Content', describeRows(rows)],
    ...(media === undefined ? [] : [['Media', describeMedia(media)] as [string, string]]),
    ['Digest', sha256],
  ];
}

function describeRows(rows: Readonly<Record<string, number>>): string {
  const parts = Object.entries(tableNames).flatMap(([table, [one, several]]) => {
    const count = rows[table] ?? 0;
    return count === 0 ? [] : [counted(count, one, several)];
  });
  return parts.length === 0 ? 'no data' : parts.join(', ');
}

function describeMedia({ files, bytes }: NonNullable<Content['media']>): string {
  return `${counted(files, 'file')}, ${describeSize(bytes)}`;
}

function describeSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${['kB', 'MB', 'GB'][power - 1]}`;
}
