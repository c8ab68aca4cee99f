import type { Call } from '../../../contract/calls/call.ts';
import type { CallEvent } from '../../../contract/calls/call-events.ts';
import type { Caller } from '../../../http/admission/caller.ts';
import { maxPageBytes, type Page } from '../../../storage/page.ts';
import { isTerminal } from './call.ts';
import type { StoredCall } from './call-row.ts';
import type { CallStore } from './store.ts';
import type { EventRow } from './turns-and-events.ts';

export interface EventPage extends Page<CallEvent> {
  readonly isEmpty: boolean;
  /** The call is over, and nothing follows. */
  readonly isLast: boolean;
  /** The number of the last event that was looked at. */
  readonly newest: number;
}

/** While the call is open, there is always a next page: reading on follows the call to its end. */
export async function eventPage(
  store: CallStore,
  { call }: StoredCall,
  after: number,
  limit: number,
  access: Caller['access'],
): Promise<EventPage> {
  const found = await store.events(call.id, after, limit);
  const rows = withinPage(found);
  const newest = rows.at(-1)?.sequence ?? after;
  const documents = rows.flatMap((row) => (access === null ? [row.doc] : visibleDocument(row)));
  const isLast = isEnd(rows.at(-1)) || (isTerminal(call) && rows.length === found.length && rows.length < limit);
  return {
    items: Buffer.from(documents.join(',')),
    next: isLast ? null : String(newest),
    isEmpty: documents.length === 0,
    isLast,
    newest,
  };
}

/**
 * As many as fit on a page, and at least one. They are cut here and not in SQL, because the transcript of a call is
 * limited to 8 MiB as well: what was read for nothing is never much.
 */
function withinPage(rows: readonly EventRow[]): readonly EventRow[] {
  let bytes = 0;
  const first = rows.findIndex(({ doc }, index) => {
    bytes += Buffer.byteLength(doc);
    return bytes > maxPageBytes && index > 0;
  });
  return first === -1 ? rows : rows.slice(0, first);
}

/** The last event of every call. */
export function isEnd(row: EventRow | undefined): boolean {
  if (row?.type !== 'state_changed') return false;
  const { data }: CallEvent = JSON.parse(row.doc);
  return 'to' in data && isTerminal({ status: data.to as Call['status'] });
}

/** What a page may see. Numbers stay, so that it can tell that something was left out. */
export function visibleDocument({ type, doc }: EventRow): string[] {
  if (!visibleEvents.has(type)) return [];
  if (type !== 'turn_completed') return [doc];
  const event: CallEvent = JSON.parse(doc);
  if (!('turn' in event.data)) return [];
  const [turn] = visibleTurns([event.data.turn], access);
  return turn === undefined ? [] : [JSON.stringify({ ...event, data: { turn } })];
}

/** Any token sees the same. */
const access = { callId: '', tokenId: '', number: 0, expiresAt: 0, origins: [] };

/** What a page may see of a turn: never what tools were called with. */
export function visibleTurns<T extends { readonly role: string }>(turns: readonly T[], access: Caller['access']): T[] {
  if (access === null) return [...turns];
  return turns.filter(({ role }) => role !== 'tool').map((turn) => ({ ...turn, sources: [], toolCall: null }));
}

const visibleEvents: ReadonlySet<string> = new Set([
  'state_changed',
  'turn_completed',
  'speech_started',
  'speech_ended',
  'agent_interrupted',
  'warning',
]);
