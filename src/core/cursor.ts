import { hash, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The list that a cursor belongs to. It is not valid for any other list. */
export interface Listing {
  readonly operationId: string;
  readonly workspaceId: string;
  /** The path parameters, for nested lists. */
  readonly params: unknown;
}

/** The filters of a list by parameter name, as they were sent. */
export type Filters = Readonly<Record<string, string>>;

/** A position in a list: after this item, among those that match the filters. */
export interface Position {
  readonly after: string;
  readonly filters: Filters;
}

export interface CursorCodec {
  encode(listing: Listing, position: Position): string;
  /** Undefined if the cursor was not issued for this list. */
  decode(listing: Listing, cursor: string): Position | undefined;
}

/** In base64: 132 bits. */
const tagLength = 22;

/**
 * A cursor contains its position and a keyed hash of the position and the list, so that a truncated or modified cursor,
 * or one of another list or workspace, is detected. It contains all filters, because clients send only the cursor and
 * the limit.
 *
 * The key is a prefix of the hashed text, which is safe with SHA-512/256: unlike SHA-256, its result does not reveal the
 * state from which the hash of a longer text could be computed. An HMAC takes three times as long.
 */
export function createCursorCodec(secret: Buffer): CursorCodec {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'cursor', 32)).toString('base64url');
  const tagOf = ({ operationId, workspaceId, params }: Listing, payload: string): string =>
    hash(
      'sha512-256',
      `${key}\n${operationId}\n${workspaceId}\n${JSON.stringify(params)}\n${payload}`,
      'base64url',
    ).slice(0, tagLength);

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
      // Cursors of earlier versions had the search as a plain string.
      return typeof filters === 'object' ? { after, filters } : undefined;
    },
  };
}

function isSame(given: string, tag: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(tag)];
  return left.length === right.length && timingSafeEqual(left, right);
}
