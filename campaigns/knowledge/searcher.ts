import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { Client } from './client.ts';
import { readVersion, subjectOf } from './content.ts';
import type { KnownDocument, World } from './documents.ts';

export interface SearcherParts {
  readonly client: Client;
  readonly random: Random;
  readonly world: World;
  readonly found: (what: string) => void;
}

const limit = 50;

/** A client that searches for documents while they change. */
export class Searcher {
  readonly #parts: SearcherParts;
  searches = 0;
  hits = 0;

  constructor(parts: SearcherParts) {
    this.#parts = parts;
  }

  async run(isOver: () => boolean): Promise<void> {
    const { world, random } = this.#parts;
    while (!isOver()) {
      // Mostly those that were created last: the older ones are gone.
      const candidates = world.documents.slice(-30);
      if (candidates.length > 0) await this.search(random.pick(candidates));
      await delay(random.int(0, 20));
    }
  }

  /** Resolves to the version that was found. */
  async search(document: KnownDocument): Promise<number | null> {
    const { client, found } = this.#parts;
    const { number, baseId, versions, seen, deletion } = document;
    const query = subjectOf(number);
    const { status, json } = await client.send('POST', `/${baseId}/search`, { query, limit });
    this.searches += 1;
    if (status === 404) {
      if (document.deletion === 'none') found('a search does not find the knowledge base');
      return null;
    }
    if (status !== 200) {
      found(`a search was answered with ${status}: ${json.code}`);
      return null;
    }
    const chunks = json.results.map(({ chunk }: { chunk: unknown }) => chunk);
    const { version, issues } = readVersion(number, versions, chunks, chunks.length < limit);
    for (const issue of issues) found(`a search in revision ${json.revision}: a ${document.kind} ${issue}`);
    if (version === null && seen !== null && document.deletion === 'none') found('a search does not find a document');
    if (version !== null && deletion === 'acknowledged') found('a search finds a document that was deleted before');
    if (version !== null && seen !== null && version < seen) found('a search finds an older version than one before');
    if (version !== null) this.hits += 1;
    if (version !== null && version > (document.seen ?? 0)) document.seen = version;
    return version;
  }
}
