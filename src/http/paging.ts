import type { CursorCodec, Listing, Position } from '../cursor.ts';
import type { Fault } from './body.ts';
import type { OperationReply } from './register.ts';

const start = Buffer.from('{"items":[');
const last = Buffer.from('],"pagination":{"nextCursor":null}}');

/** Where a list is to go on, by the cursor in the query; what is wrong with it goes to `blame`. */
export function readPosition(
  cursors: CursorCodec,
  listing: Listing,
  query: { readonly cursor?: unknown; readonly q?: unknown },
  blame: (fault: Fault) => void,
): Position | null {
  if (typeof query.cursor !== 'string' || query.cursor === '') return null;
  const position = cursors.decode(listing, query.cursor);
  if (position === undefined) {
    blame({
      path: ['cursor'],
      message: 'is not a cursor of this list: send the nextCursor of the page before as it is',
    });
    return null;
  }
  if (query.q !== undefined && query.q !== position.search) {
    blame({ path: ['cursor'], message: 'belongs to another search: q must stay the same from page to page' });
  }
  return position;
}

/** A page of the contract: the items as they are stored, the cursor of the next page, and a link to it. */
export function pageReply(
  cursors: CursorCodec,
  listing: Listing,
  page: { readonly items: Buffer; readonly next: Position | null; readonly path: string; readonly limit: number },
): OperationReply {
  if (page.next === null) return { body: Buffer.concat([start, page.items, last]) };
  const cursor = cursors.encode(listing, page.next);
  return {
    body: Buffer.concat([start, page.items, Buffer.from(`],"pagination":{"nextCursor":"${cursor}"}}`)]),
    headers: { link: `<${page.path}?limit=${page.limit}&cursor=${cursor}>; rel="next"` },
  };
}
