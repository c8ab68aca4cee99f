import { analysisContract } from '../../contract/analysis/index.ts';
import { type Clock, realClock } from '../../voice/clock.ts';
import type { Llm } from '../../voice/llm.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { type AnalyzedCalls, createAnalyses } from './analyses.ts';
import { type Analyzer, createAnalyzer } from './extraction/analyze.ts';
import { type AnalysisRequests, createAnalysisRequests } from './requests.ts';
import { analysisRoutes, type ReadVersion } from './routes.ts';
import { createAnalysisStore, storedAnalyses } from './store.ts';

export interface AnalysisSettings {
  /** The language model of a workspace. Null: none is connected. */
  readonly llmOf: (workspaceId: string) => Llm | null;
  readonly clock?: Clock | undefined;
}

export interface AnalysisArea extends Pick<AnalysisRequests, 'begin' | 'rewrite' | 'remove'> {
  readonly area: Area;
}

/** What a language model extracts from calls after they have ended. */
export function createAnalysis(
  { database, jobs, newId, now }: Kernel,
  { llmOf, clock = realClock }: AnalysisSettings,
  calls: AnalyzedCalls,
  readVersion: ReadVersion,
): AnalysisArea {
  const store = createAnalysisStore(database);
  const withoutModel = createAnalyzer({ llm: null, clock });
  // What one learns about its models is not true for those of another account.
  const analyzers = new WeakMap<Llm, Analyzer>();
  const analyzerOf = (workspaceId: string): Analyzer => {
    const llm = llmOf(workspaceId);
    if (llm === null) return withoutModel;
    const known = analyzers.get(llm) ?? createAnalyzer({ llm, clock });
    analyzers.set(llm, known);
    return known;
  };
  const hasModel = (workspaceId: string): boolean => llmOf(workspaceId) !== null;
  const requests = createAnalysisRequests({ store, jobs, newId, now, hasModel });
  const analyses = createAnalyses({ database, store, jobs, now, clock, analyzerOf, calls });
  return {
    begin: requests.begin,
    rewrite: requests.rewrite,
    remove: requests.remove,
    area: defineArea(analysisContract, {
      handlers: analysisRoutes({ database, store, analyses, requests, analyzerOf, hasModel, calls, readVersion, now }),
      jobs: [analyses.job],
      tasks: [{ name: 'settle overdue analyses', everyMs: 1000, run: analyses.sweep }],
      documents: storedAnalyses(database),
    }),
  };
}
