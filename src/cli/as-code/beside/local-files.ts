import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Issue } from '../../../core/issues.ts';
import { digestOfText, type FileIssue, fieldName } from '../agent-file.ts';
import { type Format, formatOf, type Path, readBytes, TextError } from '../document.ts';
import { compare } from '../file-names.ts';
import { isPlainName } from '../folder.ts';

/** A file in a directory beside the agents, such as `numbers/`. */
export interface LocalFile<Content> {
  /** With the directory, such as `numbers/+81312345678.yaml`. */
  readonly file: string;
  readonly digest: string;
  /** Null if the file is invalid. */
  readonly content: Content | null;
  readonly issues: readonly FileIssue[];
}

export type CheckedContent<Content> = { readonly content: Content } | { readonly issues: readonly Issue[] };

/** The files of a directory in the folder of the agents, which does not have to exist. */
export async function readLocalFiles<Content>(
  folder: string,
  directory: string,
  check: (value: unknown) => CheckedContent<Content>,
): Promise<LocalFile<Content>[]> {
  const path = join(folder, directory);
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const files: LocalFile<Content>[] = [];
  for (const name of names.filter(isPlainName).sort(compare)) {
    files.push(
      readLocalFile(`${directory}/${name}`, await readFile(join(path, name)), formatOf(name) as Format, check),
    );
  }
  return files;
}

function readLocalFile<Content>(
  file: string,
  bytes: Buffer,
  format: Format,
  check: (value: unknown) => CheckedContent<Content>,
): LocalFile<Content> {
  const own = { file, digest: digestOfText(bytes.toString()) };
  const invalid = (issues: readonly FileIssue[]): LocalFile<Content> => ({ ...own, content: null, issues });
  try {
    const { value, lineOf } = readBytes(bytes, format);
    const result = check(value);
    if ('content' in result) return { ...own, content: result.content, issues: [] };
    return invalid(
      result.issues.map(({ path, message }) => {
        const field = path.length === 0 ? null : fieldName(path as Path);
        return { file, line: lineOf(path as Path), field, message };
      }),
    );
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return invalid([{ file, line: error.line, field: null, message: error.message }]);
  }
}

/** The files without those that have the same value as an earlier one, which get an issue. */
export function withoutDuplicates<Content>(
  files: readonly LocalFile<Content>[],
  field: string & keyof Content,
): LocalFile<Content>[] {
  const first = new Map<unknown, string>();
  return files.map((one) => {
    const value = one.content?.[field];
    const earlier = value === undefined ? undefined : first.get(value);
    if (value !== undefined && earlier === undefined) first.set(value, one.file);
    if (earlier === undefined) return one;
    return { ...one, content: null, issues: [{ file: one.file, line: null, field, message: `is also in ${earlier}` }] };
  });
}
