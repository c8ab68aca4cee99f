import type { Call } from '../../../contract/calls/call.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { MissedCall, SettledCall } from '../../area.ts';
import { isTerminal } from './call.ts';
import type { CallStore } from './store.ts';
import { signatureColumns, signatureOf, transcriptText } from './transcript-text.ts';

const columns = ['workspace_id', 'call_id', ...signatureColumns, 'content'];

const sql = {
  write: `INSERT INTO call_texts (${columns.join(', ')}) VALUES (${columns.map((_, place) => `$${place + 1}`).join(', ')})
    ON CONFLICT (workspace_id, call_id) DO NOTHING`,
  remove: 'DELETE FROM call_texts WHERE workspace_id = $1 AND call_id = $2',
};

export async function writeText(queries: Queries, workspaceId: string, callId: string, text: string): Promise<void> {
  if (text !== '') await queries.write(sql.write, [workspaceId, callId, ...signatureOf(text), text]);
}

/** A batch is one transaction, which other writes wait for on SQLite. */
const batchSize = 25;
/** How long one run goes on, with a pause of as long until the next one. */
const defaultRunMs = 100;

export type TranscriptIndex = ReturnType<typeof createTranscriptIndex>;

/**
 * Keeps the text of calls for searches, in the transactions that end, redact and delete them: it never has more than
 * the call itself, and is gone with it.
 */
export function createTranscriptIndex(database: Database, store: Pick<CallStore, 'saidTurns'>, runMs = defaultRunMs) {
  const write = async (queries: Queries, { workspaceId, id, ...call }: Call): Promise<void> => {
    if (call.dataStorageSetting !== 'everything' || call.transcriptStatus !== 'available') return;
    await writeText(
      queries,
      workspaceId,
      id,
      await transcriptText((from, limit) => store.saidTurns(queries, id, from, limit)),
    );
  };

  /** Some of the calls of the workspace that has come least far. */
  const fillBatch = async (queries: Queries): Promise<boolean> => {
    const next = await queries.get<{ workspace_id: string; before_id: string }>(
      `SELECT workspace_id, before_id FROM call_texts_filling ORDER BY before_id DESC LIMIT 1
        ${database.dialect.forUpdateSkipLocked}`,
    );
    if (next === undefined) return false;
    const { call: kind } = database.documents;
    // The calls are locked, so that nobody removes the content of one in the meantime.
    const rows = await queries.all<{ id: string; doc: string; doc_version: number }>(
      `SELECT id, doc, doc_version FROM calls WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT ${batchSize}
        ${database.dialect.forUpdate}`,
      [next.workspace_id, next.before_id],
    );
    for (const { doc, doc_version } of rows) {
      const call = kind.parse<Call>(doc, doc_version);
      // An open call gets its text when it ends.
      if (isTerminal(call)) await write(queries, call);
    }
    const last = rows.at(-1);
    await queries.run(
      last === undefined
        ? 'DELETE FROM call_texts_filling WHERE workspace_id = $1'
        : 'UPDATE call_texts_filling SET before_id = $2 WHERE workspace_id = $1',
      last === undefined ? [next.workspace_id] : [next.workspace_id, last.id],
    );
    return true;
  };

  return {
    onCallSettled: async (queries: Queries, { what, call }: SettledCall): Promise<void> => {
      switch (what) {
        case 'ended':
          return write(queries, call);
        case 'changed':
          return;
        case 'redacted':
        case 'deleted':
          // What a stricter setting keeps is not searched.
          await queries.write(sql.remove, [call.workspaceId, call.id]);
          return;
        default:
          return what satisfies never;
      }
    },

    onCallMissed: async (queries: Queries, { workspaceId, id, call }: MissedCall): Promise<void> => {
      await queries.write(sql.remove, [workspaceId, id]);
      if (call !== null) await write(queries, call);
    },

    /** Writes the texts of older calls after an upgrade or a restore, newest first. Resolves to true if there are more. */
    fill: async (): Promise<boolean> => {
      // Most of the time there is nothing to do, which a read finds out without waiting for writes.
      if ((await database.get('SELECT 1 AS one FROM call_texts_filling LIMIT 1')) === undefined) return false;
      const end = performance.now() + runMs;
      let hasMore = true;
      do hasMore = await database.transaction(fillBatch, { isBackground: true });
      while (hasMore && performance.now() < end);
      return hasMore;
    },
  };
}
