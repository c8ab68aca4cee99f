import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { ApiError, AuthenticationError } from '../../../sdk/src/index.ts';
import type { ReplyPart } from '../calls/api.ts';
import { terminalStatuses } from '../calls/call.ts';
import { useSession } from '../session/use-session.ts';
import { type Chat, newChat, nextChat } from './chat.ts';

export type TriedVersion = 'latest' | 'published';

export interface ChatControls {
  readonly chat: Chat;
  send(text: string): void;
  /** Sends what failed again, as the same request. */
  retry(): void;
  end(): void;
}

/** One chat with an agent, from when the component appears to when it disappears. */
export function useChat(agentId: string, version: TriedVersion): ChatControls {
  const session = useSession();
  // The key may be replaced during a chat.
  const api = useRef(session.calls);
  api.current = session.calls;
  const queryClient = useQueryClient();
  const [chat, dispatch] = useReducer(nextChat, newChat);
  const createKey = useRef(newKey());
  const place = useRef<{ id: string | null; isOver: boolean; isGone: boolean }>({
    id: null,
    isOver: false,
    isGone: false,
  });
  const sending = useRef<AbortController | null>(null);

  const fail = useCallback(
    (error: unknown) => {
      // A rejected key ends the session, which queries find out.
      if (error instanceof AuthenticationError) queryClient.invalidateQueries({ queryKey: ['whoami'] });
      dispatch({ type: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    },
    [queryClient],
  );

  const finish = useCallback(async () => {
    const { id } = place.current;
    place.current.isOver = true;
    if (id === null) return;
    const reason = await api.current.get(id).then(
      ({ endReason }) => endReason,
      () => null,
    );
    dispatch({ type: 'ended', reason });
  }, []);

  const exchange = useCallback(
    async (text: string | null, idempotencyKey: string) => {
      const { id } = place.current;
      if (id === null) return;
      const controller = new AbortController();
      sending.current = controller;
      dispatch({ type: 'sending', text, idempotencyKey });
      try {
        const { signal } = controller;
        const onPart = (part: ReplyPart) => dispatch({ type: 'arrived', part });
        const reply = await api.current.sendMessage(id, { text, idempotencyKey, signal, onPart });
        dispatch({ type: 'replied', reply });
        if (isTerminal(reply.status)) await finish();
      } catch (error) {
        if (controller.signal.aborted) return;
        if (isOver(error)) await finish();
        else fail(error);
      }
    },
    [fail, finish],
  );

  const start = useCallback(async () => {
    dispatch({ type: 'starting' });
    try {
      const call = await api.current.createChat(agentId, version, createKey.current);
      if (place.current.isGone) return api.current.endOnLeaving(call.id);
      place.current.id = call.id;
      dispatch({ type: 'created', call });
      await exchange(null, newKey());
    } catch (error) {
      fail(error);
    }
  }, [agentId, version, exchange, fail]);

  useEffect(() => {
    const here = place.current;
    here.isGone = false;
    const leave = () => {
      if (here.id === null || here.isOver) return;
      here.isOver = true;
      api.current.endOnLeaving(here.id);
    };
    start();
    addEventListener('pagehide', leave);
    return () => {
      here.isGone = true;
      removeEventListener('pagehide', leave);
      sending.current?.abort();
      leave();
    };
  }, [start]);

  const { call, exchange: current } = chat;
  return {
    chat,
    send: (text) => exchange(text, newKey()),
    retry: () => {
      if (call === null) start();
      else if (current !== null) exchange(current.text, current.idempotencyKey);
    },
    end: async () => {
      if (place.current.id === null) return;
      sending.current?.abort();
      try {
        const { endReason } = await api.current.end(place.current.id);
        place.current.isOver = true;
        dispatch({ type: 'ended', reason: endReason });
      } catch (error) {
        fail(error);
      }
    },
  };
}

/** The call has ended since, such as after silence, or it has been deleted. */
function isOver(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 404) return true;
  const { details } = error as { details: { status?: unknown } | null };
  return error.code === 'STATE_CONFLICT' && isTerminal(details?.status);
}

function isTerminal(status: unknown): boolean {
  return (terminalStatuses as readonly unknown[]).includes(status);
}

/** Not randomUUID, which browsers offer in secure contexts only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
