import type { Deadlines, EndsAfterSpeech, ServiceSpeech, State, Unfinished } from './events.ts';
import type { Parts } from './parts.ts';

const nothing = { isOpening: false, words: null, unsaid: [], endsAfterSpeech: 'no', idleTimers: [] } as const;

/**
 * A reply of which nothing was heard is requested again, and so is one that waits for a tool. One that the caller has
 * begun to hear is said to its end, as far as it was generated: its engine has moved on.
 */
export function unfinishedOf(
  parts: Parts,
  state: State,
  endsAfterSpeech: EndsAfterSpeech,
  idleTimers: Deadlines,
): Unfinished {
  const { speech, replies, listening, service } = parts;
  if (state === 'ended') return nothing;
  const { current } = speech;
  const { pending } = replies;
  const isHeard = current?.isPlaying === true;
  const isOpening = pending?.kind === 'begin' || current?.source === 'begin';
  const waiting = service.all;
  // Something else may be heard first, such as that the call is recorded.
  const isOpeningHeard = isHeard && (pending?.kind !== 'begin' || replies.isCurrent(current.turn));
  if (state === 'opening' || (isOpening && !isOpeningHeard)) {
    return { ...nothing, isOpening: true, unsaid: waiting.filter(({ source }) => source !== 'begin') };
  }
  // Words that the caller said over speech which goes on wait for its end (rule 11).
  const isWaitedFor = state === 'agent' || state === 'closing';
  if (listening.input !== '' && !(isWaitedFor && endsAfterSpeech !== 'no')) {
    return { ...nothing, words: listening.input, unsaid: isWaitedFor ? [...restOf(parts), ...waiting] : waiting };
  }
  const isReplyHeard = isHeard && pending !== null && replies.isCurrent(current.turn);
  if (pending !== null && (!isReplyHeard || replies.isToolRunning)) {
    const words = pending.kind === 'response' ? pending.words : null;
    // A sentence of the reply itself is said again with it.
    const isOwn = current !== null && !replies.isCurrent(current.turn);
    return { ...nothing, words, unsaid: [...(isOwn ? restOf(parts) : []), ...waiting] };
  }
  const unsaid = [...restOf(parts), ...waiting];
  return { ...nothing, unsaid, endsAfterSpeech, idleTimers };
}

/** What is left of the utterance that is being said. */
function restOf({ speech }: Parts): readonly ServiceSpeech[] {
  const { current } = speech;
  if (current === null || current.source === 'waiting') return [];
  if (current.source === 'reminder' && !current.isPlaying) return [];
  const sentences = current.rest;
  return sentences.length === 0 ? [] : [{ source: current.source, sentences }];
}
