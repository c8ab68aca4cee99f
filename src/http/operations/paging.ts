import { createHash } from 'node:crypto';
import { isObject } from '../../contract/json-object.ts';
import type { Operation } from '../../contract/operation.ts';
import { filterNamesIn } from '../../contract/pagination.ts';
import type { CursorCodec, Filters, Listing, Position } from '../../core/cursor.ts';
import type { Issue } from '../../core/issues.ts';
import { StoredJson } from '../../core/stored-json.ts';
import type { Page } from '../../storage/page.ts';
import type { Caller } from '../admission/caller.ts';
import type { PageBody, StoredReply } from './handlers.ts';

const start = Buffer.from('{"items":[');
const lastPageEnd = Buffer.from('],"pagination":{"nextCursor":null}}');

/** The filter parameters of a list. Null if the operation is not a list. */
export function filterNamesOf(queryShape: Readonly<Record<string, unknown>>): readonly string[] | null {
  return 'cursor' in queryShape ? filterNamesIn(queryShape) : null;
}

/** The filters as they were sent. */
export function filtersIn(names: readonly string[], query: Readonly<Record<string, string>>): Filters {
  return Object.fromEntries(names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));
}

/** The position encoded in the cursor of the query. Issues go to `report`. */
export function readPosition(
  cursors: CursorCodec,
  listing: Listing,
  cursor: string | undefined,
  filters: Filters,
  report: (issue: Issue) => void,
): Position | null {
  if (cursor === undefined || cursor === '') return null;
  const position = cursors.decode(listing, cursor);
  if (position === undefined) {
    report({
      path: ['cursor'],
      message: 'is not a valid cursor for this list: send the nextCursor of the previous page unchanged',
    });
    return null;
  }
  const changed = Object.keys(filters).find((name) => filters[name] !== position.filters[name]);
  if (changed !== undefined) {
    report({
      path: ['cursor'],
      message: `belongs to a different search: ${changed} must be the same on every page`,
    });
  }
  return position;
}

export function listingOf({ id }: Operation, { workspaceId }: Caller, params: unknown): Listing {
  return { operationId: id, workspaceId, params };
}

function endWith(cursor: string): Buffer {
  return Buffer.from(`],"pagination":{"nextCursor":"${cursor}"}}`);
}

/** The request that a page is the response to. */
interface PageRequest {
  readonly caller: Caller;
  readonly params: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly filters: Filters;
  readonly url: string;
}

/** Builds page responses: the stored items, the cursor of the next page, and a link to it. */
export function createPageReplies(cursors: CursorCodec, operation: Operation) {
  return <Item>(request: PageRequest, { items, next }: Page<Item>): StoredReply<PageBody<Item>> => {
    if (next === null) return { body: new StoredJson([start, items, lastPageEnd], items) };
    const { caller, params, query, filters, url } = request;
    const cursor = cursors.encode(listingOf(operation, caller, params), { after: next, filters });
    if (operation.list === 'body') {
      return { body: new StoredJson([start, items, endWith(cursor)], items) };
    }
    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    return {
      body: new StoredJson([start, items, endWith(cursor)], items),
      headers: { link: `<${path}?limit=${query.limit}&cursor=${cursor}>; rel="next"` },
    };
  };
}

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
