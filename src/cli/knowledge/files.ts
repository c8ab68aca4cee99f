import { readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** The files of a folder that become documents. The service decides by their bytes what they are. */
export const documentExtensions = ['.txt', '.md', '.markdown', '.html', '.htm', '.pdf', '.docx', '.csv'];

export interface DocumentFile {
  /** Its path in the folder, with slashes. */
  readonly name: string;
  readonly path: string;
}

/** In a fixed order. Fails with the error of the file system if there is no such folder. */
export async function documentFilesIn(folder: string, recursive: boolean): Promise<DocumentFile[]> {
  const entries = await readdir(folder, { recursive, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && documentExtensions.includes(extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ name: relative(folder, path).split(sep).join('/'), path }));
}
