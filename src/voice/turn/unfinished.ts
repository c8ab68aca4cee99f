import type { State } from './events.ts';
import type { Parts } from './parts.ts';

/** What a conversation that goes on in another session still has to do. What was said before is in the transcript. */
export interface Unfinished {
  /** The agent has not opened the conversation. */
  readonly isOpening: boolean;
  /** The caller's words that are not answered; empty if the agent is to take a turn; null: nothing. */
  readonly words: string | null;
  /** What the agent had yet to say, from the start of the sentence that was cut. */
  readonly unsaid: string | null;
}

const nothing: Unfinished = { isOpening: false, words: null, unsaid: null };

/**
 * A reply of which nothing was heard is requested again. One that the caller has begun to hear is said to its end, as far
 * as it was generated: its engine has moved on.
 */
export function unfinishedOf({ speech, replies, listening }: Parts, state: State): Unfinished {
  if (state === 'ended') return nothing;
  const { current } = speech;
  const isHeard = current?.isPlaying === true;
  const { pending } = replies;
  const isOpening = pending?.kind === 'begin' || current?.source === 'begin';
  if (state === 'opening' || (isOpening && !isHeard)) return { ...nothing, isOpening: true };
  const isReplyHeard = isHeard && pending !== null && replies.isCurrent(current.turn);
  if (listening.hasWords) return { ...nothing, words: listening.words };
  if (pending !== null && !isReplyHeard)
    return pending.kind === 'response' ? { ...nothing, words: pending.words } : nothing;
  if (current === null || current.source === 'waiting' || (current.source === 'reminder' && !isHeard)) return nothing;
  const rest = current.rest.map(({ text }) => text).join('');
  return rest === '' ? nothing : { ...nothing, unsaid: rest };
}
