import { notFound, stateConflict, unauthorized } from '../../../core/errors.ts';
import type { CallAccess } from '../../../http/admission/caller.ts';
import type { Queries } from '../../../storage/database.ts';
import { isTerminal } from '../call.ts';
import type { StoredCall } from '../call-row.ts';
import { resumeMs } from '../due.ts';
import type { HeldCall } from '../held-call.ts';
import type { Journal } from '../journal.ts';
import { isSealed } from '../storage-setting.ts';
import { checkToken } from '../tokens.ts';
import { type LiveState, liveStateOf, resumedState } from './live-state.ts';

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
  | { readonly kind: 'taken'; readonly stored: StoredCall; readonly state: LiveState; readonly wasOurs: boolean }
  /** Another process has the call, and is alive. */
  | { readonly kind: 'elsewhere'; readonly stored: StoredCall };

/**
 * Takes a web call for this process, and connects it if nobody was in it. `known`: what this process knows about a call
 * that it has.
 */
export async function claimWebCall(
  { journal, owner, leaseMs }: OwnerParts,
  queries: Queries,
  credential: Credential,
  known: Pick<LiveState, 'resumedEpoch'> | undefined,
): Promise<Claim> {
  const held = await holdCall(journal, queries, credential);
  const { resumedEpoch } = held.row.owner === owner && known ? known : liveStateOf(held);
  authorize(held, credential, resumedEpoch);
  const { row, call, now } = held;
  const wasOurs = row.owner === owner;
  const isAlive = row.owner !== null && (row.leaseUntil ?? 0) > now;
  if (call.status === 'ongoing' && !wasOurs && isAlive) return { kind: 'elsewhere', stored: row };
  // Without its process, what was said so far is nowhere in full.
  const isLost = call.status === 'ongoing' && row.owner !== null && !isAlive;
  if (isLost && !wasOurs && isSealed(call.dataStorageSetting)) throw notJoinable(held, 'server_restart');
  const state = liveStateOf(held);
  if (call.status === 'registered') held.connect();
  held.set({
    owner,
    ownerEpoch: row.ownerEpoch + 1,
    joinedToken: credential.access.tokenId,
    state: resumedState(row.state, credential.resumesEpoch),
    ...leaseOf(held.row, now + leaseMs),
  });
  await journal.write(queries, held);
  return { kind: 'taken', stored: held.row, state, wasOurs };
}

/** A chat has no owner: joining only uses up the token. */
export async function joinChat(journal: Journal, queries: Queries, credential: Credential): Promise<StoredCall> {
  const held = await holdCall(journal, queries, credential);
  authorize(held, credential, null);
  held.set({ joinedToken: credential.access.tokenId });
  await journal.write(queries, held);
  return held.row;
}

/** The lease of a web call, and when the service has to act if it is not renewed. */
export function leaseOf({ call }: Pick<StoredCall, 'call'>, leaseUntil: number) {
  const dueAt = isSealed(call.dataStorageSetting) ? leaseUntil : leaseUntil + resumeMs;
  return { leaseUntil, dueAt };
}

async function holdCall(journal: Journal, queries: Queries, { workspaceId, access }: Credential): Promise<HeldCall> {
  const held = await journal.hold(queries, workspaceId, access.callId);
  if (held === undefined || held.call.type === 'phone') throw notFound('call');
  return held;
}

function authorize(held: HeldCall, { access, resumesEpoch }: Credential, resumedEpoch: number | null): void {
  const { row, call } = held;
  const isJoined = row.joinedToken === access.tokenId;
  if (resumesEpoch === null) {
    checkToken(access, row, held.now);
    // A token joins once. It may still read how the call ended.
    if (isJoined && !isTerminal(call)) throw unauthorized('a token');
  } else if (!isJoined) throw unauthorized('a token');
  if (call.status !== 'registered' && call.status !== 'ongoing') throw notJoinable(held, null);
  if (resumesEpoch === null || call.type !== 'web') return;
  // A newer connection has been opened since.
  if (row.ownerEpoch !== resumesEpoch && resumedEpoch !== resumesEpoch) throw unauthorized('a token');
}

function notJoinable({ call }: HeldCall, reason: string | null) {
  return stateConflict('call', { status: call.status, allowed: ['registered', 'ongoing'], reason });
}
