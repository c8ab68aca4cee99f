import type { CallEvent } from '../../../contract/calls/call-events.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import type { Database, Queries, Reads, Row } from '../../../storage/database.ts';
import type { EndedCallDetails } from '../../area.ts';
import { partialRedaction } from './storage-setting.ts';

/** A turn as it is stored: without text if the storage setting keeps none. */
export interface StoredTurn
  extends Pick<Turn, 'index' | 'role' | 'source' | 'startMs' | 'endMs' | 'interrupted' | 'latency'> {
  /** As JSON; null if nothing of it may be stored. */
  readonly doc: string | null;
  /** The event of its completion; null while a tool runs. `doc`: as JSON, without the turn. */
  readonly event: { readonly sequence: number; readonly doc: string } | null;
}

type ToolReturned = EndedCallDetails['toolResults'][number];

/** An event of a call as it is stored. */
export interface StoredEvent {
  readonly callId: string;
  readonly sequence: number;
  readonly type: CallEvent['type'];
  /** As JSON. */
  readonly doc: string;
}

interface DocumentRow extends Row {
  doc: string;
  doc_version: number;
}

interface EventQueryRow extends DocumentRow {
  sequence: number;
  type: string;
  turn_doc: string | null;
  turn_version: number;
}

export interface EventRow {
  readonly sequence: number;
  readonly type: string;
  /** As JSON. */
  readonly doc: string;
}

/** SQL for what is said and what happens in calls. Part of the store of calls. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createTurnAndEventStore(database: Database) {
  const { dialect } = database;
  const { turn: turnKind, callEvent: eventKind } = database.documents;
  const sql = {
    turns: `SELECT ${dialect.joined(turnKind.itemSql(), 'turn_index')} AS items, min(doc_version) AS oldest_version FROM
      (SELECT doc, doc_version, turn_index FROM call_turns WHERE call_id = $1 AND doc IS NOT NULL
        ORDER BY turn_index) AS turns`,
    events: `SELECT sequence, type, doc, doc_version, NULL AS turn_doc, 0 AS turn_version FROM call_events
        WHERE call_id = $1 AND sequence > $2
      UNION ALL
      SELECT event_sequence, 'turn_completed', event_doc, event_doc_version, doc, doc_version FROM call_turns
        WHERE call_id = $1 AND event_sequence > $2
      ORDER BY 1 LIMIT $3 + 0`,
  };

  const insertEvent = async (queries: Queries, event: StoredEvent): Promise<void> => {
    const { callId, sequence, type, doc } = event;
    await queries.write(
      'INSERT INTO call_events (call_id, sequence, type, doc, doc_version) VALUES ($1, $2, $3, $4, $5)',
      [callId, sequence, type, doc, eventKind.version],
    );
  };

  const writableEvent = ({ doc, doc_version }: DocumentRow): CallEvent => {
    eventKind.requireWritable(doc_version);
    return eventKind.parse(doc, doc_version);
  };

  return {
    /** A tool turn is written again with its result. */
    writeTurn: async (queries: Queries, callId: string, stored: StoredTurn): Promise<void> => {
      const { index, role, latency, event, doc } = stored;
      const times = latency === null ? null : JSON.stringify(latency);
      await queries.write(
        `INSERT INTO call_turns
            (call_id, turn_index, role, latency, event_sequence, event_doc, event_doc_version, doc, doc_version)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
          ON CONFLICT (call_id, turn_index) DO UPDATE SET latency = excluded.latency,
            event_sequence = excluded.event_sequence, event_doc = excluded.event_doc,
            event_doc_version = excluded.event_doc_version, doc = excluded.doc, doc_version = excluded.doc_version`,
        [
          callId,
          index,
          role,
          times,
          event?.sequence ?? null,
          event?.doc ?? null,
          eventKind.version,
          doc,
          turnKind.version,
        ],
      );
    },

    /** The stored turns as a JSON array. */
    turnsJson: async (callId: string, queries: Reads = database): Promise<string> => {
      const row = await queries.get<{ items: string | null; oldest_version: number | null }>(sql.turns, [callId]);
      return `[${turnKind.currentItems(row?.items ?? '', row?.oldest_version ?? null)}]`;
    },

    turns: async (callId: string, queries: Reads = database): Promise<Turn[]> => {
      const rows = await queries.all<DocumentRow>(
        'SELECT doc, doc_version FROM call_turns WHERE call_id = $1 AND doc IS NOT NULL ORDER BY turn_index',
        [callId],
      );
      return rows.map(({ doc, doc_version }) => turnKind.parse(doc, doc_version));
    },

    /** What was said in the turns from this one on, up to `limit`. */
    saidTurns: async (queries: Reads, callId: string, from: number, limit: number): Promise<Turn[]> => {
      const rows = await queries.all<DocumentRow>(
        `SELECT doc, doc_version FROM call_turns
          WHERE call_id = $1 AND turn_index >= $2 AND role <> 'tool' AND doc IS NOT NULL ORDER BY turn_index LIMIT $3 + 0`,
        [callId, from, limit],
      );
      return rows.map(({ doc, doc_version }) => turnKind.parse(doc, doc_version));
    },

    /** What is stored of a call with every storage setting. */
    endedDetails: async (queries: Reads, callId: string): Promise<EndedCallDetails> => {
      const turns = await queries.all<{ role: Turn['role']; latency: string | null }>(
        'SELECT role, latency FROM call_turns WHERE call_id = $1 ORDER BY turn_index',
        [callId],
      );
      const returned = await queries.all<DocumentRow>(
        "SELECT doc, doc_version FROM call_events WHERE call_id = $1 AND type = 'tool_returned' ORDER BY sequence",
        [callId],
      );
      return {
        turns: turns.map(({ role, latency }) => ({ role, latency: latency === null ? null : JSON.parse(latency) })),
        toolResults: returned.map(({ doc, doc_version }) => {
          const { name, isError } = (eventKind.parse(doc, doc_version) as { data: ToolReturned }).data;
          return { name, isError };
        }),
      };
    },

    hasCallerTurn: async (queries: Reads = database, callId: string): Promise<boolean> => {
      const row = await queries.get("SELECT 1 AS one FROM call_turns WHERE call_id = $1 AND role = 'caller' LIMIT 1", [
        callId,
      ]);
      return row !== undefined;
    },

    rewriteTurns: async (queries: Queries, callId: string, rewrite: (turn: Turn) => string | null): Promise<void> => {
      const rows = await queries.all<DocumentRow & { turn_index: number }>(
        'SELECT turn_index, doc, doc_version FROM call_turns WHERE call_id = $1 AND doc IS NOT NULL',
        [callId],
      );
      for (const { turn_index, doc, doc_version } of rows) {
        turnKind.requireWritable(doc_version);
        await queries.write('UPDATE call_turns SET doc = $3, doc_version = $4 WHERE call_id = $1 AND turn_index = $2', [
          callId,
          turn_index,
          rewrite(turnKind.parse(doc, doc_version)),
          turnKind.version,
        ]);
      }
    },

    writeEvent: insertEvent,

    /** Whether this very event is stored. */
    hasEvent: async (queries: Reads, { callId, sequence, doc }: StoredEvent): Promise<boolean> => {
      const row = await queries.get<DocumentRow>(
        'SELECT doc, doc_version FROM call_events WHERE call_id = $1 AND sequence = $2',
        [callId, sequence],
      );
      if (row === undefined) return false;
      const stored: CallEvent = eventKind.parse(row.doc, row.doc_version);
      const given: CallEvent = eventKind.parse(doc, eventKind.version);
      return stored.id === given.id;
    },

    events: async (callId: string, after: number, limit: number): Promise<EventRow[]> => {
      const rows = await database.all<EventQueryRow>(sql.events, [callId, after, limit]);
      return rows.map(({ sequence, type, doc, doc_version, turn_doc, turn_version }) => {
        const turn = turn_doc === null ? null : turnKind.current(turn_doc, turn_version);
        const event = type === 'turn_completed' ? turnEventRow(sequence, doc, turn) : { sequence, type, doc };
        return { ...event, doc: eventKind.current(event.doc, doc_version) };
      });
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
      const rows = await queries.all<DocumentRow & { sequence: number }>(
        "SELECT sequence, doc, doc_version FROM call_events WHERE call_id = $1 AND type IN ('dtmf_received', 'dtmf_sent')",
        [callId],
      );
      for (const { sequence, ...row } of rows) {
        const event = writableEvent(row);
        const digits = rewrite('digits' in event.data ? event.data.digits : null);
        await queries.write('UPDATE call_events SET doc = $3, doc_version = $4 WHERE call_id = $1 AND sequence = $2', [
          callId,
          sequence,
          JSON.stringify({ ...event, data: { digits } }),
          eventKind.version,
        ]);
      }
    },

    /** Makes room for an event before the last one. */
    moveLastEvent: async (queries: Queries, callId: string, sequence: number): Promise<void> => {
      const row = await queries.get<DocumentRow>(
        'SELECT doc, doc_version FROM call_events WHERE call_id = $1 AND sequence = $2',
        [callId, sequence],
      );
      if (row === undefined) throw new Error('the last event of the call is missing');
      const moved = JSON.stringify({ ...writableEvent(row), sequence: sequence + 1 });
      await queries.write(
        'UPDATE call_events SET sequence = $3, doc = $4, doc_version = $5 WHERE call_id = $1 AND sequence = $2',
        [callId, sequence, sequence + 1, moved, eventKind.version],
      );
    },

    /**
     * Removes the events of turns, and the warning that they are not redacted completely. The numbers of the others stay
     * without gaps.
     */
    removeTurnEvents: async (queries: Queries, callId: string): Promise<void> => {
      await queries.write('UPDATE call_turns SET event_sequence = NULL, event_doc = NULL WHERE call_id = $1', [callId]);
      const rows = await queries.all<DocumentRow & { type: CallEvent['type'] }>(
        'SELECT type, doc, doc_version FROM call_events WHERE call_id = $1 ORDER BY sequence',
        [callId],
      );
      await queries.write('DELETE FROM call_events WHERE call_id = $1', [callId]);
      const kept = rows
        .map(({ type, ...row }) => ({ type, event: writableEvent(row) }))
        .filter(({ event: { data } }) => !('code' in data) || data.code !== partialRedaction.code);
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
