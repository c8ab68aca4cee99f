import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { KnowledgeBase } from '../../../../sdk/src/index.ts';
import { createBaseBody } from '../../../contract/knowledge/knowledge-base.ts';
import { check } from '../../../core/issues.ts';
import { documentFilesIn } from '../../knowledge/files.ts';
import { issuePerKey } from '../agent-file.ts';
import { type CheckedContent, type LocalFile, readLocalFiles, withoutDuplicates } from '../beside/local-files.ts';
import { digest } from '../content.ts';

/** The directory of the knowledge bases, beside the files of the agents. */
export const knowledgeFolder = 'knowledge';

const schema = z.strictObject(createBaseBody.shape);

/** Everything about a knowledge base that its file contains, with defaults filled in. The name identifies it. */
export type BaseContent = z.output<typeof schema>;

/** A file that becomes a document. */
export interface LocalDocument {
  /** Its path in the folder of the base. */
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface BaseFile extends LocalFile<BaseContent> {
  /** Null without a folder of the same name: then the documents are not in files. */
  readonly documents: readonly LocalDocument[] | null;
}

export async function readBaseFiles(folder: string): Promise<BaseFile[]> {
  const files = withoutDuplicates(await readLocalFiles(folder, knowledgeFolder, checkBase), 'name');
  return Promise.all(
    files.map(async (file) => ({ ...file, documents: await documentsIn(join(folder, documentsFolderOf(file.file))) })),
  );
}

/** The folder of `knowledge/shop.yaml` is `knowledge/shop`. */
export function documentsFolderOf(file: string): string {
  return file.replace(/\.[^.]*$/, '');
}

async function documentsIn(folder: string): Promise<LocalDocument[] | null> {
  const found = await documentFilesIn(folder, true).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (found === null) return null;
  const documents: LocalDocument[] = [];
  for (const { name, path } of found) {
    const bytes = await readFile(path);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    documents.push({ name, path, sizeBytes: bytes.length, sha256 });
  }
  return documents;
}

function checkBase(value: unknown): CheckedContent<BaseContent> {
  const result = check(schema, value);
  if ('value' in result) return { content: result.value };
  return { issues: result.issues.flatMap((issue) => issuePerKey(issue, () => 'is not a known field')) };
}

/** The part of a knowledge base on the server that a file contains. */
export function baseContentOf(base: KnowledgeBase): BaseContent {
  const { name, description, language, chunkSize, synonyms, useEmbeddings } = base;
  return { name, description, language, chunkSize, synonyms, useEmbeddings };
}

const defaults: Readonly<Record<string, unknown>> = schema.parse({ name: '?' });

/** The content without defaults, as it is written to a file. */
export function shortBase(content: BaseContent): Record<string, unknown> {
  const shown = Object.entries(content).filter(
    ([field, value]) => field === 'name' || !isDeepStrictEqual(value, defaults[field]),
  );
  return Object.fromEntries(shown);
}

export function digestOfBase(base: KnowledgeBase): string {
  return digest(JSON.stringify(baseContentOf(base)));
}
