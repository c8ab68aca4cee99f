/** The authenticated sender of a request and its permissions. */
export interface Caller {
  readonly keyId: string;
  readonly workspaceId: string;
  readonly scopes: ReadonlySet<string>;
}
