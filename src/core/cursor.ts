import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The list that a cursor belongs to. A cursor of one list says nothing in another. */
export interface Listing {
  readonly operationId: string;
  readonly workspaceId: string;
  /** The values in the path, where a list is a list of something. */
  readonly params: unknown;
}

/** The filters of a list by the names of their parameters, as they were sent. */
export type Filters = Readonly<Record<string, string>>;

/** A place in a list: after this item, among those that pass the filters. */
export interface Position {
  readonly after: string;
  readonly filters: Filters;
}

export interface CursorCodec {
  encode(listing: Listing, position: Position): string;
  /** Undefined where the cursor is not one of ours for this list. */
  decode(listing: Listing, cursor: string): Position | undefined;
}

/** In base64: 132 bits. */
const tagLength = 22;

/**
 * A cursor carries its position and an HMAC over it and over the list, so that one that was cut, edited, or made for
 * another list or workspace is detected. It carries all filters of the list, because a client sends the cursor and the
 * limit, and nothing else.
 */
export function createCursorCodec(secret: Buffer): CursorCodec {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'cursor', 32)));
  const tagOf = ({ operationId, workspaceId, params }: Listing, payload: string): string =>
    createHmac('sha256', key)
      .update(`${operationId}\n${workspaceId}\n${JSON.stringify(params)}\n${payload}`)
      .digest('base64url')
      .slice(0, tagLength);

  return {
    encode: (listing, { after, filters }) => {
      const hasFilters = Object.keys(filters).length > 0;
      const payload = Buffer.from(JSON.stringify(hasFilters ? [after, filters] : [after])).toString('base64url');
      return `${tagOf(listing, payload)}${payload}`;
    },
    decode: (listing, cursor) => {
      const payload = cursor.slice(tagLength);
      if (!isSame(cursor.slice(0, tagLength), tagOf(listing, payload))) return undefined;
      const [after, filters = {}] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, Filters?];
      // A search in a cursor of an earlier version was a plain text.
      return typeof filters === 'object' ? { after, filters } : undefined;
    },
  };
}

function isSame(given: string, tag: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(tag)];
  return left.length === right.length && timingSafeEqual(left, right);
}
