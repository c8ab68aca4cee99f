import type { CallAccess } from '../../../contract/calls/call.ts';
import type { AccessTokens } from '../../../core/access-token.ts';
import { unauthorized } from '../../../core/errors.ts';
import type { Caller } from '../../../http/admission/caller.ts';
import { isTerminal } from '../record/call.ts';
import type { StoredCall } from '../record/call-row.ts';
import type { LockedCall } from '../record/locked-call.ts';

/** After the end of a call, its page may still read the last events. */
const afterEndMs = 60_000;

export interface TokenOptions {
  readonly expiresInSeconds: number;
  readonly allowedOrigins: readonly string[];
}

export interface TokenParts {
  readonly tokens: AccessTokens;
  readonly newId: (prefix: string) => string;
  /** The external address of the service, or null. */
  readonly publicUrl: string | null;
}

/** Creates a token, which replaces all earlier ones that have not joined. */
export function issueToken(locked: LockedCall, keyId: string, options: TokenOptions, parts: TokenParts): CallAccess {
  const { id, workspaceId } = locked.call;
  const number = locked.row.tokenNumber + 1;
  locked.set({ tokenNumber: number });
  const expiresAt = locked.now + options.expiresInSeconds * 1000;
  const token = parts.tokens.issue({
    callId: id,
    workspaceId,
    keyId,
    tokenId: parts.newId('vat').slice(4),
    number,
    expiresAt,
    origins: options.allowedOrigins,
  });
  return { token, expiresAt: new Date(expiresAt).toISOString(), liveUrl: liveUrl(id, parts.publicUrl) };
}

function liveUrl(callId: string, publicUrl: string | null): string {
  // http becomes ws, and https wss.
  return `${(publicUrl ?? '').replace(/^http/, 'ws')}/live/v1/calls/${callId}`;
}

/** Throws 401 unless the token may be used now. The newest one may join; one that has joined lasts as long as the call. */
export function checkToken(access: NonNullable<Caller['access']>, stored: StoredCall, now: number): void {
  const { call, joinedToken, tokenNumber } = stored;
  if (isTerminal(call)) {
    // Who was in the call when it ended may read how it ended.
    const isRecent = call.endedAt !== null && now <= Date.parse(call.endedAt) + afterEndMs;
    if (!isRecent) throw unauthorized('a token');
  }
  if (joinedToken === access.tokenId) return;
  // A call that is over has only its last page left.
  if (isTerminal(call) && joinedToken !== null) throw unauthorized('a token');
  if (access.number !== tokenNumber || now >= access.expiresAt) throw unauthorized('a token');
}

/** The first message with a newer token takes over the chat from the page that had it before. */
export function joinWithToken(access: Caller['access'], locked: LockedCall): void {
  if (access === null) return;
  checkToken(access, locked.row, locked.now);
  locked.set({ joinedToken: access.tokenId });
}
