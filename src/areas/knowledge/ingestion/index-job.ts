import type { DocumentError } from '../../../contract/knowledge/document.ts';
import type { KnowledgeBase } from '../../../contract/knowledge/knowledge-base.ts';
import { JobTimeoutError } from '../../../jobs/job-run.ts';
import type { JobContext, JobKind } from '../../../jobs/kind.ts';
import type { Database } from '../../../storage/database.ts';
import type { MediaStore } from '../../../storage/media.ts';
import { splittingOf } from '../bases/knowledge-base.ts';
import type { BaseStore } from '../bases/store.ts';
import { type DocumentRow, isInWork, withFields } from '../documents/document.ts';
import type { DocumentStore } from '../documents/store.ts';
import type { ExtractedDocument, Extraction } from '../extraction/extraction.ts';
import { folderOf } from './files.ts';
import { type IndexJob, indexJob, maxIndexAttempts } from './index-job-kind.ts';
import { type Ingestion, settledWithinMs } from './ingestion.ts';
import type { IndexOutcome } from './settling.ts';

export interface IndexJobParts {
  readonly database: Database;
  readonly media: MediaStore;
  readonly bases: BaseStore;
  readonly documents: DocumentStore;
  readonly extraction: Extraction;
  readonly ingestion: Pick<Ingestion, 'lock' | 'settle'>;
  readonly now: () => number;
}

/** The work on a document. */
interface Task {
  readonly row: DocumentRow;
  readonly base: KnowledgeBase;
}

/** Extracts the content of a document, splits it into chunks, and makes them searchable. */
export function createIndexJob(parts: IndexJobParts): JobKind {
  const { database, ingestion } = parts;
  const kind: JobKind<IndexJob> = {
    ...indexJob,
    retryDelaysMs: [1000, 5000, 30_000],
    // Extraction and splitting have their own limits, which are shorter.
    timeoutMs: 240_000,
    concurrency: 2,
    run: async ({ workspaceId, payload, attempt }, context) => {
      if (workspaceId === null) return;
      for (;;) {
        const task = await beginTask(parts, workspaceId, payload);
        if (task === null) return;
        const outcome = attempt > maxIndexAttempts ? processesLost : await outcomeOf(parts, task, context.signal);
        if ((await settle(task, outcome, context)) !== 'again') return;
      }
    },
  };

  const settle = (
    task: Task,
    outcome: IndexOutcome,
    { complete }: JobContext,
  ): Promise<'settled' | 'again' | 'dropped'> =>
    database.transaction(
      async (queries) => {
        const { workspaceId, document, work } = task.row;
        const locked = await ingestion.lock(queries, { workspaceId, documentId: document.id });
        // The document was deleted, has other content, or was settled by somebody else.
        if (locked === null || locked.row.work !== work || !isInWork(locked.row.document.status)) return 'dropped';
        const isSplit = outcome.as === 'extracted' || outcome.as === 'split';
        if (isSplit && splittingOf(locked.base) !== splittingOf(task.base)) return 'again';
        if (!(await complete(queries))) return 'dropped';
        await ingestion.settle(queries, locked.base, locked.row, outcome);
        return 'settled';
      },
      { isBackground: true },
    );

  return kind as JobKind;
}

/** The document is `extracting` now. Null if there is nothing to do any more. */
function beginTask(parts: IndexJobParts, workspaceId: string, { documentId, work }: IndexJob): Promise<Task | null> {
  const { database, bases, documents, now } = parts;
  return database.transaction(async (queries) => {
    const row = await documents.lock(queries, workspaceId, documentId);
    if (row === undefined || row.work !== work || !isInWork(row.document.status)) return null;
    const base = await bases.read(queries, workspaceId, row.document.knowledgeBaseId);
    if (base === undefined) return null;
    const { source } = row;
    const isText = source !== null && row.document.type === 'text';
    const begun: DocumentRow = {
      ...withFields(row, { status: 'extracting' }),
      dueAt: row.dueAt ?? now() + settledWithinMs,
      source: isText ? { ...source, file: `${folderOf(documentId)}/${work}.md` } : source,
    };
    await documents.replace(queries, begun);
    return { row: begun, base: base.base };
  });
}

async function outcomeOf(parts: IndexJobParts, task: Task, signal: AbortSignal): Promise<IndexOutcome> {
  try {
    const outcome =
      task.row.source === null ? await splitKept(parts, task, signal) : await extract(parts, task, signal);
    if (outcome.as === 'extracted' || outcome.as === 'split') await showIndexing(parts, task.row);
    return outcome;
  } catch (error) {
    if (signal.reason instanceof JobTimeoutError) return outOfTime;
    throw error;
  }
}

async function extract(
  { media, documents, extraction }: IndexJobParts,
  { row, base }: Task,
  signal: AbortSignal,
): Promise<IndexOutcome> {
  const { workspaceId, document, source, fileName } = row;
  if (source === null || source.file === null) return failure('internal', 'There is no content.', false);
  const isKnown = source.sha256 === document.contentSha256 && row.splitting === splittingOf(base);
  if (isKnown) return { as: 'unchanged' };
  if (document.type === 'text') {
    const text = await documents.sourceText(workspaceId, document.id);
    await media.write(source.file, bytesOf(text ?? ''));
  }
  if ((await media.find(source.file)) === null) return failure('internal', 'The file is gone. Send it again.', false);
  const input = {
    name: fileName ?? nameInUrl(document.url),
    contentType: source.contentType,
    kind: document.type,
    language: base.language,
    chunkSize: base.chunkSize,
  };
  const result = await media.withLocal(source.file, (file) =>
    extraction.extract(workspaceId, { ...input, file }, signal),
  );
  if (!result.ok) return { as: 'failed', error: errorOf(result) };
  return { as: 'extracted', extracted: storable(result) };
}

/** For another chunk size, or on request. */
async function splitKept(
  { database, documents, extraction }: IndexJobParts,
  { row, base }: Task,
  signal: AbortSignal,
): Promise<IndexOutcome> {
  const text = await documents.readText(database, row.workspaceId, row.document.id);
  if (text === null) return row.failure === null ? noText : { as: 'failed', error: row.failure };
  const { language, chunkSize } = base;
  const result = await extraction.split(row.workspaceId, { ...text, language, chunkSize }, signal);
  return result.ok ? { as: 'split', chunks: result.chunks } : { as: 'failed', error: errorOf(result) };
}

/** Only for those who look: nothing depends on it. */
function showIndexing(
  { database, documents }: IndexJobParts,
  { workspaceId, document, work }: DocumentRow,
): Promise<void> {
  return database.transaction(async (queries) => {
    const row = await documents.lock(queries, workspaceId, document.id);
    if (row?.work !== work || row.document.status !== 'extracting') return;
    await documents.replace(queries, withFields(row, { status: 'indexing' }));
  });
}

function failure(code: DocumentError['code'], message: string, retryable: boolean): IndexOutcome {
  return { as: 'failed', error: { code, message, retryable } };
}

const processesLost = failure('internal', 'The process that worked on it was lost three times.', true);
const outOfTime = failure('timeout', 'It took too long.', true);
const noText = failure('internal', 'There is no text to index.', false);

function errorOf({ code, message, retryable }: DocumentError): DocumentError {
  return { code, message, retryable };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The last part of the path: its ending may say what the content is. */
function nameInUrl(url: string | null): string {
  const path = url === null ? '' : (URL.parse(url)?.pathname ?? '');
  return path.slice(path.lastIndexOf('/') + 1);
}

/** PostgreSQL cannot store NUL characters. */
function storable(extracted: ExtractedDocument): ExtractedDocument {
  if (!extracted.text.includes('\0')) return extracted;
  const clean = (text: string) => text.replaceAll('\0', ' ');
  const chunks = extracted.chunks.map((chunk) => ({
    ...chunk,
    text: clean(chunk.text),
    headingPath: chunk.headingPath.map(clean),
  }));
  return { ...extracted, text: clean(extracted.text), chunks };
}
