import { sourceOf } from '../../knowledge.ts';
import { fixedPhrases } from '../../text/fixed-phrases.ts';
import type { Engine } from '../engine.ts';
import { createSimpleEngine } from '../simple-engine.ts';
import { KnowledgeLookup, type LookupOptions } from './lookup.ts';
import { reportLooked } from './report.ts';

export interface KnowledgeTestOptions {
  /** Null: the agent has no knowledge bases. */
  readonly lookup: LookupOptions | null;
  readonly language: string;
  readonly state?: unknown;
}

/** The test model `test-knowledge`: says the text of the best chunk. */
export function createKnowledgeTestEngine(options: KnowledgeTestOptions): Engine {
  const { language, state } = options;
  const lookup = options.lookup && new KnowledgeLookup(options.lookup);
  const engine = createSimpleEngine(({ kind, words }, output) => {
    const say = (text: string): void => {
      output.text(text);
      output.end();
    };
    if (kind !== 'response' || lookup === null) {
      say(kind === 'begin' ? '' : kind === 'reminder' ? fixedPhrases(language).reminder : nothingFound);
      return { next: 0 };
    }
    const cancel = lookup.look(lookup.query(words), (looked) => {
      const best = looked.found?.type === 'hits' ? looked.found.result.hits[0] : undefined;
      reportLooked(looked, best === undefined ? [] : [sourceOf(best)], output);
      say(best?.chunkText ?? nothingFound);
    });
    return { next: 0, cancel };
  }, state);
  return {
    ...engine,
    prepare: (words) => lookup?.prepare(lookup.query(words)),
    accept(turn) {
      engine.accept(turn);
      lookup?.answered();
    },
    detach: () => lookup?.close(),
  };
}

const nothingFound = '(nothing found)';
