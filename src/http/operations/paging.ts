import type { Operation } from '../../contract/operation.ts';
import type { CursorCodec, Listing, Position } from '../../core/cursor.ts';
import type { Issue } from '../../core/issues.ts';
import type { Page } from '../../storage/page.ts';
import type { Caller } from '../admission/caller.ts';
import type { PageReply } from './handlers.ts';

const start = Buffer.from('{"items":[');
const lastPageEnd = Buffer.from('],"pagination":{"nextCursor":null}}');

/** What makes a list of an operation: a cursor in its query, and perhaps one parameter more that filters. */
export interface ListRules {
  readonly filterName: string | undefined;
}

/** Null where the operation is no list. */
export function listRulesOf(queryShape: Readonly<Record<string, unknown>>): ListRules | null {
  if (!('cursor' in queryShape)) return null;
  return { filterName: Object.keys(queryShape).find((name) => name !== 'limit' && name !== 'cursor') };
}

/** Where a list is to go on, by the cursor in the query; what is wrong with it goes to `report`. */
export function readPosition(
  cursors: CursorCodec,
  listing: Listing,
  { filterName }: ListRules,
  query: Readonly<Record<string, string>>,
  report: (issue: Issue) => void,
): Position | null {
  const { cursor } = query;
  const filter = filterName === undefined ? undefined : query[filterName];
  if (cursor === undefined || cursor === '') return null;
  const position = cursors.decode(listing, cursor);
  if (position === undefined) {
    report({
      path: ['cursor'],
      message: 'is not a valid cursor for this list: send the nextCursor of the previous page unchanged',
    });
    return null;
  }
  if (filter !== undefined && filter !== position.filter) {
    report({
      path: ['cursor'],
      message: `belongs to a different search: ${filterName} must be the same on every page`,
    });
  }
  return position;
}

export function listingOf({ id }: Operation, { workspaceId }: Caller, params: unknown): Listing {
  return { operationId: id, workspaceId, params };
}

/** The request that a page answers. */
interface PageRequest {
  readonly caller: Caller;
  readonly params: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly position: Position | null;
  readonly url: string;
}

/** Makes pages of the contract: the items as they are stored, the cursor of the next page, and a link to it. */
export function createPageReplies(cursors: CursorCodec, operation: Operation) {
  const filterName = listRulesOf(operation.query.shape)?.filterName ?? '';
  return ({ caller, params, query, position, url }: PageRequest, { items, next }: Page): PageReply => {
    if (next === null) return { body: [start, items, lastPageEnd], ownBytes: items };
    const filter = position?.filter ?? (query[filterName] as string | undefined) ?? null;
    const cursor = cursors.encode(listingOf(operation, caller, params), { after: next, filter });
    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    return {
      body: [start, items, Buffer.from(`],"pagination":{"nextCursor":"${cursor}"}}`)],
      ownBytes: items,
      headers: { link: `<${path}?limit=${query.limit}&cursor=${cursor}>; rel="next"` },
    };
  };
}
