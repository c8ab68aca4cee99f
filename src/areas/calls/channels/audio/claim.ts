import { notFound, stateConflict, unauthorized } from '../../../../core/errors.ts';
import type { CallAccess } from '../../../../http/admission/caller.ts';
import type { Queries } from '../../../../storage/database.ts';
import { channelOf } from '../../conversation/channel.ts';
import { resumeMs } from '../../lifecycle/due.ts';
import { checkToken } from '../../lifecycle/tokens.ts';
import { isTerminal } from '../../record/call.ts';
import type { StoredCall } from '../../record/call-row.ts';
import type { Journal } from '../../record/journal.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import { isSealed } from '../../record/storage-setting.ts';
import { resumedState, type SpokenState, spokenStateOf } from './spoken-state.ts';

/** How a client joins: with a token, or with the key of a connection that it has lost. */
export interface Credential {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly access: CallAccess;
  /** The epoch of the connection to resume; null for a token. */
  readonly resumesEpoch: number | null;
}

export interface OwnerParts {
  readonly journal: Journal;
  /** The name of this process. */
  readonly owner: string;
  readonly leaseMs: number;
  /** When this process started. */
  readonly startedAt: number;
}

export type Claim =
  | { readonly kind: 'taken'; readonly stored: StoredCall; readonly state: SpokenState; readonly wasOurs: boolean }
  /** Another process has the call, and is alive. */
  | { readonly kind: 'elsewhere'; readonly stored: StoredCall };

/**
 * Takes a web call for this process, and connects it if nobody was in it. `known`: what this process knows about a call
 * that it has.
 */
export async function claimCall(
  { journal, owner, leaseMs }: OwnerParts,
  queries: Queries,
  credential: Credential,
  known: Pick<SpokenState, 'resumedEpoch'> | undefined,
): Promise<Claim> {
  const locked = await lockCall(journal, queries, credential);
  const { resumedEpoch } = locked.row.owner === owner && known ? known : spokenStateOf(locked);
  authorize(locked, credential, resumedEpoch);
  const { row, call, now } = locked;
  const wasOurs = row.owner === owner;
  const isAlive = row.owner !== null && (row.leaseUntil ?? 0) > now;
  if (call.status === 'ongoing' && !wasOurs && isAlive) return { kind: 'elsewhere', stored: row };
  // Without its process, what was said so far is nowhere in full.
  const isLost = call.status === 'ongoing' && row.owner !== null && !isAlive;
  if (isLost && !wasOurs && isSealed(call.dataStorageSetting)) throw notJoinable(locked, 'server_restart');
  const state = spokenStateOf(locked);
  if (call.status === 'registered') locked.connect();
  locked.set({
    owner,
    ownerEpoch: row.ownerEpoch + 1,
    joinedToken: credential.access.tokenId,
    state: resumedState(row.state, credential.resumesEpoch),
    ...leaseOf(locked.row, now + leaseMs),
  });
  await journal.write(queries, locked);
  return { kind: 'taken', stored: locked.row, state, wasOurs };
}

/** A chat has no owner: joining only uses up the token. */
export async function joinChat(journal: Journal, queries: Queries, credential: Credential): Promise<StoredCall> {
  const locked = await lockCall(journal, queries, credential);
  authorize(locked, credential, null);
  locked.set({ joinedToken: credential.access.tokenId });
  await journal.write(queries, locked);
  return locked.row;
}

/** The lease of a web call, and when the service has to act if it is not renewed. */
export function leaseOf({ call }: Pick<StoredCall, 'call'>, leaseUntil: number) {
  const dueAt = isSealed(call.dataStorageSetting) ? leaseUntil : leaseUntil + resumeMs;
  return { leaseUntil, dueAt };
}

async function lockCall(journal: Journal, queries: Queries, { workspaceId, access }: Credential): Promise<LockedCall> {
  const locked = await journal.lock(queries, workspaceId, access.callId);
  if (locked === undefined || !channelOf(locked.call).hasPage) throw notFound('call');
  return locked;
}

function authorize(locked: LockedCall, { access, resumesEpoch }: Credential, resumedEpoch: number | null): void {
  const { row, call } = locked;
  const isJoined = row.joinedToken === access.tokenId;
  if (resumesEpoch === null) {
    checkToken(access, row, locked.now);
    // A token joins once. It may still read how the call ended.
    if (isJoined && !isTerminal(call)) throw unauthorized('a token');
  } else if (!isJoined) throw unauthorized('a token');
  if (call.status !== 'registered' && call.status !== 'ongoing') throw notJoinable(locked, null);
  if (resumesEpoch === null || !channelOf(call).isSpoken) return;
  // A newer connection has been opened since.
  if (row.ownerEpoch !== resumesEpoch && resumedEpoch !== resumesEpoch) throw unauthorized('a token');
}

function notJoinable({ call }: LockedCall, reason: string | null) {
  return stateConflict('call', { status: call.status, allowed: ['registered', 'ongoing'], reason });
}
