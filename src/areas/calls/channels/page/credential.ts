import { notFound, unauthorized } from '../../../../core/errors.ts';
import type { CallAccess } from '../../../../http/admission/caller.ts';
import type { Queries } from '../../../../storage/database.ts';
import { channelOf } from '../../conversation/channel.ts';
import { checkToken } from '../../lifecycle/tokens.ts';
import { isTerminal } from '../../record/call.ts';
import type { StoredCall } from '../../record/call-row.ts';
import type { Journal } from '../../record/journal.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import { type Joining, notJoinable } from '../audio/ownership.ts';

/** How a client joins: with a token, or with the key of a connection that it has lost. */
export interface Credential {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly access: CallAccess;
  /** The epoch of the connection to resume; null for a token. */
  readonly resumesEpoch: number | null;
}

/** A connection of a spoken call: authorized with its token, which it uses up. */
export function joiningWith(credential: Credential): Joining {
  const { workspaceId, access, resumesEpoch } = credential;
  const authorized = (locked: LockedCall, resumedEpoch: number | null): void => {
    if (!channelOf(locked.call).hasPage) throw notFound('call');
    authorize(locked, credential);
    // A newer connection has been opened since.
    const isNewest = locked.row.ownerEpoch === resumesEpoch || resumedEpoch === resumesEpoch;
    if (resumesEpoch !== null && !isNewest) throw unauthorized('a token');
    locked.set({ joinedToken: access.tokenId });
  };
  return { workspaceId, callId: access.callId, resumesEpoch, authorize: authorized };
}

/** A chat has no owner: joining only uses up the token. */
export async function joinChat(journal: Journal, queries: Queries, credential: Credential): Promise<StoredCall> {
  const { workspaceId, access } = credential;
  const locked = await journal.lock(queries, workspaceId, access.callId);
  if (locked === undefined) throw notFound('call');
  authorize(locked, credential);
  locked.set({ joinedToken: access.tokenId });
  await journal.write(queries, locked);
  return locked.row;
}

function authorize(locked: LockedCall, { access, resumesEpoch }: Credential): void {
  const { row, call } = locked;
  const isJoined = row.joinedToken === access.tokenId;
  if (resumesEpoch === null) {
    checkToken(access, row, locked.now);
    // A token joins once. It may still read how the call ended.
    if (isJoined && !isTerminal(call)) throw unauthorized('a token');
  } else if (!isJoined) throw unauthorized('a token');
  if (call.status !== 'registered' && call.status !== 'ongoing') throw notJoinable(locked, null);
}
