import { checkEvents, type Shown } from '../calls/check.ts';
import { type Asks, words } from './asks.ts';
import type { SpokenCall } from './spoken.ts';

/** What was said is there once and in order, with replies that follow it, and the caller has hung up. */
export function checkSpokenCall(
  { id, words: said }: SpokenCall,
  { call, turns, events }: Shown,
  asks: Asks,
  found: (what: string) => void,
): { readonly stored: number } {
  if (turns === null) throw new Error('spoken calls store their transcript');
  if (call.status !== 'ended' || call.endReason !== 'caller_hangup')
    found(`a spoken call is ${call.status} (${call.endReason}), although its caller hung up`);
  checkEvents({ call, turns, events }, (what) => found(`spoken: ${what}`));
  if (turns.some(({ index }, place) => index !== place)) found('spoken: the numbers of the turns have a gap');
  let lastWord = -1;
  let lastAsk = -1;
  let lastAnswered = -1;
  const stored = new Set<string>();
  for (const { role, text } of turns) {
    if (role === 'caller') {
      for (const word of text.match(words) ?? []) {
        if (stored.has(word)) found('spoken: a word of the caller is there twice');
        stored.add(word);
        const place = said.indexOf(word);
        if (place === -1) found('spoken: a word is there that its caller has not said');
        else if (place < lastWord) found('spoken: the words of the caller are in another order');
        lastWord = Math.max(lastWord, place);
      }
      continue;
    }
    for (const number of asks.answeredIn(text)) {
      const ask = asks.all[number];
      if (ask === undefined || ask.callId !== id) {
        found('spoken: an answer is there that nobody has given in this call');
        continue;
      }
      if (number < lastAsk) found('spoken: an answer to an earlier question comes after a later one');
      lastAsk = Math.max(lastAsk, number);
      const place = said.indexOf(ask.word);
      if (!stored.has(ask.word)) found('spoken: an answer comes before what it answers');
      if (place < lastAnswered) found('spoken: a word is answered after a later one');
      lastAnswered = Math.max(lastAnswered, place);
    }
  }
  return { stored: stored.size };
}
