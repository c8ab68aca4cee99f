import type { Sealer } from '../../../core/sealer.ts';
import type { Database, Queries, Reads, Row } from '../../../storage/database.ts';

/**
 * `intended`: nothing was sent. `sent`: the request was sent, or is about to be, and nobody ever sends it again.
 * `confirmed`: the carrier has the call. `refused`: there is no call. `forwarded`: an inbound call that its number's
 * fallback got.
 */
export type DialState = 'intended' | 'sent' | 'confirmed' | 'refused' | 'forwarded';

export type TransferMode = 'cold' | 'warm';
export type TransferState = 'started' | 'accepted' | 'completed' | 'failed';

/** What is dialed. Sealed until the call is over, and then removed. */
export interface DialPlan {
  readonly from: string;
  readonly to: string;
  readonly ringTimeoutMs: number;
  /** The carrier ends the call after this time, also without us. */
  readonly maxDurationMs: number;
  /** Whether the carrier should report who answered. */
  readonly detectsMachine: boolean;
  /** The agent recognizes test speech only: the phones of the local carrier are to use it. */
  readonly hasTestSpeech?: boolean;
  /** Warm transfers only: what the person who takes over hears first, and its language. */
  readonly brief: string | null;
  readonly language: string;
}

/** A leg of a call at the carrier. */
export interface Dial {
  readonly callId: string;
  /** `call`: the one of the call itself. Others belong to its transfers. */
  readonly leg: string;
  readonly workspaceId: string;
  readonly carrierId: string;
  readonly direction: 'inbound' | 'outbound';
  readonly state: DialState;
  /** The highest rank of its reports; 3: it is over. */
  readonly rank: number;
  /** How often a request to dial it was sent, or could not be. */
  readonly attempts: number;
  readonly sentAt: number | null;
  readonly providerCallId: string | null;
  /** How the call is transferred; null: it is no transfer. */
  readonly mode: TransferMode | null;
  readonly transfer: TransferState | null;
  /** When the carrier last asked for a document of the leg. */
  readonly askedAt: number | null;
  readonly answeredAt: number | null;
  /** When the leg ended, or it was clear that there is none. */
  readonly endedAt: number | null;
  /** When the call ended for us. Its leg may still be open. */
  readonly settledAt: number | null;
  readonly createdAt: number;
  /** Null: removed, or it never had one. */
  readonly plan: DialPlan | null;
}

type NewFields = 'workspaceId' | 'carrierId' | 'direction' | 'state' | 'providerCallId' | 'mode' | 'createdAt' | 'plan';
export interface NewDial extends LegKey, Pick<Dial, NewFields> {
  /** A digest of the dialed number, to find other calls to it; null: none was dialed. */
  readonly destination: string | null;
}

/** Identifies a leg. */
export type LegKey = Pick<Dial, 'callId' | 'leg'>;

interface DialRow extends Row {
  call_id: string;
  leg: string;
  workspace_id: string;
  carrier_id: string;
  direction: Dial['direction'];
  state: DialState;
  rank: number;
  attempts: number;
  sent_at: number | null;
  provider_call_id: string | null;
  mode: TransferMode | null;
  transfer: TransferState | null;
  asked_at: number | null;
  answered_at: number | null;
  ended_at: number | null;
  settled_at: number | null;
  created_at: number;
  sealed: Uint8Array | null;
}

/** The leg of the call itself. */
export const callLeg = 'call';
/** The leg that the carrier dials for the fallback of a number. */
export const fallbackLeg = 'fallback';

/** How long a leg that the carrier did not confirm is looked for at most, to hang it up. */
export const maxLookUpMs = 300_000;

/** Ranks of reports: the leg was answered; it is over. */
export const answeredRank = 2;
export const overRank = 3;

export type DialStore = ReturnType<typeof createDialStore>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createDialStore({ dialect }: Database, sealer: Sealer) {
  const columns = `call_id, leg, workspace_id, carrier_id, direction, state, rank, attempts, sent_at, provider_call_id,
    mode, transfer, asked_at, answered_at, ended_at, settled_at, created_at, sealed`;
  const sealId = ({ callId, leg }: LegKey): string => `${callId}/${leg}`;
  const dialOf = (row: DialRow): Dial => {
    const key = { callId: row.call_id, leg: row.leg };
    return {
      ...key,
      workspaceId: row.workspace_id,
      carrierId: row.carrier_id,
      direction: row.direction,
      state: row.state,
      rank: row.rank,
      attempts: row.attempts,
      sentAt: row.sent_at,
      providerCallId: row.provider_call_id,
      mode: row.mode,
      transfer: row.transfer,
      askedAt: row.asked_at,
      answeredAt: row.answered_at,
      endedAt: row.ended_at,
      settledAt: row.settled_at,
      createdAt: row.created_at,
      plan: row.sealed === null ? null : JSON.parse(String(sealer.open(row.sealed, sealId(key)))),
    };
  };
  const one = 'call_id = $1 AND leg = $2';
  const change = async (
    queries: Queries,
    { callId, leg }: LegKey,
    assignments: string,
    ...values: (string | number)[]
  ) => (await queries.run(`UPDATE phone_dials SET ${assignments}`, [callId, leg, ...values])) > 0;

  return {
    /** False if the leg, or the carrier's id of it, is there already. */
    insert: async (queries: Queries, dial: NewDial): Promise<boolean> => {
      const { callId, leg, workspaceId, carrierId, direction, state, providerCallId, mode, createdAt, plan } = dial;
      const sealed = plan === null ? null : sealer.seal(JSON.stringify(plan), sealId(dial));
      const added = await queries.run(
        `INSERT INTO phone_dials (call_id, leg, workspace_id, carrier_id, direction, state, rank, attempts,
            provider_call_id, mode, transfer, destination, created_at, sealed)
          VALUES ($1, $2, $3, $4, $5, $6, 0, 0, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
        [
          ...[callId, leg, workspaceId, carrierId, direction, state, providerCallId, mode],
          ...[mode === null ? null : 'started', dial.destination, createdAt, sealed],
        ],
      );
      return added > 0;
    },

    find: async (queries: Reads, { callId, leg }: LegKey): Promise<Dial | undefined> => {
      const row = await queries.get<DialRow>(`SELECT ${columns} FROM phone_dials WHERE ${one}`, [callId, leg]);
      return row && dialOf(row);
    },

    /** The same, locked until the end of the transaction. */
    lock: async (queries: Queries, { callId, leg }: LegKey): Promise<Dial | undefined> => {
      const row = await queries.get<DialRow>(`SELECT ${columns} FROM phone_dials WHERE ${one} ${dialect.forUpdate}`, [
        callId,
        leg,
      ]);
      return row && dialOf(row);
    },

    findByProviderCall: async (
      queries: Reads,
      carrierId: string,
      providerCallId: string,
    ): Promise<Dial | undefined> => {
      const row = await queries.get<DialRow>(
        `SELECT ${columns} FROM phone_dials WHERE carrier_id = $1 AND provider_call_id = $2`,
        [carrierId, providerCallId],
      );
      return row && dialOf(row);
    },

    /** Whether the caller was connected to someone else, or is about to be. */
    isTransferred: async (queries: Reads, callId: string): Promise<boolean> =>
      (await queries.get(
        "SELECT leg FROM phone_dials WHERE call_id = $1 AND transfer IN ('accepted', 'completed') LIMIT 1",
        [callId],
      )) !== undefined,

    /** The legs of a call in order, locked until the end of the transaction. */
    lockAll: async (queries: Queries, callId: string): Promise<Dial[]> => {
      const rows = await queries.all<DialRow>(
        `SELECT ${columns} FROM phone_dials WHERE call_id = $1 ORDER BY leg ${dialect.forUpdate}`,
        [callId],
      );
      return rows.map(dialOf);
    },

    /** Which of these ids of the carrier belong to calls of ours. */
    linked: async (queries: Reads, carrierId: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
      const rows = await queries.all<{ id: string }>(
        `SELECT provider_call_id AS id FROM phone_dials
          WHERE carrier_id = $1 AND provider_call_id IN (${dialect.textsIn('$2')})`,
        [carrierId, JSON.stringify(ids)],
      );
      return new Set(rows.map(({ id }) => id));
    },

    /**
     * Whether another leg to the same number was sent at about the same time and not confirmed: a call in the carrier's
     * list may be that one.
     */
    hasUnconfirmedTwin: async (queries: Reads, { callId, leg }: LegKey): Promise<boolean> => {
      const twin = await queries.get(
        `SELECT other.call_id FROM phone_dials AS own JOIN phone_dials AS other
            ON other.carrier_id = own.carrier_id AND other.destination = own.destination
            AND other.workspace_id = own.workspace_id
          WHERE own.call_id = $1 AND own.leg = $2 AND NOT (other.call_id = $1 AND other.leg = $2)
            AND other.state = 'sent' AND other.provider_call_id IS NULL AND other.ended_at IS NULL
            AND other.sent_at > own.sent_at - $3 LIMIT 1`,
        [callId, leg, maxLookUpMs],
      );
      return twin !== undefined;
    },

    /** Only the caller that gets true sends the request. */
    markSent: (queries: Queries, key: LegKey, at: number): Promise<boolean> =>
      change(
        queries,
        key,
        `state = 'sent', sent_at = $3, attempts = attempts + 1
          WHERE ${one} AND state = 'intended' AND settled_at IS NULL`,
        at,
      ),

    /** Nothing was sent. */
    markUnsent: (queries: Queries, key: LegKey): Promise<boolean> =>
      change(
        queries,
        key,
        `state = 'intended', sent_at = NULL
          WHERE ${one} AND state = 'sent' AND provider_call_id IS NULL AND settled_at IS NULL`,
      ),

    /** The carrier has the call. False if it has another id already. */
    confirm: (queries: Queries, key: LegKey, providerCallId: string): Promise<boolean> =>
      change(
        queries,
        key,
        `state = 'confirmed', provider_call_id = $3 WHERE ${one} AND provider_call_id IS NULL`,
        providerCallId,
      ),

    /** The call of this leg exists: it has a document. */
    setState: (queries: Queries, key: LegKey, state: 'confirmed' | 'forwarded'): Promise<boolean> =>
      change(queries, key, `state = $3 WHERE ${one}`, state),

    /** There is no call at the carrier, and there will be none. */
    refuse: (queries: Queries, key: LegKey, at: number): Promise<boolean> =>
      change(queries, key, `state = 'refused', ended_at = coalesce(ended_at, $3) WHERE ${one}`, at),

    /** False if the leg has had a report of this rank. */
    raiseRank: (queries: Queries, key: LegKey, rank: number, at: number): Promise<boolean> =>
      change(
        queries,
        key,
        `rank = $3, answered_at = CASE WHEN $3 = ${answeredRank} THEN $4 ELSE answered_at END,
            ended_at = CASE WHEN $3 = ${overRank} THEN $4 ELSE ended_at END
          WHERE ${one} AND rank < $3`,
        rank,
        at,
      ),

    noteAsked: (queries: Queries, key: LegKey, at: number): Promise<boolean> =>
      change(queries, key, `asked_at = $3 WHERE ${one}`, at),

    /** False if the transfer is not in the state `from`: another request has decided it. */
    setTransfer: (queries: Queries, key: LegKey, from: TransferState, to: TransferState): Promise<boolean> =>
      change(queries, key, `transfer = $4 WHERE ${one} AND transfer = $3`, from, to),

    /** The call is over: nothing is dialed for it any more, and its numbers are removed. */
    settle: async (queries: Queries, callId: string, at: number): Promise<void> => {
      await queries.write(
        `UPDATE phone_dials SET settled_at = $2, sealed = NULL,
            ended_at = CASE WHEN state = 'intended' THEN $2 ELSE ended_at END,
            state = CASE WHEN state = 'intended' THEN 'refused' ELSE state END
          WHERE call_id = $1 AND settled_at IS NULL`,
        [callId, at],
      );
    },

    remove: async (queries: Queries, callId: string): Promise<void> => {
      await queries.write('DELETE FROM phone_dials WHERE call_id = $1', [callId]);
    },
  };
}
