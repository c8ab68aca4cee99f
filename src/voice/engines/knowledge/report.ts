import type { KnowledgeSource, KnowledgeUse } from '../../knowledge.ts';
import type { ReplyOutput } from '../engine.ts';
import { type Looked, resultTimeoutMs } from './lookup.ts';

/** Tells the call what a reply has waited for, and what it uses of it. A failure never costs the reply. */
export function reportLooked(
  { found, waitedMs, timedOut }: Looked,
  sources: readonly KnowledgeSource[],
  output: Pick<ReplyOutput, 'knowledge' | 'warn'>,
): void {
  // Nothing was searched.
  if (found === null && !timedOut) return;
  if (found === null || found.type === 'failed') {
    const cause = found === null ? `had no result after ${resultTimeoutMs} ms` : 'has failed';
    output.warn('knowledge_unavailable', `The search in the knowledge bases ${cause}: the reply goes on without it.`);
  }
  const none = { mode: 'lexical', tookMs: waitedMs } as const;
  const { mode, tookMs } = found?.type === 'hits' ? found.result : none;
  const use: KnowledgeUse = { mode, tookMs, timedOut, sources };
  output.knowledge(waitedMs, found === null || found.type === 'hits' ? use : null);
}
