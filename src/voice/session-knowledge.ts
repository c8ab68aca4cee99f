import type { KnowledgeSource, KnowledgeUse } from './knowledge.ts';
import type { RecordedEvent } from './ports.ts';

type Searched = Omit<Extract<RecordedEvent, { type: 'knowledge_searched' }>, 'type' | 'turnIndex'>;

/** Which searches the turns of an agent are based on. */
export class SessionKnowledge {
  /** What was used for the utterances that are not committed yet. */
  private readonly byUtterance = new Map<number, readonly KnowledgeUse[]>();
  private readonly reported = new WeakSet<KnowledgeUse>();

  /** The reply that these searches belong to says the utterance. */
  saying(utterance: number, searches: readonly KnowledgeUse[]): void {
    if (!this.byUtterance.has(utterance)) this.byUtterance.set(utterance, searches);
  }

  /** The utterance is committed: what its turn is based on, and those of its searches that no turn had before. */
  take(utterance: number): { readonly sources: readonly KnowledgeSource[]; readonly searched: readonly Searched[] } {
    const searches = this.byUtterance.get(utterance) ?? [];
    this.byUtterance.delete(utterance);
    const added = searches.filter((search) => !this.reported.has(search));
    for (const search of added) this.reported.add(search);
    return {
      sources: searches.flatMap(({ sources }) => sources),
      searched: added.map(({ mode, tookMs, timedOut, sources }) => {
        return { mode, results: sources.length, tookMs: Math.round(tookMs), timedOut };
      }),
    };
  }
}
