import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Chunk, Document } from '../../src/contract/knowledge/document.ts';
import type { KnowledgeBase } from '../../src/contract/knowledge/knowledge-base.ts';
import type { Database } from '../../src/storage/database.ts';
import { databaseFiles, tablesOf } from '../stored-bytes.ts';
import type { Client } from './client.ts';
import { plantsIn, readVersion } from './content.ts';
import type { KnownBase, KnownDocument, World } from './documents.ts';
import type { Searcher } from './searcher.ts';
import { maxRemovalMs, maxSettleMs } from './settings.ts';

export interface CheckParts {
  readonly client: Client;
  readonly database: Database;
  readonly mediaFolder: string;
  readonly world: World;
  readonly searcher: Searcher;
  readonly found: (what: string) => void;
}

/** What a check has seen. */
export interface CheckCounts {
  ready: number;
  /** By the code of their error. */
  readonly failed: Map<string, number>;
  removedPlants: number;
  longestRemovalMs: number;
  filesRemovedLater: number;
  /** Sentences that are in the file of SQLite and in no table: copies that it leaves when it divides or joins pages. */
  copiesInFile: number;
}

/** Compares everything with what the writers know, once they have stopped. */
export class Check {
  readonly #parts: CheckParts;
  readonly counts: CheckCounts = {
    ready: 0,
    failed: new Map(),
    removedPlants: 0,
    longestRemovalMs: 0,
    filesRemovedLater: 0,
    copiesInFile: 0,
  };
  /** The versions that are served, by document. */
  readonly #served = new Map<KnownDocument, number | null>();

  constructor(parts: CheckParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { world } = this.#parts;
    this.#served.clear();
    for (const base of world.bases) await this.#checkBase(base);
    await this.#checkRows();
    await this.#checkBytes();
  }

  async #checkBase(base: KnownBase): Promise<void> {
    const { found } = this.#parts;
    const read: Document[] = [];
    for (const document of base.documents) read.push(await this.#checkDocument(document));
    const stored: KnowledgeBase = await this.#get(`/${base.id}`);
    const chunks = read.reduce((sum, { chunkCount }) => sum + (chunkCount ?? 0), 0);
    if (stored.documentCount !== read.length) found('a base counts other documents than it has');
    if (stored.chunkCount !== chunks) found('a base counts other chunks than it has');
    const isDegraded = read.some(({ status }) => status === 'failed');
    const status = isDegraded ? 'degraded' : chunks === 0 ? 'empty' : 'ready';
    if (stored.status !== status) found(`a base is ${stored.status}, expected ${status}`);
    const { items } = await this.#get(`/${base.id}/documents?limit=200`);
    const listed = items.map(({ id }: Document) => id).toSorted();
    if (!isDeepStrictEqual(listed, read.map(({ id }) => id).toSorted())) found('the list has other documents');
  }

  async #checkDocument(document: KnownDocument): Promise<Document> {
    const { found, searcher } = this.#parts;
    const settled = await this.#settled(document);
    const chunks = await this.#chunksOf(document);
    const { version, issues } = readVersion(document.number, document.versions, chunks, true);
    this.#served.set(document, version);
    for (const issue of issues) found(`a document that has settled ${issue}`);
    if (chunks.length !== (settled.chunkCount ?? 0)) found('a document counts other chunks than it has');
    if (chunks.some(({ index }, place) => index !== place)) found('the numbers of chunks have a gap');
    if (new Set(chunks.map(({ id }) => id)).size < chunks.length) found('an id of a chunk is there twice');
    if (chunks.some(({ start }, place) => start < (chunks[place - 1]?.end ?? 0))) found('chunks overlap');
    if (chunks.some(({ documentRevision }) => documentRevision !== settled.revision))
      found('a chunk has another revision than its document');
    if (version === null && document.seen !== null) found('what was served is gone');
    if (version !== null && version < (document.seen ?? 0)) found('an older version than before is served');
    if ((await searcher.search(document)) !== version) found('search has another version than the document');
    this.#checkOutcome(document, settled, version);
    return settled;
  }

  #checkOutcome({ expected, isFailing }: KnownDocument, settled: Document, version: number | null): void {
    const { found } = this.#parts;
    if (settled.status === 'ready') {
      this.counts.ready += 1;
      if (isFailing) found('a document is ready although its page cannot be read');
      else if (version !== expected) found('a document is ready with another version than the newest');
      return;
    }
    const code = settled.error?.code ?? 'none';
    this.counts.failed.set(code, (this.counts.failed.get(code) ?? 0) + 1);
    const expectedCodes = isFailing ? ['fetch_failed'] : ['internal', 'timeout'];
    if (!expectedCodes.includes(code)) found(`a document has failed with ${code}`);
  }

  async #settled({ baseId, id }: KnownDocument): Promise<Document> {
    const deadline = performance.now() + maxSettleMs;
    for (;;) {
      const document: Document = await this.#get(`/${baseId}/documents/${id}`);
      if (document.status === 'ready' || document.status === 'failed') return document;
      if (performance.now() > deadline) {
        this.#parts.found(`a document stays ${document.status}`);
        return document;
      }
      await delay(50);
    }
  }

  async #chunksOf({ baseId, id }: KnownDocument): Promise<Chunk[]> {
    const chunks: Chunk[] = [];
    let cursor = '';
    for (;;) {
      const { items, pagination } = await this.#get(`/${baseId}/documents/${id}/chunks?limit=200${cursor}`);
      chunks.push(...items);
      if (pagination.nextCursor === null) return chunks;
      cursor = `&cursor=${encodeURIComponent(pagination.nextCursor)}`;
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the operation.
  async #get(path: string): Promise<any> {
    const { status, json } = await this.#parts.client.send('GET', path);
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}`);
    return json;
  }

  /** What no operation shows. */
  async #checkRows(): Promise<void> {
    const { database, found } = this.#parts;
    for (const [issue, sql] of rowIssues) {
      const rows = await database.all(sql);
      if (rows.length > 0) found(issue);
    }
  }

  async #checkBytes(): Promise<void> {
    const { world, found } = this.#parts;
    const removed = new Map<string, string>();
    const kept = new Set<string>();
    for (const document of world.documents) {
      const served = this.#served.get(document) ?? null;
      const { kind, deletion, expected } = document;
      for (const { number, sentences } of document.versions.values()) {
        const about = `version ${number} of ${kind} ${document.number}: expected ${expected}, served ${served}, deletion ${deletion}`;
        for (const plant of plantsIn(sentences.join(' '))) {
          if (number === served) kept.add(plant);
          else removed.set(plant, about);
        }
      }
    }
    this.counts.removedPlants = removed.size;
    const startedAt = performance.now();
    for (;;) {
      const places = await this.#placesOf(removed, kept);
      const tookMs = performance.now() - startedAt;
      this.counts.longestRemovalMs = Math.max(this.counts.longestRemovalMs, tookMs);
      if (places.length === 0) return;
      if (tookMs > maxRemovalMs) return places.forEach((place) => void found(place));
      await delay(500);
    }
  }

  /** Where something is that was removed. The same search has to find what is served. */
  async #placesOf(removed: ReadonlyMap<string, string>, kept: ReadonlySet<string>): Promise<string[]> {
    const { database } = this.#parts;
    const places: string[] = [];
    const seen = new Set<string>();
    const look = (where: string, content: Buffer): void => {
      const plants = new Set(plantsIn(content.toString('latin1')));
      const [left] = [...plants].flatMap((plant) => removed.get(plant) ?? []);
      if (left !== undefined) places.push(`${where} has what was deleted: ${left}`);
      for (const plant of plants.intersection(kept)) seen.add(plant);
    };
    for (const [table, content] of await tablesOf(database)) look(`the table ${table}`, content);
    if (seen.size !== kept.size) places.push('a sentence that is served is in no table');
    if (database.dialect.engine === 'sqlite') {
      for (const [about, file] of await databaseFiles(database)) {
        const content = readFileSync(file);
        if (!file.endsWith('.db')) look(about, content);
        // Its log has been emptied once nothing else is found.
        else this.counts.copiesInFile = plantsIn(content.toString('latin1')).filter((one) => removed.has(one)).length;
      }
    }
    for (const { parentPath, name } of await this.#filesLeft()) {
      places.push('the media folder has a file that no job removes');
      look('the media folder', readFileSync(join(parentPath, name)));
    }
    return places;
  }

  /** Without the parts of files that a killed process has left, which a job removes once nobody can write them. */
  async #filesLeft() {
    const { database, mediaFolder } = this.#parts;
    const files = readdirSync(mediaFolder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const jobs = await database.all<{ payload: string }>(
      "SELECT payload FROM jobs WHERE kind = 'knowledge_files' AND finished_at IS NULL AND attempt = 0",
    );
    const isRemovedLater = ({ parentPath }: { readonly parentPath: string }) =>
      jobs.some(({ payload }) => parentPath.endsWith(JSON.parse(payload).documentId));
    const later = files.filter(isRemovedLater);
    this.counts.filesRemovedLater = later.length;
    return files.filter((file) => !later.includes(file));
  }
}

const rowIssues: readonly (readonly [string, string])[] = [
  ['a chunk has no document', 'SELECT id FROM chunks WHERE document_id NOT IN (SELECT id FROM documents)'],
  [
    'a text has no document',
    'SELECT document_id FROM document_texts WHERE document_id NOT IN (SELECT id FROM documents)',
  ],
  ['a document has no base', 'SELECT id FROM documents WHERE base_id NOT IN (SELECT id FROM knowledge_bases)'],
  [
    'a chunk is there twice',
    'SELECT document_id, chunk_index FROM chunks GROUP BY document_id, chunk_index HAVING count(*) > 1',
  ],
  [
    'the source of a document is kept',
    'SELECT id FROM documents WHERE source_text IS NOT NULL OR source_file IS NOT NULL',
  ],
  [
    'a job works on a document that has settled',
    "SELECT id FROM jobs WHERE kind IN ('knowledge_index', 'knowledge_fetch') AND finished_at IS NULL",
  ],
];
