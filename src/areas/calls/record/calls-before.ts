import type { Call } from '../../../contract/calls/call.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import type { EndedCallDetails } from '../../area.ts';
import { isTerminal } from './call.ts';
import type { CallStore } from './store.ts';

/** A batch is one transaction, which other writes wait for on SQLite. */
const maxCalls = 50;
const maxCharacters = 512 * 1024;

/** For other areas that catch up with calls: some of those before an id, newest first, locked until the transaction ends. */
export function createCallsBefore({ dialect, documents: { call: kind } }: Database, store: CallStore) {
  return async (queries: Queries, workspaceId: string, beforeId: string) => {
    const ids = await queries.all<{ id: string }>(
      `SELECT id FROM calls WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT ${maxCalls + 1}`,
      [workspaceId, beforeId],
    );
    const calls: { readonly call: Call; readonly details: EndedCallDetails | null }[] = [];
    let characters = 0;
    let place = 0;
    for (; place < Math.min(ids.length, maxCalls) && characters < maxCharacters; place += 1) {
      const id = ids[place]?.id as string;
      const row = await queries.get<{ doc: string; doc_version: number }>(
        `SELECT doc, doc_version FROM calls WHERE workspace_id = $1 AND id = $2 ${dialect.forUpdate}`,
        [workspaceId, id],
      );
      // The call was deleted in the meantime.
      if (row === undefined) continue;
      const call = kind.parse<Call>(row.doc, row.doc_version);
      characters += row.doc.length;
      calls.push({ call, details: isTerminal(call) ? await store.endedDetails(queries, id) : null });
    }
    return { calls, next: place < ids.length ? (ids[place - 1]?.id ?? null) : null };
  };
}
