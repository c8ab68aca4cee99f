import type { Caller } from '../../../http/admission/caller.ts';
import type { Queries } from '../../../storage/database.ts';
import { setEarlierConversation } from '../conversation/state.ts';
import type { CallDocument } from '../record/call-row.ts';
import type { Journal } from '../record/journal.ts';
import type { LockedCall } from '../record/locked-call.ts';

export interface EndParts {
  readonly journal: Journal;
  /** Stops a reply that is in progress in this process. */
  readonly stopReply: (callId: string) => void;
}

export type EndCall = ReturnType<typeof createEndCall>;

/** Ends an open call in a transaction: for an API key, or for the caller's page. */
export function createEndCall({ journal, stopReply }: EndParts) {
  return (queries: Queries, locked: LockedCall, { access }: Caller): Promise<CallDocument> => {
    const { id, status } = locked.call;
    const isCaller = access !== null;
    queries.atEnd(() => stopReply(id));
    setEarlierConversation(locked);
    return journal.end(queries, locked, {
      reason: status === 'ongoing' ? (isCaller ? 'caller_hangup' : 'api_end') : 'canceled',
      by: isCaller ? 'caller' : 'api',
      at: locked.now,
    });
  };
}
