import type { Turn } from '../../../../contract/calls/turn.ts';
import { notFound, stateConflict } from '../../../../core/errors.ts';
import type { Database, Queries } from '../../../../storage/database.ts';
import { channelOf, typeIsWhere } from '../../conversation/channel.ts';
import { resumeMs } from '../../lifecycle/due.ts';
import type { StoredCall } from '../../record/call-row.ts';
import type { Journal } from '../../record/journal.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import { withPiece } from '../../record/spooled-recordings.ts';
import { isSealed } from '../../record/storage-setting.ts';
import { resumedState, type SpokenState, spokenStateOf } from './spoken-state.ts';

/** A connection that joins a call. */
export interface Joining {
  readonly workspaceId: string;
  readonly callId: string;
  /** The epoch of the connection that it resumes; null if it resumes none. */
  readonly resumesEpoch: number | null;
  /** Throws unless it may join the call. `resumedEpoch`: see `SpokenState`. */
  authorize(locked: LockedCall, resumedEpoch: number | null): void;
}

export interface OwnerParts {
  readonly journal: Journal;
  /** The name of this process. */
  readonly owner: string;
  readonly leaseMs: number;
  /** When this process started. */
  readonly startedAt: number;
  /** Where it records to; see `Spool`. */
  readonly spoolId: string | null;
}

export type Claim =
  | { readonly kind: 'taken'; readonly stored: StoredCall; readonly state: SpokenState; readonly wasOurs: boolean }
  /** Another process has the call, and is alive. */
  | { readonly kind: 'elsewhere'; readonly stored: StoredCall };

/**
 * Takes a spoken call for this process, and connects it if nobody was in it. `known`: what this process knows about a call
 * that it has.
 */
export async function claimCall(
  { journal, owner, leaseMs, spoolId }: OwnerParts,
  queries: Queries,
  joining: Joining,
  known: (Pick<SpokenState, 'resumedEpoch'> & { readonly epoch: number }) | undefined,
): Promise<Claim> {
  const locked = await journal.lock(queries, joining.workspaceId, joining.callId);
  if (locked === undefined) throw notFound('call');
  // Its own last claim may be stored although the process was not told.
  const isCurrent = locked.row.owner === owner && locked.row.ownerEpoch === known?.epoch;
  const { resumedEpoch } = isCurrent ? known : spokenStateOf(locked);
  joining.authorize(locked, resumedEpoch);
  const { row, call, now } = locked;
  const wasOurs = row.owner === owner;
  const isAlive = row.owner !== null && (row.leaseUntil ?? 0) > now;
  if (call.status === 'ongoing' && !wasOurs && isAlive) return { kind: 'elsewhere', stored: row };
  // What was said so far in a sealed call is stored nowhere in full, so it is lost with its process.
  const isLost = call.status === 'ongoing' && row.owner !== null && !isAlive;
  if (isLost && !wasOurs && isSealed(call.dataStorageSetting)) throw notJoinable(locked, 'server_restart');
  const state = spokenStateOf(locked);
  if (call.status !== 'ongoing') locked.connect();
  const ownerEpoch = row.ownerEpoch + 1;
  // A conversation that goes on here records to its file.
  const isNewHere = !wasOurs || known === undefined;
  if (isNewHere) locked.set({ recording: withPiece(locked.row, spoolId, ownerEpoch) });
  locked.set({
    owner,
    ownerEpoch,
    state: resumedState(row.state, joining.resumesEpoch),
    ...leaseOf(locked.row, now + leaseMs),
  });
  await journal.write(queries, locked);
  return { kind: 'taken', stored: locked.row, state, wasOurs };
}

/** The lease of a spoken call, and when the service has to act if it is not renewed. */
export function leaseOf({ call }: Pick<StoredCall, 'call'>, leaseUntil: number) {
  const isActedOnAtOnce = isSealed(call.dataStorageSetting) || channelOf(call).needsCarrier;
  return { leaseUntil, dueAt: isActedOnAtOnce ? leaseUntil : leaseUntil + resumeMs };
}

export function notJoinable({ call }: LockedCall, reason: string | null) {
  return stateConflict('call', { status: call.status, allowed: ['registered', 'ongoing'], reason });
}

export type OwnerStore = ReturnType<typeof createOwnerStore>;

const isOnPage = typeIsWhere(({ isSpoken, needsCarrier }) => isSpoken && !needsCarrier);

/** SQL that only spoken calls need. */
export function createOwnerStore(database: Database) {
  const { textsIn } = database.dialect;
  // Worded like the partial index `calls_live`.
  const isLive = `type <> 'chat' AND status = 'ongoing' AND owner = $1 AND id IN (${textsIn('$2')})`;
  return {
    /** The measured times of the turns, which are kept with every storage setting. */
    turnLatencies: async (callId: string): Promise<Pick<Turn, 'role' | 'latency'>[]> => {
      const rows = await database.all<{ role: Turn['role']; latency: string | null }>(
        'SELECT role, latency FROM call_turns WHERE call_id = $1 ORDER BY turn_index',
        [callId],
      );
      return rows.map(({ role, latency }) => ({ role, latency: latency === null ? null : JSON.parse(latency) }));
    },

    /**
     * Renews the leases of these spoken calls of a process; resolves to the ids of those that it still has. The database
     * may say that it has others, whose claims were stored without the process knowing: their leases are not renewed.
     */
    renewLeases: (owner: string, callIds: readonly string[], leaseUntil: number): Promise<ReadonlySet<string>> =>
      database.transaction(async (queries) => {
        const ids = JSON.stringify(callIds);
        const update = `UPDATE calls SET lease_until = $3, due_at = $4 WHERE ${isLive} AND`;
        const isResumedByPage = `${isOnPage} AND data_storage_setting = 'everything'`;
        await queries.write(`${update} ${isResumedByPage}`, [owner, ids, leaseUntil, leaseUntil + resumeMs]);
        await queries.write(`${update} NOT (${isResumedByPage})`, [owner, ids, leaseUntil, leaseUntil]);
        const rows = await queries.all<{ id: string }>(`SELECT id FROM calls WHERE ${isLive}`, [owner, ids]);
        return new Set(rows.map(({ id }) => id));
      }),
  };
}
