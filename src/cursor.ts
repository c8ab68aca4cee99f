import { hash, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The list that a cursor belongs to. A cursor of one list says nothing in another. */
export interface Listing {
  readonly operationId: string;
  readonly workspaceId: string;
  /** The values in the path, where a list is a list of something. */
  readonly params: unknown;
}

/** A place in a list: after this item, among those that the filter lets through. */
export interface Position {
  readonly after: string;
  readonly filter: string | null;
}

export interface CursorCodec {
  encode(listing: Listing, position: Position): string;
  /** Undefined where the cursor is not one of ours for this list. */
  decode(listing: Listing, cursor: string): Position | undefined;
}

const tagBytes = 16;

/**
 * Cursors carry their position and a keyed digest over it and over the list, so that one that was cut, edited, or made
 * for another list or workspace is known as such. The filter (a search, a resource) travels in it, because a client that follows the rules of
 * the contract sends the cursor and the limit, and nothing else.
 */
export function createCursorCodec(secret: Buffer): CursorCodec {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'cursor', 32));
  // A digest of key and message of which half is kept back: without that half nobody can go on from it to a longer
  // message, which is what HMAC guards against. It costs a tenth of an HMAC object.
  const tagOf = (listing: Listing, payload: Buffer): Buffer => {
    const list = Buffer.from(`${listing.operationId}\n${listing.workspaceId}\n${JSON.stringify(listing.params)}\n`);
    return hash('sha256', Buffer.concat([key, list, payload]), 'buffer').subarray(0, tagBytes);
  };

  return {
    encode: (listing, { after, filter }) => {
      const payload = Buffer.from(JSON.stringify(filter === null ? [after] : [after, filter]));
      return Buffer.concat([tagOf(listing, payload), payload]).toString('base64url');
    },
    decode: (listing, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url');
      const payload = bytes.subarray(tagBytes);
      const isOurs =
        // Decoding skips what is not base64: only the one spelling that we send counts.
        bytes.toString('base64url') === cursor &&
        bytes.length > tagBytes &&
        timingSafeEqual(bytes.subarray(0, tagBytes), tagOf(listing, payload));
      if (!isOurs) return undefined;
      const [after, filter] = JSON.parse(payload.toString()) as [string, string?];
      return { after, filter: filter ?? null };
    },
  };
}
