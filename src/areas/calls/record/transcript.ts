import type { Call } from '../../../contract/calls/call.ts';
import type { Sealer } from '../../../core/sealer.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import { type CallStore, createCallStore } from './store.ts';

/** What a call said, for the events of webhooks; null if it is not stored. */
export async function transcriptOf(
  store: CallStore,
  { id, transcriptStatus }: Call,
  language: string,
  queries: Queries,
): Promise<object | null> {
  if (transcriptStatus !== 'available') return null;
  return { callId: id, status: 'available', language, turns: JSON.parse(await store.turnsJson(id, queries)) };
}

/** The same for a call by its id, which is locked, so that nobody removes its content meanwhile. */
export function createTranscripts(database: Database, sealer: Sealer) {
  const store = createCallStore(database, sealer);
  return async (queries: Queries, workspaceId: string, callId: string): Promise<object | null> => {
    const locked = await store.lock(queries, workspaceId, callId, null);
    return locked === undefined ? null : transcriptOf(store, locked.call, locked.language, queries);
  };
}
