import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ApiError, type Call, NotFoundError, type Turn, type TypedCallEvent } from '../../../../sdk/src/index.ts';
import { useClient } from '../../session/use-session.ts';

/** Recordings are completed a moment after the end of a call. */
const settlingPollMs = 1500;

export function useCall(id: string) {
  const { calls } = useClient();
  return useQuery({
    queryKey: ['call', id],
    queryFn: ({ signal }) => calls.get(id, { signal }),
    // No event tells when the recording is complete.
    refetchInterval: ({ state }) => state.data?.recording.status === 'processing' && settlingPollMs,
  });
}

export type StoredTranscript =
  | { readonly kind: 'turns'; readonly turns: readonly Turn[] }
  | { readonly kind: 'not_stored' }
  | { readonly kind: 'deleted' };

/** What was said: what is stored, and what the events have brought since. */
export function useTranscript(call: Call, events: readonly TypedCallEvent[]) {
  const { calls } = useClient();
  const { id, transcriptStatus } = call;
  const isGone = transcriptStatus === 'not_stored' || transcriptStatus === 'deleted';
  const { data, error, refetch } = useQuery({
    queryKey: ['call', id, 'transcript'],
    queryFn: async ({ signal }): Promise<StoredTranscript> => {
      try {
        return { kind: 'turns', turns: (await calls.transcript.get(id, { signal })).turns };
      } catch (failure) {
        const reason = reasonOf(failure);
        if (reason !== null) return { kind: reason };
        throw failure;
      }
    },
    enabled: !isGone,
  });
  const transcript = useMemo((): StoredTranscript | undefined => {
    if (isGone) return { kind: transcriptStatus };
    return data?.kind === 'turns' ? { kind: 'turns', turns: merged(data.turns, events) } : data;
  }, [isGone, transcriptStatus, data, events]);
  return { transcript, error, refetch };
}

function merged(stored: readonly Turn[], events: readonly TypedCallEvent[]): readonly Turn[] {
  const turns = new Map(stored.map((turn) => [turn.index, turn]));
  // A later event of the same turn has the result of its tool.
  for (const event of events) if (event.type === 'turn_completed') turns.set(event.data.turn.index, event.data.turn);
  return [...turns.values()].sort((one, other) => one.index - other.index);
}

function reasonOf(error: unknown): 'not_stored' | 'deleted' | null {
  if (!(error instanceof NotFoundError)) return null;
  const { details } = error as ApiError as { details: { reason?: unknown } | undefined };
  const reason = details?.reason;
  return reason === 'not_stored' || reason === 'deleted' ? reason : null;
}
