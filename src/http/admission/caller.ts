/** Who sends a request, and what they may do. */
export interface Caller {
  readonly keyId: string;
  readonly workspaceId: string;
  readonly scopes: ReadonlySet<string>;
}
