import { addReplyTimes, type ChatState } from './chat/chat-state.ts';
import type { HeldCall, NewTurn } from './held-call.ts';
import { isSealed } from './storage-setting.ts';

/** A turn that takes no time: it is written, not spoken. */
export function writtenTurn({ call, now }: HeldCall, turn: Pick<NewTurn, 'role' | 'source' | 'text'>): NewTurn {
  const offset = call.startedAt === null ? 0 : Math.max(0, now - Date.parse(call.startedAt));
  return {
    ...turn,
    unspokenText: null,
    startMs: offset,
    endMs: offset,
    words: [],
    interrupted: false,
    latency: null,
    sources: [],
    toolCall: null,
  };
}

/** The agent says something without a reply. */
export function said(
  held: HeldCall,
  state: ChatState,
  text: string,
  source: 'control' | 'engine' = 'control',
): ChatState {
  const turn = writtenTurn(held, { role: 'agent', source, text });
  const index = held.addTurn(turn);
  const replyTimes = addReplyTimes(state.replyTimes, [turn]);
  const history = isSealed(held.call.dataStorageSetting) ? [...state.history, { ...turn, index }] : state.history;
  return { ...state, replyTimes, history };
}
