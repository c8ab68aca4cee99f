import { fixedPhrases } from '../text/fixed-phrases.ts';
import type { Engine } from './engine.ts';
import { sentencesOf } from './flow/sentences.ts';
import { createSimpleEngine } from './simple-engine.ts';

/** Replies while no language model is connected: repeats what it heard and says so. It never pretends. */
export function createRehearsalEngine({ language, state }: { language: string; state?: unknown }): Engine {
  const { rehearsal, rehearsalOpening } = sentencesOf(language);
  return createSimpleEngine(({ kind, words }, output) => {
    if (kind === 'reminder') output.text(fixedPhrases(language).reminder);
    else output.text(kind === 'begin' ? rehearsalOpening : rehearsal(words));
    output.end();
    return { next: 0 };
  }, state);
}
