/** The authenticated sender of a request and its permissions. */
export interface Caller {
  /** For an access token, the API key that created it. */
  readonly keyId: string;
  readonly workspaceId: string;
  readonly scopes: ReadonlySet<string>;
  /** Set if the request has an access token instead of an API key. */
  readonly access: CallAccess | null;
}

/** What an access token permits: to take part in one call. */
export interface CallAccess {
  readonly callId: string;
  readonly tokenId: string;
  /** Counts the tokens of the call, from 1. */
  readonly number: number;
  /** In milliseconds since the epoch. Not checked yet: a token that has joined its call stays valid beyond it. */
  readonly expiresAt: number;
  readonly origins: readonly string[];
}
