import type { Call } from '../../../contract/calls/call.ts';
import { bytesOf, type Dialect, type Reader } from '../../../storage/database.ts';
import type { DocumentKind } from '../../../storage/documents/document-kind.ts';
import { type Page, placesWithin } from '../../../storage/page.ts';
import type { CallSearch, Progress } from './scan.ts';

interface DocumentsRow extends Record<string, unknown> {
  items: unknown;
  oldest_version: number | null;
  last_place: string | null;
}

/** The calls that a search has found, as many as fit on a page. */
export async function pageOfCalls(
  { dialect, documents: { call: kind }, get }: Pick<Reader, 'dialect' | 'documents' | 'get'>,
  { workspaceId, limit }: CallSearch,
  { ids, position }: Progress,
): Promise<Page<Call>> {
  const shown = ids.slice(0, limit);
  const last = shown.at(-1);
  if (last === undefined) return { items: Buffer.alloc(0), next: position };
  const row = await get<DocumentsRow>(documentsSql(dialect, kind), [workspaceId, JSON.stringify(shown)]);
  const next = ids.length > limit ? last : position;
  // All of them were deleted meanwhile.
  if (row === undefined || row.last_place === null) return { items: Buffer.alloc(0), next };
  const items = bytesOf(kind.currentItems(bytesOf(row.items), row.oldest_version));
  return { items, next: row.last_place === last ? next : row.last_place };
}

function documentsSql({ bytes, joined, textsIn }: Dialect, kind: DocumentKind): string {
  const found = `FROM calls WHERE workspace_id = $1 AND id IN (${textsIn('$2')})`;
  const lengths = `SELECT id AS place, octet_length(doc) AS bytes ${found}`;
  return `SELECT ${bytes('items')} AS items, oldest_version, last_place
    FROM (SELECT ${joined(kind.itemSql(), 'id DESC')} AS items, min(doc_version) AS oldest_version, min(id) AS last_place
      FROM (SELECT id, doc, doc_version ${found} AND id >= (SELECT min(place) FROM (${placesWithin(lengths)}) AS within)
        ORDER BY id DESC) AS page) AS pages`;
}
