import type { Reads } from '../../src/storage/database.ts';
import type { Chat } from './chat.ts';

/** The calls that hold a slot, in order. */
export async function openCallIds(database: Reads): Promise<string[]> {
  const rows = await database.all<{ id: string }>(
    "SELECT id FROM calls WHERE status IN ('registered', 'ringing', 'ongoing') ORDER BY id",
  );
  return rows.map(({ id }) => id);
}

/** The calls that have ended without an analysis so far. */
export async function countUnanalyzed(database: Reads): Promise<number> {
  const row = await database.get<{ count: number }>(
    "SELECT count(*) AS count FROM calls WHERE NOT EXISTS (SELECT 1 FROM events WHERE workspace_id = calls.workspace_id AND subject_id = calls.id AND type = 'call_analyzed')",
  );
  return Number(row?.count ?? 0);
}

/** What no operation shows: the events for webhooks, and what is left of calls that are over. */
export async function checkStored(
  database: Reads,
  workspaceId: string,
  chats: readonly Pick<Chat, 'id'>[],
  found: (what: string) => void,
): Promise<void> {
  const known = new Set(chats.map(({ id }) => id));
  const calls = await database.all<{ id: string; owner: string | null; started_at: number | null }>(
    'SELECT id, owner, started_at FROM calls WHERE workspace_id = $1',
    [workspaceId],
  );
  if (calls.length !== known.size) found(`${calls.length} calls for ${known.size} answers`);
  const events = await database.all<{ type: string; subject_id: string; sequence: number }>(
    'SELECT type, subject_id, sequence FROM events WHERE workspace_id = $1 ORDER BY subject_id, sequence',
    [workspaceId],
  );
  const bySubject = Map.groupBy(events, ({ subject_id }) => subject_id);
  for (const { id, owner, started_at } of calls) {
    if (owner !== null) found('a call that is over has an owner');
    const own = bySubject.get(id) ?? [];
    const written = own.map(({ type }) => type).join(' ');
    const expected = `${started_at === null ? '' : 'call_started '}call_ended call_analyzed`;
    if (written !== expected) found(`the events for webhooks are: ${written}`);
    if (own.some(({ sequence }, place) => sequence !== place + 1))
      found('the numbers of the webhook events have a gap');
  }
  const left = await database.get<{ count: number }>(
    "SELECT count(*) AS count FROM calls WHERE (state IS NOT NULL OR sealed_state IS NOT NULL) AND status IN ('ended', 'not_connected', 'error')",
  );
  if ((left?.count ?? 0) > 0) found('the working state of a call that is over is still there');
}
