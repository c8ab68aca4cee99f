import { addReplyTimes } from '../../conversation/reply-times.ts';
import type { LockedCall, NewTurn } from '../../record/locked-call.ts';
import { isSealed } from '../../record/storage-setting.ts';
import type { ChatState } from './chat-state.ts';

/** A turn that takes no time: it is written, not spoken. */
export function writtenTurn({ call, now }: LockedCall, turn: Pick<NewTurn, 'role' | 'source' | 'text'>): NewTurn {
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
export function addAgentTurn(
  locked: LockedCall,
  state: ChatState,
  text: string,
  source: 'control' | 'engine' = 'control',
): ChatState {
  const turn = writtenTurn(locked, { role: 'agent', source, text });
  const index = locked.addTurn(turn);
  const replyTimes = addReplyTimes(state.replyTimes, [turn]);
  const history = isSealed(locked.call.dataStorageSetting) ? [...state.history, { ...turn, index }] : state.history;
  return { ...state, replyTimes, history };
}
