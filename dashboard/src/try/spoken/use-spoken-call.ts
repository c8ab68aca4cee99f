import { useCallback, useEffect, useReducer, useRef } from 'react';
import { joinCall, type WebCall, type WebCallEvents } from '../../../../sdk/src/web/index.ts';
// The policy of the page allows scripts from its own files only.
import workletUrl from '../../../../sdk/src/web/worklet.ts?worker&url';
import type { EndReason } from '../../calls/call.ts';
import { useSession } from '../../session/use-session.ts';
import type { CallOptions, TriedAgent } from '../try-context.ts';
import type { TriedVersion } from '../use-chat.ts';
import { newSpokenCall, nextSpokenCall, type SpokenCall } from './spoken-call.ts';

export interface SpokenCallControls {
  readonly spoken: SpokenCall;
  /** In the handler of a click: browsers allow sound only then. */
  start(options: { readonly microphone: boolean; readonly recognition: 'service' | 'browser' }): void;
  send(text: string): void;
  mute(isMuted: boolean): void;
  end(): void;
  /** How loud it is; not part of the state, because it changes 50 times a second. */
  onLevel(handler: (level: WebCallEvents['level']) => void): () => void;
}

/** One spoken call with an agent. It ends when the component disappears. */
export function useSpokenCall(
  { id: agentId, startSkillId }: TriedAgent,
  version: TriedVersion,
  options: CallOptions,
): SpokenCallControls {
  const session = useSession();
  // The key may be replaced during a call.
  const current = useRef(session);
  current.current = session;
  const [spoken, dispatch] = useReducer(nextSpokenCall, newSpokenCall);
  const joined = useRef<WebCall | null>(null);
  const isGone = useRef(false);
  const levels = useRef(new Set<(level: WebCallEvents['level']) => void>());

  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      joined.current?.end();
    };
  }, []);

  const handlers = useCallback(
    (): { [Name in keyof WebCallEvents]?: (value: WebCallEvents[Name]) => void } => ({
      transcript: (transcript) => dispatch({ type: 'said', transcript }),
      state: ({ floor }) => dispatch({ type: 'floor', floor }),
      event: (event) => {
        if (event.type === 'turn_completed') dispatch({ type: 'completed', turn: event.data.turn });
      },
      speech: ({ state }) => state === 'playing' && dispatch({ type: 'heard' }),
      level: (level) => {
        for (const handler of levels.current) handler(level);
      },
      reconnecting: () => dispatch({ type: 'reconnecting', isReconnecting: true }),
      reconnected: () => dispatch({ type: 'reconnecting', isReconnecting: false }),
      error: (problem) => dispatch({ type: 'problem', problem }),
      ended: ({ reason, error }) => {
        joined.current = null;
        dispatch({ type: 'ended', reason: reason as EndReason | null, problem: error });
      },
    }),
    [],
  );

  const start: SpokenCallControls['start'] = async ({ microphone, recognition }) => {
    let created: string | null = null;
    dispatch({ type: 'joining' });
    const access = async () => {
      const start = { ...options, ...(startSkillId !== undefined && { startSkillId }) };
      const call = await current.current.client.calls.create({ type: 'web', agentId, agentVersion: version, ...start });
      created = call.id;
      dispatch({ type: 'created', call });
      if (call.access === null) throw new Error('The call has no access token.');
      // The page may connect to its own origin only, whatever PUBLIC_URL is.
      return { liveUrl: new URL(call.access.liveUrl, location.href).pathname, token: call.access.token };
    };
    try {
      const call = await joinCall({ access, microphone, recognition, workletUrl, on: handlers() });
      joined.current = call;
      if (isGone.current) return void call.end();
      dispatch({ type: 'joined', capabilities: call.capabilities, hasMicrophone: call.hasMicrophone });
    } catch (error) {
      // It would keep its slot until nobody has joined for two minutes.
      if (created !== null) current.current.endOnLeaving(created);
      dispatch({ type: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
  };

  return {
    spoken,
    start,
    send: (text) => joined.current?.send(text),
    mute: (isMuted) => {
      if (isMuted) joined.current?.mute();
      else joined.current?.unmute();
      dispatch({ type: 'muted', isMuted });
    },
    end: () => joined.current?.end(),
    onLevel: useCallback((handler) => {
      levels.current.add(handler);
      return () => {
        levels.current.delete(handler);
      };
    }, []),
  };
}
