import { analysisContract } from '../../contract/analysis/index.ts';
import { type Clock, realClock } from '../../voice/clock.ts';
import type { Llm } from '../../voice/llm.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { type AnalyzedCalls, createAnalyses } from './analyses.ts';
import { createAnalyzer } from './extraction/analyze.ts';
import { type AnalysisRequests, createAnalysisRequests } from './requests.ts';
import { analysisRoutes, type ReadVersion } from './routes.ts';
import { createAnalysisStore, storedAnalyses } from './store.ts';

export interface AnalysisSettings {
  /** Null: no language model is connected. */
  readonly llm: Llm | null;
  readonly clock?: Clock | undefined;
}

export interface AnalysisArea extends Pick<AnalysisRequests, 'begin' | 'rewrite' | 'remove'> {
  readonly area: Area;
}

/** What a language model extracts from calls after they have ended. */
export function createAnalysis(
  { database, jobs, newId, now }: Kernel,
  { llm, clock = realClock }: AnalysisSettings,
  calls: AnalyzedCalls,
  readVersion: ReadVersion,
): AnalysisArea {
  const store = createAnalysisStore(database);
  const analyze = createAnalyzer({ llm, clock });
  const hasModel = llm !== null;
  const requests = createAnalysisRequests({ store, jobs, newId, now, hasModel });
  const analyses = createAnalyses({ database, store, jobs, now, clock, analyze, calls });
  return {
    begin: requests.begin,
    rewrite: requests.rewrite,
    remove: requests.remove,
    area: defineArea(analysisContract, {
      handlers: analysisRoutes({ database, store, analyses, requests, analyze, hasModel, calls, readVersion, now }),
      jobs: [analyses.job],
      tasks: [{ name: 'settle overdue analyses', everyMs: 1000, run: analyses.sweep }],
      documents: storedAnalyses(database),
    }),
  };
}
