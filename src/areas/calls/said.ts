import { addReplyTimes, type ChatState } from './chat/chat-state.ts';
import type { HeldCall, NewTurn } from './held-call.ts';
import { isSealed } from './storage-setting.ts';

/** The agent says something without a reply. */
export function said(
  held: HeldCall,
  state: ChatState,
  text: string,
  source: 'control' | 'engine' = 'control',
): ChatState {
  const { startedAt, dataStorageSetting } = held.call;
  const offset = startedAt === null ? 0 : Math.max(0, held.now - Date.parse(startedAt));
  const turn: NewTurn = {
    role: 'agent',
    source,
    text,
    unspokenText: null,
    startMs: offset,
    endMs: offset,
    words: [],
    interrupted: false,
    latency: null,
    sources: [],
    toolCall: null,
  };
  const index = held.addTurn(turn);
  const replyTimes = addReplyTimes(state.replyTimes, [turn]);
  const history = isSealed(dataStorageSetting) ? [...state.history, { ...turn, index }] : state.history;
  return { ...state, replyTimes, history };
}
