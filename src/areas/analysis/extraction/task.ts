import type { Agent } from '../../../contract/agents/agent.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { Turn } from '../../../contract/calls/turn.ts';

export type AnalysisItem = Agent['postCallAnalysisData'][number];
export type Evidence = NonNullable<Call['analysis']['evidence']['successful']>;
export type AnalysisIssue = Call['analysis']['issues'][number];
export type Sentiment = Call['analysis']['sentiment'];

/** What to extract: the same for every call of an agent version. */
export interface AnalysisPlan {
  readonly model: string;
  readonly items: readonly AnalysisItem[];
  /** The language of the summary and of rationales. */
  readonly language: string;
  /** Replace the usual instructions. */
  readonly summaryPrompt: string | null;
  readonly successPrompt: string | null;
}

/** What was asked for. It is stored, because the agent may change before the model is asked. */
export interface AnalysisRequest {
  readonly plan: AnalysisPlan;
  /** The time zone of the call. */
  readonly timeZone: string;
}

/** What to extract it from. */
export interface AnalyzedCall {
  readonly startedAt: number;
  readonly timeZone: string;
  readonly language: string;
  readonly turns: readonly Turn[];
}

/** What a call says, after every check. */
export interface Findings {
  readonly summary: string | null;
  readonly successful: boolean | null;
  readonly sentiment: Sentiment;
  readonly data: Call['analysis']['data'];
  readonly evidence: Call['analysis']['evidence'];
  readonly issues: readonly AnalysisIssue[];
}

/** Characters, in code points: a cut never splits one. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('');
}

export const maxText = 2000;
export const maxQuote = 500;
