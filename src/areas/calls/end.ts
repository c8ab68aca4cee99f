import type { Caller } from '../../http/admission/caller.ts';
import type { Queries } from '../../storage/database.ts';
import type { CallDocument } from './call-row.ts';
import type { Chats } from './chat/chats.ts';
import type { HeldCall } from './held-call.ts';
import type { Journal } from './journal.ts';
import { setEarlierConversation } from './live/live-state.ts';

export interface EndParts {
  readonly journal: Journal;
  readonly chats: Pick<Chats, 'stop'>;
}

export type EndCall = ReturnType<typeof createEndCall>;

/** Ends an open call in a transaction: for an API key, or for the caller's page. */
export function createEndCall({ journal, chats }: EndParts) {
  return (queries: Queries, held: HeldCall, { access }: Caller): Promise<CallDocument> => {
    const { id, status } = held.call;
    const isCaller = access !== null;
    queries.atEnd(() => chats.stop(id));
    setEarlierConversation(held);
    return journal.end(queries, held, {
      reason: status === 'ongoing' ? (isCaller ? 'caller_hangup' : 'api_end') : 'canceled',
      by: isCaller ? 'caller' : 'api',
      at: held.now,
    });
  };
}
