import type { AppliedKnowledgeSettings } from '../../../contract/agents/settings/knowledge.ts';
import type { Clock } from '../../clock.ts';
import type { Knowledge, KnowledgeDocument, KnowledgeQuery, KnowledgeResult } from '../../knowledge.ts';
import { type ModelTurn, previousCallerWords } from '../model/messages.ts';

/** If there is no result this long after the caller's turn, the reply goes on without knowledge. */
export const resultTimeoutMs = 150;

export interface LookupOptions {
  /** Null: nothing is searched, as in simulations. */
  readonly knowledge: Knowledge | null;
  readonly settings: AppliedKnowledgeSettings;
  readonly clock: Clock;
  /** The transcript so far. */
  readonly history: () => readonly ModelTurn[];
}

/** What to look up. `everything`: all documents, for a model that gets them in its instructions. */
export type Question = KnowledgeQuery | 'everything';

export type Found =
  | { readonly type: 'hits'; readonly result: KnowledgeResult }
  | { readonly type: 'everything'; readonly documents: readonly KnowledgeDocument[] }
  /** There are more documents than fit into the instructions. */
  | { readonly type: 'too_large' }
  | { readonly type: 'failed' };

/** What a reply has waited for. `found` is null if nothing came in time. */
export interface Looked {
  readonly found: Found | null;
  readonly waitedMs: number;
  /** There would have been more, or anything at all, later. */
  readonly timedOut: boolean;
}

interface Search {
  readonly key: string;
  found: Found | null;
  cancel: () => void;
  /** Tells the reply that waits for it; null if none does. */
  onFound: (() => void) | null;
  /** A reply has asked for it. */
  isUsed: boolean;
}

/**
 * Looks things up for the replies of a call. A search starts while the caller may still continue; the reply takes it over
 * if the words are still the same, and waits only for what is left of it.
 */
export class KnowledgeLookup {
  readonly #options: LookupOptions;
  #search: Search | null = null;

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  /** The caller's turn as a question. */
  query(words: string): KnowledgeQuery {
    return { words, previous: previousCallerWords(this.#options.history(), words) };
  }

  /** Starts a search, unless it is the one that is there. */
  prepare(question: Question): void {
    this.#searchFor(question);
  }

  /** Reports what was found once it is there, or when a reply must not wait any longer. */
  look(question: Question, onLooked: (looked: Looked) => void): () => void {
    const { clock, settings } = this.#options;
    const search = this.#searchFor(question);
    if (search === null) {
      onLooked({ found: null, waitedMs: 0, timedOut: false });
      return () => {};
    }
    search.isUsed = true;
    const startedAt = clock.now();
    let cancelTimer = () => {};
    const stop = (): void => {
      cancelTimer();
      search.onFound = null;
    };
    const finish = (): void => {
      stop();
      const { found } = search;
      onLooked({ found, waitedMs: clock.now() - startedAt, timedOut: !isComplete(found) });
    };
    const wait = (): void => {
      cancelTimer();
      const limitMs = search.found === null ? resultTimeoutMs : settings.waitMs;
      const leftMs = startedAt + limitMs - clock.now();
      if (isComplete(search.found) || leftMs <= 0) finish();
      else cancelTimer = clock.after(leftMs, finish);
    };
    search.onFound = wait;
    wait();
    return stop;
  }

  /** A turn is answered: the same words in the next one are another question. */
  answered(): void {
    if (this.#search?.isUsed === true) this.close();
  }

  /** Stops the search, unless a reply still waits for it. */
  close(): void {
    if (this.#search?.onFound === null) this.#search.cancel();
    this.#search = null;
  }

  #searchFor(question: Question): Search | null {
    const { knowledge } = this.#options;
    if (knowledge === null) return null;
    const key = JSON.stringify(question);
    if (this.#search?.key === key) return this.#search;
    this.close();
    const search: Search = { key, found: null, cancel: () => {}, onFound: null, isUsed: false };
    const onFound = (found: Found): void => {
      search.found = found;
      search.onFound?.();
    };
    search.cancel =
      question === 'everything'
        ? knowledge.readAll((documents) => onFound(allOf(documents)))
        : knowledge.search(question, (result) =>
            onFound(result === null ? { type: 'failed' } : { type: 'hits', result }),
          );
    this.#search = search;
    return search;
  }
}

function allOf(documents: readonly KnowledgeDocument[] | 'too_large' | null): Found {
  if (documents === null) return { type: 'failed' };
  return documents === 'too_large' ? { type: 'too_large' } : { type: 'everything', documents };
}

/** Whether nothing better follows. */
function isComplete(found: Found | null): boolean {
  return found !== null && (found.type !== 'hits' || found.result.isFinal);
}
