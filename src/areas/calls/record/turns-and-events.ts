import type { CallEvent } from '../../../contract/calls/call-events.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import type { Database, Queries, Reads } from '../../../storage/database.ts';
import { partialRedaction } from './storage-setting.ts';

/** A turn as it is stored: without text if the storage setting keeps none. */
export interface StoredTurn {
  readonly index: number;
  readonly role: Turn['role'];
  readonly latency: Turn['latency'];
  /** As JSON; null if nothing of it may be stored. */
  readonly doc: string | null;
  /** That it is completed; null while a tool runs. `doc`: as JSON, without the turn. */
  readonly event: { readonly sequence: number; readonly doc: string } | null;
}

/** An event of a call as it is stored. */
export interface StoredEvent {
  readonly callId: string;
  readonly sequence: number;
  readonly type: CallEvent['type'];
  /** As JSON. */
  readonly doc: string;
}

export interface EventRow {
  readonly sequence: number;
  readonly type: string;
  /** As JSON. */
  readonly doc: string;
}

/** SQL for what is said and what happens in calls. Part of the store of calls. */
export function createTurnAndEventStore(database: Database) {
  const { dialect } = database;
  const sql = {
    turns: `SELECT ${dialect.joined('doc', 'turn_index')} AS items FROM
      (SELECT doc, turn_index FROM call_turns WHERE call_id = $1 AND doc IS NOT NULL ORDER BY turn_index) AS turns`,
    events: `SELECT sequence, type, doc, NULL AS turn_doc FROM call_events WHERE call_id = $1 AND sequence > $2
      UNION ALL
      SELECT event_sequence, 'turn_completed', event_doc, doc FROM call_turns WHERE call_id = $1 AND event_sequence > $2
      ORDER BY 1 LIMIT $3 + 0`,
  };

  const insertEvent = async (queries: Queries, event: StoredEvent): Promise<void> => {
    const { callId, sequence, type, doc } = event;
    await queries.write('INSERT INTO call_events (call_id, sequence, type, doc) VALUES ($1, $2, $3, $4)', [
      callId,
      sequence,
      type,
      doc,
    ]);
  };

  return {
    /** A tool turn is written again with its result. */
    writeTurn: async (queries: Queries, callId: string, stored: StoredTurn): Promise<void> => {
      const { index, role, latency, event, doc } = stored;
      const times = latency === null ? null : JSON.stringify(latency);
      await queries.write(
        `INSERT INTO call_turns (call_id, turn_index, role, latency, event_sequence, event_doc, doc)
          VALUES ($1, $2, $3, $4, $5, $6, $7)
          ON CONFLICT (call_id, turn_index) DO UPDATE SET latency = excluded.latency,
            event_sequence = excluded.event_sequence, event_doc = excluded.event_doc, doc = excluded.doc`,
        [callId, index, role, times, event?.sequence ?? null, event?.doc ?? null, doc],
      );
    },

    /** The stored turns as a JSON array. */
    turnsJson: async (callId: string, queries: Reads = database): Promise<string> => {
      const row = await queries.get<{ items: string | null }>(sql.turns, [callId]);
      return `[${row?.items ?? ''}]`;
    },

    turns: async (callId: string, queries: Reads = database): Promise<Turn[]> => {
      const rows = await queries.all<{ doc: string }>(
        'SELECT doc FROM call_turns WHERE call_id = $1 AND doc IS NOT NULL ORDER BY turn_index',
        [callId],
      );
      return rows.map(({ doc }) => JSON.parse(doc));
    },

    hasCallerTurn: async (queries: Reads = database, callId: string): Promise<boolean> => {
      const row = await queries.get("SELECT 1 AS one FROM call_turns WHERE call_id = $1 AND role = 'caller' LIMIT 1", [
        callId,
      ]);
      return row !== undefined;
    },

    rewriteTurns: async (queries: Queries, callId: string, rewrite: (turn: Turn) => string | null): Promise<void> => {
      const rows = await queries.all<{ turn_index: number; doc: string }>(
        'SELECT turn_index, doc FROM call_turns WHERE call_id = $1 AND doc IS NOT NULL',
        [callId],
      );
      for (const { turn_index, doc } of rows) {
        await queries.write('UPDATE call_turns SET doc = $3 WHERE call_id = $1 AND turn_index = $2', [
          callId,
          turn_index,
          rewrite(JSON.parse(doc)),
        ]);
      }
    },

    writeEvent: insertEvent,

    events: async (callId: string, after: number, limit: number): Promise<EventRow[]> => {
      const rows = await database.all<{ sequence: number; type: string; doc: string; turn_doc: string | null }>(
        sql.events,
        [callId, after, limit],
      );
      return rows.map(({ sequence, type, doc, turn_doc }) =>
        type === 'turn_completed' ? turnEventRow(sequence, doc, turn_doc) : { sequence, type, doc },
      );
    },

    /** The number of the newest event of each of these calls. */
    newestEvents: async (callIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
      const rows = await database.all<{ id: string; newest: number }>(
        `SELECT call_id AS id, max(sequence) AS newest FROM (
            SELECT call_id, sequence FROM call_events WHERE call_id IN (${dialect.textsIn('$1')})
            UNION ALL
            SELECT call_id, event_sequence FROM call_turns WHERE call_id IN (${dialect.textsIn('$1')})
          ) AS events GROUP BY call_id`,
        [JSON.stringify(callIds)],
      );
      return new Map(rows.map(({ id, newest }) => [id, newest]));
    },

    rewriteKeys: async (
      queries: Queries,
      callId: string,
      rewrite: (digits: string | null) => string | null,
    ): Promise<void> => {
      const rows = await queries.all<{ sequence: number; doc: string }>(
        "SELECT sequence, doc FROM call_events WHERE call_id = $1 AND type = 'dtmf_received'",
        [callId],
      );
      for (const { sequence, doc } of rows) {
        const event = JSON.parse(doc);
        await queries.write('UPDATE call_events SET doc = $3 WHERE call_id = $1 AND sequence = $2', [
          callId,
          sequence,
          JSON.stringify({ ...event, data: { digits: rewrite(event.data.digits) } }),
        ]);
      }
    },

    /** Makes room for an event before the last one. */
    moveLastEvent: async (queries: Queries, callId: string, sequence: number): Promise<void> => {
      const row = await queries.get<{ doc: string }>(
        'SELECT doc FROM call_events WHERE call_id = $1 AND sequence = $2',
        [callId, sequence],
      );
      if (row === undefined) throw new Error('the last event of the call is missing');
      const moved = JSON.stringify({ ...JSON.parse(row.doc), sequence: sequence + 1 });
      await queries.write('UPDATE call_events SET sequence = $3, doc = $4 WHERE call_id = $1 AND sequence = $2', [
        callId,
        sequence,
        sequence + 1,
        moved,
      ]);
    },

    /**
     * Removes the events of turns, and the warning that they are not redacted completely. The numbers of the others stay
     * without gaps.
     */
    removeTurnEvents: async (queries: Queries, callId: string): Promise<void> => {
      await queries.write('UPDATE call_turns SET event_sequence = NULL, event_doc = NULL WHERE call_id = $1', [callId]);
      const rows = await queries.all<{ type: CallEvent['type']; doc: string }>(
        'SELECT type, doc FROM call_events WHERE call_id = $1 ORDER BY sequence',
        [callId],
      );
      await queries.write('DELETE FROM call_events WHERE call_id = $1', [callId]);
      const kept = rows
        .map(({ type, doc }) => ({ type, event: JSON.parse(doc) }))
        .filter(({ event }) => event.data.code !== partialRedaction.code);
      for (const [index, { type, event }] of kept.entries()) {
        const sequence = index + 1;
        await insertEvent(queries, { callId, sequence, type, doc: JSON.stringify({ ...event, sequence }) });
      }
    },
  };
}

/** The event of a completed turn, which is stored without the turn. */
export function turnEventRow(sequence: number, event: string, turn: string | null): EventRow {
  const doc = turn === null ? event : `${event.slice(0, -1)},"data":{"turn":${turn}}}`;
  return { sequence, type: 'turn_completed', doc };
}
