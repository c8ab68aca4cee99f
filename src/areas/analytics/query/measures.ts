import { conversationFields } from '../../../contract/analytics/fields.ts';
import { type Measure, usageFields } from '../../../contract/analytics/metrics.ts';
import { conversationColumns, usageColumns } from '../facts/columns.ts';

/** A number of each call: the columns that it is computed of, and how; NaN for none. */
export interface MeasureColumns {
  readonly columns: readonly string[];
  /** Without it, the number is the only column. */
  readonly compute?: (...values: number[]) => number;
}

const flag = (condition: string): MeasureColumns => ({ columns: [`CASE WHEN ${condition} THEN 1 ELSE 0 END`] });
const when = (condition: string, column: string): MeasureColumns => ({
  columns: [`CASE WHEN ${condition} THEN ${column} END`],
});

const isConnected = 'started_at IS NOT NULL';
const hasConversation = 'agent_speech_ms IS NOT NULL';

const fixed = {
  calls: { columns: [], compute: () => 1 },
  connectedCalls: flag(isConnected),
  errorCalls: flag("status = 'error'"),
  successfulCalls: flag('analysis_successful = 1'),
  judgedCalls: flag('analysis_successful IS NOT NULL'),
  analyzedCalls: flag("analysis_status = 'completed'"),
  durationMs: when(isConnected, 'duration_ms'),
  agentTurns: when(isConnected, 'agent_turns'),
  callerTurns: when(isConnected, 'caller_turns'),
  toolCalls: when(isConnected, 'tool_calls'),
  toolErrors: { columns: ['tool_errors'] },
  callToolCalls: { columns: ['tool_calls'] },
  'conversation.agentTurns': when(hasConversation, 'agent_turns'),
  'conversation.talkRatio': {
    columns: ['agent_speech_ms', 'caller_speech_ms'],
    // 0 / 0 is NaN: nobody spoke.
    compute: (agentMs: number, callerMs: number) => agentMs / (agentMs + callerMs),
  },
  cost: { columns: ['cost_micros'] },
  unpricedCalls: flag('cost_micros IS NULL'),
} as const satisfies Partial<Record<Measure, MeasureColumns>>;

type Rest = Exclude<Measure, keyof typeof fixed>;

const conversation = Object.keys(conversationFields).map((name) => [
  `conversation.${name}`,
  { columns: [conversationColumns[name as keyof typeof conversationColumns]] },
]);

const usage = Object.keys(usageFields).flatMap((name) => {
  const column = usageColumns[name as keyof typeof usageColumns];
  return [
    [`usage.${name}`, { columns: [column] }],
    [`connected.usage.${name}`, when(isConnected, column)],
  ];
});

export const measures: Readonly<Record<Measure, MeasureColumns>> = {
  ...fixed,
  ...(Object.fromEntries([...conversation, ...usage]) as Record<Rest, MeasureColumns>),
};
