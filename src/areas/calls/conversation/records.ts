import type { Call } from '../../../contract/calls/call.ts';
import type { CallEventData, CallEventType } from '../../../contract/calls/call-events.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import type { ModelUsage } from '../../../voice/llm.ts';
import type { RecordedEvent } from '../../../voice/ports.ts';
import { isUnfinished } from '../../../voice/tools/tool.ts';
import { inOrder, type LockedCall } from '../record/locked-call.ts';
import { storedKeys } from '../record/storage-setting.ts';

/** What was said and happened, in order, until it is written. `at`: when, if not when it is written. */
export type ConversationRecord =
  | { readonly type: 'turn'; readonly turn: Turn; readonly at?: number }
  | { readonly type: 'event'; readonly event: RecordedEvent; readonly at?: number };

/** Where the turns of a running reply are in the transcript. */
export interface TurnPlaces {
  /** By the number that the session gave them. */
  readonly byNumber: ReadonlyMap<number, number>;
  /** Tool turns are written twice. */
  readonly byToolCall: ReadonlyMap<string, number>;
}

export function placesOf(resumed: readonly Turn[]): TurnPlaces {
  const tools = resumed.flatMap(({ index, toolCall }) => (toolCall === null ? [] : [[toolCall.id, index] as const]));
  return { byNumber: new Map(), byToolCall: new Map(tools) };
}

/** Adds what has happened to a call. Changes nothing else, because a transaction may run again. */
export function writeRecords(
  records: readonly ConversationRecord[],
  locked: LockedCall,
  places: TurnPlaces,
): { readonly turns: readonly Turn[]; readonly places: TurnPlaces } {
  const byNumber = new Map(places.byNumber);
  const byToolCall = new Map(places.byToolCall);
  const turns: Turn[] = [];
  for (const record of records) {
    if (record.type === 'event') {
      writeEvent(record.event, locked, byNumber, record.at);
      continue;
    }
    const { index: number, ...content } = record.turn;
    const { toolCall } = content;
    const isCompleted = toolCall === null || !isUnfinished(toolCall);
    const known = toolCall === null ? undefined : byToolCall.get(toolCall.id);
    const index = known ?? locked.addTurn(content, isCompleted, record.at);
    if (known !== undefined) locked.writeTurn({ ...content, index }, isCompleted, record.at);
    byNumber.set(number, index);
    if (toolCall !== null) byToolCall.set(toolCall.id, index);
    turns.push(inOrder({ ...content, index }));
  }
  return { turns, places: { byNumber, byToolCall } };
}

function writeEvent(
  event: RecordedEvent,
  locked: LockedCall,
  places: ReadonlyMap<number, number>,
  at: number | undefined,
): void {
  if (event.type === 'dtmf_received') {
    locked.addEvent('dtmf_received', { digits: storedKeys(event.digits, locked.call.dataStorageSetting) }, at);
    return;
  }
  const { type, ...data } = event;
  const placed = 'turnIndex' in data ? { ...data, turnIndex: places.get(data.turnIndex) ?? data.turnIndex } : data;
  locked.addEvent(type, placed as CallEventData<CallEventType>, at);
}

/** With the later state of tool turns. */
export function merged(before: readonly Turn[], after: readonly Turn[]): readonly Turn[] {
  if (after.length === 0) return before;
  const all = new Map([...before, ...after].map((turn) => [turn.index, turn]));
  return [...all.values()].sort((one, other) => one.index - other.index);
}

export function isKeptAfterFailure(record: ConversationRecord): boolean {
  return record.type === 'turn' ? record.turn.role !== 'agent' : record.event.type !== 'latency_exceeded';
}

/** What the agent says after its tools is not kept before the reply is complete: a repeated request gets it again. */
export function upToLastTool(records: readonly ConversationRecord[]): readonly ConversationRecord[] {
  const last = records.findLastIndex((record) =>
    record.type === 'turn' ? record.turn.role === 'tool' : ['tool_called', 'tool_returned'].includes(record.event.type),
  );
  return records.slice(0, last + 1);
}

/** What the call has used so far, with what its engine reports. `replies`: how many were requested since. */
export function usageOf(call: Call, models: readonly ModelUsage[], replies: number): Call['usage'] {
  const { usage, engine } = call;
  if (engine === 'test') {
    const before = usage.breakdown[0]?.requests ?? 0;
    const entry = { provider: 'test', model: usage.llm.model, requests: before + replies, ...noTokens };
    return before + replies === 0 ? usage : { ...usage, breakdown: [{ capability: 'llm', ...entry, ...noMedia }] };
  }
  if (models.length === 0) return usage;
  const sum = (name: keyof typeof noTokens) => models.reduce((total, model) => total + model[name], 0);
  const [promptTokens, cachedTokens, completionTokens] = [
    sum('promptTokens'),
    sum('cachedTokens'),
    sum('completionTokens'),
  ];
  const totalTokens = promptTokens + completionTokens;
  return {
    ...usage,
    llm: { ...usage.llm, promptTokens, cachedTokens, completionTokens, totalTokens },
    breakdown: models.map(({ model: _, sentModel, ...entry }) => ({
      capability: 'llm',
      ...entry,
      model: sentModel,
      ...noMedia,
    })),
  };
}

const noTokens = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };
const noMedia = { audioMs: 0, characters: 0 };
