import type { Turn } from '../../ports.ts';

/** What a model, or a custom LLM server, sent in answer to one request, according to the transcript. */
export interface PastReply {
  readonly text: string;
  readonly tools: readonly NonNullable<Turn['toolCall']>[];
  /** From the request to the first text. */
  readonly firstTextMs: number;
}

/** The replies to one caller turn, in order; those before the first have no words. */
interface Answered {
  readonly words: string;
  readonly replies: readonly PastReply[];
}

const usualFirstTextMs = 400;

/** The replies of a call, by what they are replies to. */
function repliesOf(turns: readonly Turn[]): readonly Answered[] {
  const starts = turns.flatMap(({ role }, index) => (role === 'caller' ? [index] : []));
  return [-1, ...starts].map((start, place) => ({
    words: turns[start]?.text ?? '',
    replies: repliesIn(turns.slice(start + 1, starts[place])),
  }));
}

/** A tool ends a reply: what follows it is the next one. */
function repliesIn(turns: readonly Turn[]): PastReply[] {
  const replies: PastReply[] = [];
  let isOpen = false;
  for (const { role, source, text, unspokenText, toolCall, latency } of turns) {
    const last = replies.at(-1);
    if (toolCall !== null) {
      const current = isOpen && last !== undefined ? last : { text: '', tools: [], firstTextMs: usualFirstTextMs };
      if (isOpen) replies.pop();
      replies.push({ ...current, tools: [...current.tools, toolCall] });
      isOpen = true;
    } else if (role === 'agent' && source !== 'control' && source !== 'waiting' && source !== 'fallback') {
      const firstTextMs = latency?.llmFirstTokenMs ?? usualFirstTextMs;
      replies.push({ text: `${text}${unspokenText ?? ''}`, tools: [], firstTextMs });
      isOpen = true;
    }
  }
  return replies;
}

/**
 * Finds the reply to a request again, by the caller's last words and how often they were said. A reply that was canceled
 * is requested again, so that the next one is due only after it is complete.
 */
export function pastReplies(turns: readonly Turn[]) {
  const answered = repliesOf(turns);
  const next = answered.map(() => 0);
  const placeOf = (words: string, count: number): number => {
    const distance = (place: number) => Math.abs(place - count);
    const same = answered.flatMap((each, place) => (words !== '' && isSaidIn(each.words, words) ? [place] : []));
    const [closest] = same.toSorted((one, other) => distance(one) - distance(other));
    return closest ?? Math.min(count, answered.length - 1);
  };
  /** `count`: how many turns of the caller there are. */
  return (words: string, count: number) => {
    const place = placeOf(words, count);
    const { replies } = answered[place] as Answered;
    const index = Math.min(next[place] ?? 0, Math.max(0, replies.length - 1));
    const reply: PastReply = replies[index] ?? { text: '', tools: [], firstTextMs: usualFirstTextMs };
    return {
      reply,
      isLast: place === answered.length - 1 && index >= replies.length - 1,
      complete: (): void => {
        next[place] = index + 1;
      },
    };
  };
}

/** A turn may have been answered together with the one before. */
function isSaidIn(turn: string, words: string): boolean {
  const [one, other] = [turn, words].map((text) => text.replaceAll(/\s+/g, ' ').trim());
  return one !== undefined && one !== '' && (other?.endsWith(one) ?? false);
}
