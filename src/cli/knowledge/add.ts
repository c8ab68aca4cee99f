import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { StateConflictError, UnprocessableError, ValidationError } from '../../../sdk/src/errors.ts';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Document } from '../../../sdk/src/schema.ts';
import { forEachConcurrently } from '../concurrency.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { createProgress, watched } from '../terminal/progress.ts';
import { table } from '../terminal/table.ts';
import { counted, jsonLine, visible } from '../terminal/text.ts';
import { documentExtensions, documentFilesIn } from './files.ts';
import { findBase } from './find.ts';

interface AddOptions extends CommandOptions {
  readonly recursive?: boolean;
  readonly site?: boolean;
  readonly refreshEvery?: number;
}

/** What becomes a document. */
type Source =
  | { readonly type: 'file'; readonly name: string; readonly path: string }
  | { readonly type: 'url'; readonly name: string };

interface Result {
  readonly name: string;
  readonly document: Document | null;
  /** Why the service did not take it. */
  readonly refusal: string | null;
}

const maxRequests = 4;

export async function addDocuments(
  target: string,
  given: readonly string[],
  options: AddOptions,
  context: CommandContext,
): Promise<void> {
  const { client } = await connect(options, context.environment);
  const { id: baseId } = await findBase(client, target);
  const sources: Source[] = [];
  for (const source of given) sources.push(...(await sourcesOf(client, baseId, source, options)));
  const existing = await documentsOf(client, baseId);
  const progress = createProgress('Adding', context.stderr);
  const results: Result[] = [];
  const sent = new Map<string, number>();
  const show = () => {
    const parts = [...sent.values()].reduce((sum, part) => sum + part, 0);
    progress.show(parts + results.length, 2 * sources.length);
  };
  await watched(progress, () =>
    forEachConcurrently(sources, maxRequests, async (source) => {
      const onProgress = (part: number) => {
        sent.set(source.name, part);
        show();
      };
      results.push(await added(client, baseId, source, { existing, onProgress, refreshEvery: options.refreshEvery }));
      onProgress(1);
    }),
  );
  await report(results, options, context);
}

async function report(results: readonly Result[], { json = false }: AddOptions, context: CommandContext) {
  const failed = results.filter(({ document }) => document?.status !== 'ready');
  if (failed.length > 0) context.setExitCode(exitCodes.failed);
  if (json) {
    for (const { name, document, refusal } of results) {
      await print(context.stdout, jsonLine(document ?? { name, status: 'refused', error: { message: refusal } }));
    }
    return;
  }
  const rows = results.map(({ name, document, refusal }) => [
    document?.name ?? name,
    document === null ? 'refused' : document.status,
    String(document?.chunkCount ?? ''),
    refusal ?? document?.error?.message ?? (document?.warnings ?? []).map(({ message }) => message).join(' '),
  ]);
  const stream = context.stdout;
  await print(stream, table(['DOCUMENT', 'STATUS', 'CHUNKS', 'REMARK'], rows, { stream, elastic: 'REMARK' }));
  const ready = counted(results.length - failed.length, 'document');
  context.stderr.write(`${ready} ready${failed.length === 0 ? '' : `, ${failed.length} failed`}.\n`);
}

interface AddParts {
  /** The ids of the documents that the base has, by type and name or address. */
  readonly existing: ReadonlyMap<string, string>;
  readonly refreshEvery: number | undefined;
  readonly onProgress: (part: number) => void;
}

async function added(client: VoiceAgents, baseId: string, source: Source, parts: AddParts): Promise<Result> {
  const { name } = source;
  try {
    const id = source.type === 'file' ? await sendFile(client, baseId, source, parts) : null;
    const documentId = id ?? (await fetchPage(client, baseId, source.name, parts));
    return { name, document: await client.documents.waitUntilSettled(baseId, documentId), refusal: null };
  } catch (error) {
    // This source is at fault; the others may be fine.
    if (!(error instanceof ValidationError) && !(error instanceof UnprocessableError)) throw error;
    return { name, document: null, refusal: error.message };
  }
}

async function sendFile(
  client: VoiceAgents,
  baseId: string,
  { name, path }: Source & { type: 'file' },
  { existing, onProgress }: AddParts,
): Promise<string> {
  const { id } = await client.documents.upload(baseId, await openAsBlob(path), {
    fileName: basename(path),
    name,
    documentId: existing.get(`file ${name}`),
    onProgress: ({ sentBytes, totalBytes }) => onProgress(sentBytes / totalBytes),
  });
  return id;
}

async function fetchPage(
  client: VoiceAgents,
  baseId: string,
  url: string,
  { existing, refreshEvery }: AddParts,
): Promise<string> {
  const known = existing.get(`url ${url}`);
  const refreshEveryHours = refreshEvery ?? null;
  if (known === undefined) return (await client.documents.create(baseId, { url, refreshEveryHours })).id;
  if (refreshEvery !== undefined) await client.documents.update(baseId, known, { refreshEveryHours });
  await client.documents.refresh(baseId, known).catch((error: unknown) => {
    // The document is being fetched already.
    if (!(error instanceof StateConflictError)) throw error;
  });
  return known;
}

async function documentsOf(client: VoiceAgents, baseId: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { id, type, name, url } of client.documents.list(baseId, { limit: 100 })) {
    found.set(`${type} ${type === 'url' ? url : name}`, id);
  }
  return found;
}

async function sourcesOf(
  client: VoiceAgents,
  baseId: string,
  source: string,
  { recursive = false, site = false }: AddOptions,
): Promise<Source[]> {
  if (/^https?:\/\//i.test(source)) {
    const urls = site ? (await client.knowledgeBases.pages.find(baseId, { url: source })).urls : [source];
    if (urls.length === 0) throw invalidUsage(`${visible(source)} lists no pages`);
    return urls.map((url) => ({ type: 'url', name: url }));
  }
  const isFolder = await stat(source).then(
    (found) => found.isDirectory(),
    (error: Error) => {
      throw invalidUsage(`${visible(source)} cannot be read: ${error.message}`);
    },
  );
  if (!isFolder) return [{ type: 'file', name: basename(source), path: source }];
  const files = await documentFilesIn(source, recursive);
  if (files.length === 0) {
    throw invalidUsage(`${visible(source)} has no files of the types ${documentExtensions.join(' ')}`);
  }
  return files.map((file) => ({ type: 'file', ...file }));
}
