import { createHash } from 'node:crypto';
import { filterNamesIn } from '../../contract/pagination.ts';
import type { CursorCodec, Filters, Listing, Position } from '../../core/cursor.ts';
import type { Issue } from '../../core/issues.ts';
import { readPosition } from './paging.ts';
import { isObject } from './schema.ts';

type Sent = Readonly<Record<string, unknown>>;

/**
 * The filters of a search, for its cursor: a digest, because a filter may be long. It is the same for every order of
 * keys, and does not depend on `limit`, `cursor` and fields that are ignored.
 */
export function createSearchFilters(bodyShape: Readonly<Record<string, unknown>>): (sent: Sent) => Filters {
  const names = filterNamesIn(bodyShape);
  return (sent) => {
    const filter = Object.fromEntries(names.map((name) => [name, sent[name]]));
    return { filter: createHash('sha256').update(canonicalJson(filter)).digest('base64url').slice(0, digestLength) };
  };
}

/** In base64: 132 bits. */
const digestLength = 22;

/** The position encoded in the cursor of the body. Issues go to `report`. */
export function readSearchPosition(
  cursors: CursorCodec,
  listing: Listing,
  sent: Sent,
  filtersOf: (sent: Sent) => Filters,
  report: (issue: Issue) => void,
): Position | null {
  // Any other type is an issue of the schema.
  if (typeof sent.cursor !== 'string') return null;
  return readPosition(cursors, listing, sent.cursor, filtersOf(sent), report);
}

/** JSON with the keys of every object in order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
