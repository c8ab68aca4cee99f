import { readableEnglish } from './english-text.ts';
import { readableJapanese } from './japanese-text.ts';
import type { SpeakingOptions } from './messages.ts';

/** What the program is given of a text. Empty: it has no words for it, such as for those in another script. */
export function readableFor(program: SpeakingOptions['program']): (text: string) => string {
  return program === 'flite' ? readableEnglish : readableJapanese;
}
