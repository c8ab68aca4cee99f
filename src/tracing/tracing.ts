import type { Call } from '../contract/calls/call.ts';
import type { Turn } from '../contract/calls/turn.ts';
import type { MetricSource } from '../http/metric-source.ts';
import type { Llm } from '../voice/llm.ts';
import type { RecordedEvent, Tools } from '../voice/ports.ts';

/** A call whose conversation begins or continues in this process. */
export interface TracedCall {
  readonly call: Pick<Call, 'id' | 'dataStorageSetting'>;
  /** What the times of its turns are counted from, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The time of the call, in milliseconds since 1970. */
  readonly time: () => number;
}

/** What a turn says about itself, whatever is stored of its content. */
export type TracedTurn = Pick<Turn, 'index' | 'role' | 'source' | 'startMs' | 'endMs' | 'interrupted' | 'latency'>;

/** The conversation of a call in this process. */
export interface ConversationTrace {
  llm(llm: Llm): Llm;
  tools(tools: Tools): Tools;
  /** What the transcript records: also of tools that run elsewhere, on the phone line or the server of a custom LLM. */
  recorded(event: RecordedEvent): void;
  /** The W3C trace context that the request of a tool carries. */
  traceparent(toolCallId: string): string;
  /** The conversation ends here, or continues in another process. */
  close(): void;
}

/** Traces of calls. The code behind it is only loaded if they are sent somewhere. */
export interface Tracing {
  begin(traced: TracedCall): ConversationTrace;
  /** These turns of a call are stored. */
  turns(call: Call, turns: readonly TracedTurn[]): void;
  /** The end of a call is stored. */
  ended(call: Call, agentName: string | null): void;
  readonly metrics: readonly MetricSource[];
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}
