import { type KnowledgeHit, type KnowledgeQuery, sourceOf } from '../../knowledge.ts';
import { cutAtSentence } from '../../text/cut.ts';
import type { ReplyOutput } from '../engine.ts';
import { KnowledgeLookup, type LookupOptions } from './lookup.ts';
import { reportLooked } from './report.ts';

/** The longest answer that is said. */
const maxAnswerCharacters = 2000;

/** Answers that are said word for word, as `answer` skills do: no model is needed. */
export class Answers {
  readonly #options: LookupOptions;
  readonly #lookup: KnowledgeLookup;

  constructor(options: LookupOptions) {
    this.#options = options;
    this.#lookup = new KnowledgeLookup(options);
  }

  prepare(words: string): void {
    this.#lookup.prepare(this.#query(words));
  }

  /** Reports the answer of the best question, or null if none is good enough. Returns how to cancel. */
  find(
    words: string,
    minScore: number,
    output: Pick<ReplyOutput, 'knowledge' | 'warn'>,
    onAnswer: (answer: string | null) => void,
  ): () => void {
    return this.#lookup.look(this.#query(words), (looked) => {
      const { found } = looked;
      const hit = found?.type === 'hits' ? found.result.hits.find((each) => this.#isGood(each, minScore)) : undefined;
      reportLooked(looked, hit === undefined ? [] : [sourceOf(hit)], output);
      onAnswer(hit?.answer == null ? null : cutAtSentence(hit.answer, maxAnswerCharacters));
    });
  }

  /** A turn is answered. */
  answered(): void {
    this.#lookup.answered();
  }

  close(): void {
    this.#lookup.close();
  }

  /** The score of a hybrid search is a rank, so each of its two parts is compared with what it can be compared with. */
  #isGood({ answer, lexicalScore, semanticScore }: KnowledgeHit, minScore: number): boolean {
    if (answer === null || answer === '') return false;
    const { minSemanticScore } = this.#options.settings;
    return lexicalScore >= minScore || (semanticScore !== null && semanticScore >= minSemanticScore);
  }

  /** Without the turn before: the answer to an earlier question must not be said again. */
  #query(words: string): KnowledgeQuery {
    return { words, previous: null, answersOnly: true };
  }
}
