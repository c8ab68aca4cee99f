import { andThen, type Eventually } from '../eventually.ts';
import { idLength } from '../ids.ts';
import { JoinedPieces } from '../pieces.ts';
import type { Database, Queries } from '../storage/database.ts';
import type { CachedDocument, DocumentCache } from '../storage/document-cache.ts';
import { boundedPageSql, mostBytesOfPage, type Page, type PageRow, pageOf, readPage } from '../storage/page.ts';

const agentIdLength = idLength('agt');

interface FillingPageRow extends PageRow {
  ids: string | null;
  lengths: string | null;
}

/**
 * Lists of agents, and the documents that are kept for them. What this process changes is taken out by its writes; when
 * another one has written, nobody knows what, and everything goes. Where the engine cannot tell, nothing is kept.
 */
export function createKeptDocuments(database: Database, cache: DocumentCache | null) {
  const agentsBefore = (place: string) => `FROM agents WHERE workspace_id = $1 AND id < ${place}`;
  const listSql = boundedPageSql(database.dialect, 'id', agentsBefore);
  // What an aggregate takes in the order of its rows, it does so on SQLite only, which is where something is kept.
  const fillingListSql = boundedPageSql(database.dialect, 'id', agentsBefore, {
    ids: "string_agg(id, '')",
    lengths: "string_agg(octet_length(doc), ',')",
  });
  const idsSql = `SELECT string_agg(id, '') AS ids FROM (SELECT id ${agentsBefore('$2')} ORDER BY id DESC LIMIT $3 + 1) AS page`;
  const luck = new Luck();
  let outsideNumber: number | null = null;

  /** The documents that still hold; null where none are kept. */
  const current = (): DocumentCache | null => {
    const number = cache === null ? null : database.outsideNumber();
    if (cache === null || number === null) return null;
    if (number !== outsideNumber) {
      cache.clear();
      outsideNumber = number;
    }
    return cache;
  };

  const keptPage = (kept: DocumentCache, workspaceId: string, ids: readonly string[], limit: number): Page | null => {
    const documents: CachedDocument[] = [];
    let bytes = 0;
    for (let place = 0; place < ids.length && place < limit; place += 1) {
      const document = kept.get(workspaceId, ids[place] as string);
      if (document === undefined) return null;
      bytes += document.length;
      if (bytes > mostBytesOfPage && place > 0) break;
      documents.push(document);
    }
    const next = documents.length < ids.length ? (ids[documents.length - 1] as string) : null;
    return { items: new JoinedPieces(documents, ','), next };
  };

  const keepAll = (kept: DocumentCache, workspaceId: string, items: Buffer, ids: string, lengths: string): void => {
    let start = 0;
    const allIds = idsIn(ids);
    for (const [place, length] of lengths.split(',').entries()) {
      const id = allIds[place] as string;
      const end = start + Number(length);
      if (kept.get(workspaceId, id) === undefined) kept.addBytes(workspaceId, id, items.subarray(start, end));
      start = end + 1;
    }
  };

  const readAndKeep = (
    kept: DocumentCache,
    workspaceId: string,
    parameters: [string, string, number],
  ): Eventually<Page> =>
    andThen(readPage<FillingPageRow>(database, fillingListSql, parameters), (row) => {
      const page = pageOf(row);
      if (row?.ids && row.lengths && kept.admits())
        keepAll(kept, workspaceId, page.items as Buffer, row.ids, row.lengths);
      return page;
    });

  return {
    current,

    page: (workspaceId: string, beforeId: string, limit: number): Eventually<Page> => {
      const parameters: [string, string, number] = [workspaceId, beforeId, limit];
      const kept = current();
      if (kept === null || !luck.isWorthATry()) return andThen(readPage(database, listSql, parameters), pageOf);
      return andThen(database.get<{ ids: string | null }>(idsSql, parameters), (row) => {
        const page = keptPage(kept, workspaceId, idsIn(row?.ids ?? ''), limit);
        luck.note(page !== null);
        return page ?? readAndKeep(kept, workspaceId, parameters);
      });
    },

    /** For whoever changes a document: before it is changed, and once more when that can be seen by others. */
    forget: (queries: Queries, id: string): void => {
      if (cache === null) return;
      cache.remove(id);
      queries.atEnd(() => cache.remove(id));
    },
  };
}

function idsIn(joined: string): string[] {
  const ids: string[] = [];
  for (let end = agentIdLength; end <= joined.length; end += agentIdLength) {
    ids.push(joined.slice(end - agentIdLength, end));
  }
  return ids;
}

/** Where hardly any page is kept whole, to look for each would only cost: then it is done now and then. */
class Luck {
  #share = 1;
  #skipped = 0;

  isWorthATry(): boolean {
    if (this.#share > 0.2) return true;
    this.#skipped = (this.#skipped + 1) % 8;
    return this.#skipped === 0;
  }

  note(isFound: boolean): void {
    this.#share = 0.95 * this.#share + (isFound ? 0.05 : 0);
  }
}
