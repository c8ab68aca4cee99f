import type { CursorCodec, Listing, Position } from '../cursor.ts';
import type { Fault } from '../faults.ts';
import type { Page } from '../storage/page.ts';
import type { OperationReply } from './register.ts';

const start = Buffer.from('{"items":[');
const last = Buffer.from('],"pagination":{"nextCursor":null}}');

/** What makes a list of an operation: a cursor in its query, and perhaps one parameter more that filters. */
export interface ListRules {
  readonly filterName: string | undefined;
}

/** Null where the operation is no list. */
export function listRulesOf(queryShape: Readonly<Record<string, unknown>>): ListRules | null {
  if (!('cursor' in queryShape)) return null;
  return { filterName: Object.keys(queryShape).find((name) => name !== 'limit' && name !== 'cursor') };
}

/** Where a list is to go on, by the cursor in the query; what is wrong with it goes to `blame`. */
export function readPosition(
  cursors: CursorCodec,
  listing: Listing,
  { filterName }: ListRules,
  query: Readonly<Record<string, string>>,
  blame: (fault: Fault) => void,
): Position | null {
  const { cursor } = query;
  const filter = filterName === undefined ? undefined : query[filterName];
  if (cursor === undefined || cursor === '') return null;
  const position = cursors.decode(listing, cursor);
  if (position === undefined) {
    blame({
      path: ['cursor'],
      message: 'is not a cursor of this list: send the nextCursor of the page before as it is',
    });
    return null;
  }
  if (filter !== undefined && filter !== position.filter) {
    blame({ path: ['cursor'], message: `belongs to another list: ${filterName} must stay the same from page to page` });
  }
  return position;
}

/** A page of the contract: the items as they are stored, the cursor of the next page, and a link to it. */
export function pageReply(
  cursors: CursorCodec,
  listing: Listing,
  page: Page & { readonly filter: string | null; readonly path: string; readonly limit: number },
): OperationReply {
  // In pieces: joining them would copy the whole page once more.
  if (page.next === null) return { body: [start, page.items, last] };
  const cursor = cursors.encode(listing, { after: page.next, filter: page.filter });
  return {
    body: [start, page.items, Buffer.from(`],"pagination":{"nextCursor":"${cursor}"}}`)],
    headers: { link: `<${page.path}?limit=${page.limit}&cursor=${cursor}>; rel="next"` },
  };
}
