import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AbortedRun } from '../campaign.ts';
import type { Random } from '../random.ts';
import type { Answer, Client } from './client.ts';
import { htmlOf, markdownOf, newVersion, type Version } from './content.ts';
import type { KnownBase, KnownDocument, World } from './documents.ts';
import type { Pages } from './pages.ts';
import { maxSettleMs } from './settings.ts';

export interface WriterParts {
  readonly client: Client;
  readonly random: Random;
  readonly world: World;
  readonly pages: Pages;
  readonly found: (what: string) => void;
  readonly newNumber: () => number;
}

export type Work = 'create' | 'replace' | 'refresh' | 'split' | 'delete';

const maxDocuments = 5;

/** A client that changes the documents of a base of its own, one request at a time. */
export class Writer {
  readonly #parts: WriterParts;
  readonly #counts: Record<Work, number> = { create: 0, replace: 0, refresh: 0, split: 0, delete: 0 };
  #base: KnownBase | null = null;
  #work: Work | null = null;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  get counts(): Readonly<Record<Work, number>> {
    return this.#counts;
  }

  /** What it is waiting for. */
  get work(): Work | null {
    return this.#work;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { random } = this.#parts;
      this.#base ??= await this.#newBase();
      const document = await this.#change(this.#base);
      // Otherwise the next change may arrive while it is being processed.
      if (document !== null && random.chance(0.5)) await this.#untilSettled(document, isOver);
      else await delay(random.int(0, 60));
    }
  }

  async #newBase(): Promise<KnownBase> {
    const { json } = await this.#must(201, 'POST', '', { name: 'Campaign', language: 'en', chunkSize: 300 });
    const base: KnownBase = { id: json.id, documents: [] };
    this.#parts.world.bases.add(base);
    return base;
  }

  /** Resolves to the document that has been changed. */
  async #change(base: KnownBase): Promise<KnownDocument | null> {
    const { random } = this.#parts;
    const roll = random.next();
    if (base.documents.length === 0 || (base.documents.length < maxDocuments && roll < 0.25)) {
      return this.#doing('create', () => this.#create(base));
    }
    const document = random.pick(base.documents);
    if (roll < 0.6) return this.#doing('replace', () => this.#replace(document));
    if (roll < 0.75) return this.#doing('refresh', () => this.#refresh(document));
    if (roll < 0.82) return this.#doing('split', () => this.#split(base));
    if (roll < 0.98) return this.#doing('delete', () => this.#delete(base, document));
    return this.#doing('delete', () => this.#deleteBase(base));
  }

  async #doing<T>(work: Work, task: () => Promise<T>): Promise<T> {
    this.#work = work;
    try {
      return await task();
    } finally {
      this.#counts[work] += 1;
      this.#work = null;
    }
  }

  async #create(base: KnownBase): Promise<KnownDocument> {
    const { random, world, newNumber } = this.#parts;
    const document: KnownDocument = {
      number: newNumber(),
      kind: random.pick(['text', 'file', 'url'] as const),
      baseId: base.id,
      id: '',
      versions: new Map(),
      expected: 1,
      isFailing: false,
      seen: null,
      deletion: 'none',
    };
    const version = this.#nextVersion(document);
    world.documents.push(document);
    const path = `/${base.id}/documents`;
    const { json } = await this.#must(201, 'POST', path, this.#contentOf(document, version, { isNew: true }));
    document.id = json.id;
    base.documents.push(document);
    if (document.kind === 'file') await this.#upload(document, version, json);
    return document;
  }

  async #replace(document: KnownDocument): Promise<KnownDocument> {
    const { random, pages } = this.#parts;
    if (document.kind === 'url' && random.chance(0.15)) {
      pages.fail(document.number);
      document.isFailing = true;
      await this.#sendRefresh(document);
      return document;
    }
    const version = this.#nextVersion(document);
    const content = this.#contentOf(document, version, { isNew: false });
    if (document.kind === 'url') await this.#sendRefresh(document);
    else {
      const { json } = await this.#must(200, 'PATCH', `/${document.baseId}/documents/${document.id}`, content);
      if (document.kind === 'file') await this.#upload(document, version, json);
    }
    document.expected = version.number;
    return document;
  }

  /** Without new content. */
  async #refresh(document: KnownDocument): Promise<KnownDocument> {
    await this.#sendRefresh(document);
    return document;
  }

  /** Repeats it until no other work is in its way: that may have started before the page was changed. */
  async #sendRefresh({ baseId, id }: KnownDocument): Promise<void> {
    const deadline = performance.now() + maxSettleMs;
    for (;;) {
      const { status, json } = await this.#parts.client.send('POST', `/${baseId}/documents/${id}/refresh`);
      if (status === 200) return;
      if (status !== 409) this.#unexpected('a refresh', status, json);
      if (performance.now() > deadline) throw new AbortedRun('a document is never finished');
      await delay(50);
    }
  }

  async #split(base: KnownBase): Promise<null> {
    const chunkSize = this.#parts.random.pick([200, 300, 600, 1200]);
    await this.#must(200, 'PATCH', `/${base.id}`, { chunkSize });
    return null;
  }

  async #delete(base: KnownBase, document: KnownDocument): Promise<null> {
    document.deletion = 'sent';
    await this.#remove(`/${base.id}/documents/${document.id}`);
    document.deletion = 'acknowledged';
    base.documents.splice(base.documents.indexOf(document), 1);
    return null;
  }

  async #deleteBase(base: KnownBase): Promise<null> {
    for (const document of base.documents) document.deletion = 'sent';
    await this.#remove(`/${base.id}`);
    for (const document of base.documents) document.deletion = 'acknowledged';
    this.#parts.world.bases.delete(base);
    this.#base = null;
    return null;
  }

  /** An earlier try, whose answer was lost, may have removed it. */
  async #remove(path: string): Promise<void> {
    const { status, json } = await this.#parts.client.send('DELETE', path);
    if (status !== 200 && status !== 404) this.#unexpected('a deletion', status, json);
  }

  #nextVersion(document: KnownDocument): Version {
    const version = newVersion(document.number, document.versions.size + 1, this.#parts.random);
    document.versions.set(version.number, version);
    return version;
  }

  #contentOf(document: KnownDocument, version: Version, { isNew }: { isNew: boolean }): object {
    const { number, kind } = document;
    const { pages } = this.#parts;
    const name = `Document ${number}`;
    if (kind === 'text') return { ...(isNew ? { name } : {}), text: markdownOf(number, version) };
    if (kind === 'file') {
      const bytes = bytesOf(document, version);
      return { file: { name: `${name}.html`, sizeBytes: bytes.length, sha256: hash('sha256', bytes) } };
    }
    pages.show(number, version.number, htmlOf(number, version));
    document.isFailing = false;
    return { url: pages.url(number) };
  }

  async #upload(document: KnownDocument, version: Version, offered: { upload: { url: string } }): Promise<void> {
    const { client } = this.#parts;
    const { status, json } = await client.upload(offered.upload.url, bytesOf(document, version));
    if (status === 200) return;
    if (status !== 404) this.#unexpected('an upload', status, json);
    // An earlier try, whose answer was lost, may have brought all of it.
    const read = await client.send('GET', `/${document.baseId}/documents/${document.id}`);
    if (read.json.status === 'uploading') this.#parts.found('an upload is refused while it is expected');
  }

  async #untilSettled({ baseId, id }: KnownDocument, isOver: () => boolean): Promise<void> {
    const deadline = performance.now() + maxSettleMs;
    while (!isOver()) {
      const { json } = await this.#must(200, 'GET', `/${baseId}/documents/${id}`);
      if (json.status === 'ready' || json.status === 'failed') return;
      if (performance.now() > deadline) return this.#parts.found(`a document stays ${json.status}`);
      await delay(50);
    }
  }

  async #must(expected: number, method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#parts.client.send(method, path, body);
    if (answer.status !== expected) this.#unexpected(`${method} of a document`, answer.status, answer.json);
    return answer;
  }

  #unexpected(what: string, status: number, json: unknown): never {
    throw new AbortedRun(`${what} was answered with ${status}: ${JSON.stringify(json).slice(0, 300)}`);
  }
}

function bytesOf({ number }: KnownDocument, version: Version): Buffer {
  return Buffer.from(htmlOf(number, version));
}
