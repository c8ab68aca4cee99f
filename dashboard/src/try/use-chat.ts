import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { AuthenticationError, BadGatewayError, NotFoundError, StateConflictError } from '../../../sdk/src/index.ts';
import { terminalStatuses } from '../calls/call.ts';
import { useSession } from '../session/use-session.ts';
import { type Chat, newChat, nextChat } from './chat.ts';
import type { CallOptions, TriedAgent } from './try-context.ts';

/** A reply may take 30 s, and its tools in addition to that. */
const replyTimeoutMs = 180_000;

export type TriedVersion = 'latest' | 'published';

export interface ChatControls {
  readonly chat: Chat;
  send(text: string): void;
  /** Sends what failed again, as the same request. */
  retry(): void;
  end(): void;
}

/**
 * One chat with an agent, from when the component appears to when it disappears. Nothing is retried: someone is waiting,
 * and the third failed reply in a row ends the chat.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a hook: a list of functions over the same state.
export function useChat(
  { id: agentId, startSkillId }: TriedAgent,
  version: TriedVersion,
  options: CallOptions,
): ChatControls {
  const session = useSession();
  // Others are another chat.
  const given = useRef(options);
  // The key may be replaced during a chat.
  const current = useRef(session);
  current.current = session;
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
    const call = await current.current.client.calls.get(id).catch(() => null);
    dispatch({ type: 'ended', reason: call?.endReason ?? null });
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
        const options = { idempotencyKey, signal, timeout: replyTimeoutMs, maxRetries: 0 };
        const { calls } = current.current.client;
        for await (const event of calls.messages.stream(id, text === null ? {} : { text }, options)) {
          if (event.type !== 'done') {
            dispatch({ type: 'arrived', part: event });
            continue;
          }
          dispatch({ type: 'replied', reply: event.reply });
          if (isTerminal(event.reply.status)) await finish();
        }
      } catch (error) {
        if (controller.signal.aborted) return;
        const { calls } = current.current.client;
        // Several failed replies in a row end a chat.
        const call = error instanceof BadGatewayError ? await calls.get(id).catch(() => null) : null;
        if (isOver(error) || isTerminal(call?.status)) await finish();
        else fail(error);
      }
    },
    [fail, finish],
  );

  const start = useCallback(async () => {
    dispatch({ type: 'starting' });
    try {
      const call = await current.current.client.calls.create(
        {
          type: 'chat',
          agentId,
          agentVersion: version,
          ...(startSkillId !== undefined && { startSkillId }),
          ...given.current,
        },
        { idempotencyKey: createKey.current, maxRetries: 0 },
      );
      if (place.current.isGone) return current.current.endOnLeaving(call.id);
      place.current.id = call.id;
      dispatch({ type: 'created', call });
      await exchange(null, newKey());
    } catch (error) {
      fail(error);
    }
  }, [agentId, startSkillId, version, exchange, fail]);

  useEffect(() => {
    const here = place.current;
    here.isGone = false;
    const leave = () => {
      if (here.id === null || here.isOver) return;
      here.isOver = true;
      current.current.endOnLeaving(here.id);
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

  const { call, exchange: last } = chat;
  return {
    chat,
    send: (text) => exchange(text, newKey()),
    retry: () => {
      if (call === null) start();
      else if (last !== null) exchange(last.text, last.idempotencyKey);
    },
    end: async () => {
      if (place.current.id === null) return;
      sending.current?.abort();
      try {
        const { endReason } = await current.current.client.calls.end(place.current.id);
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
  return error instanceof NotFoundError || (error instanceof StateConflictError && isTerminal(error.state));
}

function isTerminal(status: unknown): boolean {
  return (terminalStatuses as readonly unknown[]).includes(status);
}

/** Not randomUUID, which browsers offer in secure contexts only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
