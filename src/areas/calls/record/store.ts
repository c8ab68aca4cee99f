import type { Call } from '../../../contract/calls/call.ts';
import { boundedJson } from '../../../core/json-limits.ts';
import type { Sealer } from '../../../core/sealer.ts';
import { associatedId } from '../../../storage/data-key.ts';
import { bytesOf, type Database, type Queries, type Reads, type Value } from '../../../storage/database.ts';
import {
  allGroups,
  type CallDocument,
  type CallRow,
  type ColumnGroup,
  columnGroups,
  currentDocument,
  documentOf,
  filterValues,
  haveSameFilterValues,
  progressOf,
  recordingOf,
  type StateRow,
  type StoredCall,
  storedCall,
  storedColumns,
  unchangedDocument,
  writtenColumns,
} from './call-row.ts';
import { isSealed } from './storage-setting.ts';
import { createTurnAndEventStore } from './turns-and-events.ts';

/** A version of an agent, as its document. */
export interface PinnedAgent {
  readonly digest: string;
  readonly document: string;
  readonly documentVersion: number;
}

export type CallStore = ReturnType<typeof createCallStore>;

/** SQL for calls. The stored document is the response body. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the statements of a store, and a short function for each.
export function createCallStore(database: Database, sealer: Sealer) {
  const { dialect } = database;
  const { bytes, forUpdate } = dialect;
  const { agent: agentKind, call: kind } = database.documents;
  const columnsWith = (
    document: string,
  ) => `${document} AS doc, doc_version, etag, language, agent_digest, carrier_id, due_at, owner,
    owner_epoch, lease_until, next_turn, transcript_bytes, next_event, next_sequence, token_number, joined_token, recording`;
  const ifChanged = (column: string) => `CASE WHEN etag = $3 THEN NULL ELSE ${column} END`;
  const sql = {
    get: `SELECT ${bytes('doc')} AS doc, doc_version, etag FROM calls WHERE workspace_id = $1 AND id = $2`,
    find: `SELECT ${columnsWith('doc')} FROM calls WHERE workspace_id = $1 AND id = $2`,
    workingState: 'SELECT state, sealed_state FROM calls WHERE workspace_id = $1 AND id = $2',
    lock: `SELECT ${columnsWith('doc')}, state, sealed_state FROM calls WHERE workspace_id = $1 AND id = $2 ${forUpdate}`,
    lockKnown: `SELECT ${columnsWith(ifChanged('doc'))}, ${ifChanged('state')} AS state,
      ${ifChanged('sealed_state')} AS sealed_state FROM calls WHERE workspace_id = $1 AND id = $2 ${forUpdate}`,
    insert: `INSERT INTO calls (${writtenColumns.join(', ')})
      VALUES (${writtenColumns.map((_, index) => `$${index + 1}`).join(', ')})`,
  };

  const updates = new Map<string, string>();
  /** There are few combinations of changed columns, and each stays a prepared statement. */
  const updateOf = (groups: readonly ColumnGroup[]): string => {
    const name = groups.join();
    const known = updates.get(name);
    if (known !== undefined) return known;
    const columns = groups.flatMap((group) => columnGroups[group]);
    const changes = columns.map((column, index) => `${column} = $${index + 3}`).join(', ');
    const statement = `UPDATE calls SET ${changes} WHERE workspace_id = $1 AND id = $2`;
    updates.set(name, statement);
    return statement;
  };
  const stateValues = ({ call, state }: Pick<StoredCall, 'call' | 'state'>): Value[] => {
    if (state === null) return [null, null];
    const text = boundedJson(state);
    if (!isSealed(call.dataStorageSetting)) return [text, null];
    return [null, sealer.seal(text, associatedId(call.workspaceId, call.id))];
  };
  const stateOf = ({ state, sealed_state }: StateRow, workspaceId: string, id: string): object | null => {
    if (sealed_state !== null) return JSON.parse(String(sealer.open(sealed_state, associatedId(workspaceId, id))));
    return state === null ? null : JSON.parse(state);
  };

  return {
    ...createTurnAndEventStore(database),

    get: async (workspaceId: string, id: string): Promise<CallDocument | undefined> => {
      const row = await database.get<{ doc: unknown; doc_version: number; etag: string }>(sql.get, [workspaceId, id]);
      return row === undefined ? undefined : currentDocument(kind, bytesOf(row.doc), row);
    },

    find: async (workspaceId: string, id: string, queries: Reads = database): Promise<StoredCall | undefined> => {
      const row = await queries.get<CallRow>(sql.find, [workspaceId, id]);
      return row === undefined ? undefined : storedCall(kind, row, null);
    },

    /** What its conversation needs to continue; null before it begins and after it ends. */
    workingState: async (workspaceId: string, id: string): Promise<object | null> => {
      const row = await database.get<StateRow>(sql.workingState, [workspaceId, id]);
      return row === undefined ? null : stateOf(row, workspaceId, id);
    },

    /**
     * Locks the call until the transaction ends. Its document and its state are not read again if they are `known`: as this
     * process has read or written them last, while nobody else may continue the conversation.
     */
    lock: async (
      queries: Queries,
      workspaceId: string,
      id: string,
      known: StoredCall | null = null,
    ): Promise<StoredCall | undefined> => {
      const row =
        known === null
          ? await queries.get<CallRow & StateRow>(sql.lock, [workspaceId, id])
          : await queries.get<CallRow & StateRow>(sql.lockKnown, [workspaceId, id, known.etag]);
      if (row === undefined) return undefined;
      kind.requireWritable(row.doc_version);
      return row.etag === known?.etag
        ? { ...storedColumns(row), call: known.call, state: known.state }
        : storedCall(kind, row, stateOf(row, workspaceId, id));
    },

    /** Locks the call, unless somebody else has: then false, without waiting. */
    lockIfFree: async (queries: Queries, workspaceId: string, id: string): Promise<boolean> => {
      const row = await queries.get(
        `SELECT id FROM calls WHERE workspace_id = $1 AND id = $2 ${dialect.forUpdateSkipLocked}`,
        [workspaceId, id],
      );
      return row !== undefined;
    },

    insert: async (queries: Queries, stored: Omit<StoredCall, 'etag'>): Promise<CallDocument> => {
      const { call } = stored;
      const document = documentOf(call);
      const values = {
        pinned: [stored.language, stored.agentDigest, stored.carrierId],
        progress: progressOf(stored),
        state: stateValues(stored),
        recording: [recordingOf(stored)],
        document: [document.etag, document.body.bytes as string, kind.version],
        filtered: filterValues(call),
      };
      await queries.write(sql.insert, [call.workspaceId, call.id, ...allGroups.flatMap((group) => values[group])]);
      return document;
    },

    /**
     * Replaces a locked call, as far as it changed. Columns that filters compare are in most of the indexes, which SQLite
     * writes again even if nothing changed: with all columns, a turn would take twice as long.
     */
    update: async (queries: Queries, before: StoredCall, stored: StoredCall): Promise<CallDocument> => {
      const { call } = stored;
      const groups: ColumnGroup[] = ['progress'];
      const values = progressOf(stored);
      if (stored.state !== before.state) {
        groups.push('state');
        values.push(...stateValues(stored));
      }
      if (stored.recording !== before.recording) {
        groups.push('recording');
        values.push(recordingOf(stored));
      }
      const document = call === before.call ? unchangedDocument(before) : documentOf(call);
      if (call !== before.call) {
        groups.push('document');
        values.push(document.etag, document.body.bytes as string, kind.version);
        if (!haveSameFilterValues(before.call, call)) {
          groups.push('filtered');
          values.push(...filterValues(call));
        }
      }
      await queries.write(updateOf(groups), [call.workspaceId, call.id, ...values]);
      return document;
    },

    /** Writes the columns that filters compare as they follow from the document. */
    writeColumns: async (queries: Queries, call: Call): Promise<void> => {
      await queries.write(updateOf(['filtered']), [call.workspaceId, call.id, ...filterValues(call)]);
    },

    remove: async (queries: Queries, workspaceId: string, id: string): Promise<void> => {
      await queries.write('DELETE FROM call_turns WHERE call_id = $1', [id]);
      await queries.write('DELETE FROM call_events WHERE call_id = $1', [id]);
      await queries.write('DELETE FROM calls WHERE workspace_id = $1 AND id = $2', [workspaceId, id]);
    },

    /** For a state that was sealed with a key that is lost. */
    forgetState: async (queries: Queries, workspaceId: string, id: string): Promise<void> => {
      await queries.write('UPDATE calls SET sealed_state = NULL WHERE workspace_id = $1 AND id = $2', [
        workspaceId,
        id,
      ]);
    },

    // The agents of calls

    /** Locks the row, so that it is not removed before the call that needs it is committed. */
    keepAgent: async (queries: Queries, workspaceId: string, agent: PinnedAgent): Promise<void> => {
      await queries.write(
        `INSERT INTO call_agents (workspace_id, digest, doc, doc_version) VALUES ($1, $2, $3, $4)
          ON CONFLICT (workspace_id, digest) DO UPDATE SET digest = excluded.digest`,
        [workspaceId, agent.digest, agent.document, agent.documentVersion],
      );
    },

    agent: async (workspaceId: string, digest: string, queries: Reads = database): Promise<string | undefined> => {
      const row = await queries.get<{ doc: string; doc_version: number }>(
        'SELECT doc, doc_version FROM call_agents WHERE workspace_id = $1 AND digest = $2',
        [workspaceId, digest],
      );
      return row === undefined ? undefined : agentKind.current(row.doc, row.doc_version);
    },
  };
}

/** As in the partial indexes. */
export const openList = "'queued', 'registered', 'ringing', 'ongoing'";

/** Whether a call with this agent is open. */
export async function hasOpenCalls(queries: Reads, workspaceId: string, agentId: string): Promise<boolean> {
  const sql = `SELECT 1 AS found FROM calls WHERE workspace_id = $1 AND agent_id = $2 AND status IN (${openList}) LIMIT 1`;
  return (await queries.get(sql, [workspaceId, agentId])) !== undefined;
}

/** The ids of the open calls of a phone number, up to 20. */
export async function openCallsOfNumber(
  queries: Reads,
  workspaceId: string,
  phoneNumberId: string,
): Promise<readonly string[]> {
  const sql = `SELECT id FROM calls WHERE workspace_id = $1 AND phone_number_id = $2 AND status IN (${openList})
    ORDER BY id LIMIT 20`;
  return (await queries.all<{ id: string }>(sql, [workspaceId, phoneNumberId])).map(({ id }) => id);
}
