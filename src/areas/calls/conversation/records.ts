import type { CallEventData, CallEventType } from '../../../contract/calls/call-events.ts';
import type { ControlCall } from '../../../contract/calls/requests.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import type { RecordedEvent } from '../../../voice/ports.ts';
import { isUnfinished } from '../../../voice/tools/tool.ts';
import { inOrder, type LockedCall } from '../record/locked-call.ts';
import { storedKeys } from '../record/storage-setting.ts';

/** What was said and happened, in order, until it is written. `at`: when, if not when it is written. */
export type ConversationRecord =
  | { readonly type: 'turn'; readonly turn: Turn; readonly at?: number }
  | { readonly type: 'event'; readonly event: RecordedEvent; readonly at?: number }
  | ControlRecord;

/** An action of the API. */
export interface ControlRecord {
  readonly type: 'control';
  readonly action: ControlCall['action'];
  readonly at: number;
  /** The number of its call event, once it is stored. */
  sequence: number | null;
}

/** Where the turns of a conversation are in the transcript. */
interface TurnPlaces {
  /** By the number that the session gave them. */
  readonly byNumber: ReadonlyMap<number, number>;
  /** Tool turns are written twice. */
  readonly byToolCall: ReadonlyMap<string, number>;
}

/** The result of adding records to a call in a transaction that may still fail. */
export interface WrittenRecords {
  readonly turns: readonly Turn[];
  readonly places: TurnPlaces;
  readonly sequences: ReadonlyMap<ControlRecord, number>;
}

/** What has happened in a conversation and is not in the database yet. */
export class UnwrittenRecords {
  #records: ConversationRecord[] = [];
  #places: TurnPlaces;

  /** `known`: turns that are stored, among them tools whose result is still to come. */
  constructor(known: readonly Turn[]) {
    const tools = known.flatMap(({ index, toolCall }) => (toolCall === null ? [] : [[toolCall.id, index] as const]));
    this.#places = { byNumber: new Map(), byToolCall: new Map(tools) };
  }

  /** A copy: what happens during a transaction is written by the next one. */
  get all(): readonly ConversationRecord[] {
    return [...this.#records];
  }

  /** How many of them are turns without a place: the result of a tool changes a turn that has one. */
  get newTurns(): number {
    const { byToolCall } = this.#places;
    const isNew = (record: ConversationRecord) =>
      record.type === 'turn' && (record.turn.toolCall === null || !byToolCall.has(record.turn.toolCall.id));
    return this.#records.filter(isNew).length;
  }

  add(record: ConversationRecord): void {
    this.#records.push(record);
  }

  /** Adds records to a call. Changes nothing else, because a transaction may run again. */
  writeInto(locked: LockedCall, records: readonly ConversationRecord[]): WrittenRecords {
    const byNumber = new Map(this.#places.byNumber);
    const byToolCall = new Map(this.#places.byToolCall);
    const sequences = new Map<ControlRecord, number>();
    const turns: Turn[] = [];
    for (const record of records) {
      if (record.type === 'turn') {
        const turn = writeTurn(record, locked, byToolCall);
        byNumber.set(record.turn.index, turn.index);
        turns.push(turn);
      } else if (record.type === 'event') writeEvent(record.event, locked, byNumber, record.at);
      else sequences.set(record, locked.addEvent('control_applied', { action: record.action }, record.at));
    }
    return { turns, places: { byNumber, byToolCall }, sequences };
  }

  /** The first records are in the database now. More may have been added meanwhile. */
  settle(records: readonly ConversationRecord[], { places, sequences }: WrittenRecords): void {
    this.#records = this.#records.slice(records.length);
    this.#places = places;
    for (const [control, sequence] of sequences) control.sequence = sequence;
  }
}

function writeTurn(
  { turn, at }: Extract<ConversationRecord, { type: 'turn' }>,
  locked: LockedCall,
  byToolCall: Map<string, number>,
): Turn {
  const { index: _, ...content } = turn;
  const { toolCall } = content;
  const isCompleted = toolCall === null || !isUnfinished(toolCall);
  const known = toolCall === null ? undefined : byToolCall.get(toolCall.id);
  const index = known ?? locked.addTurn(content, isCompleted, at);
  if (known !== undefined) locked.writeTurn({ ...content, index }, isCompleted, at);
  if (toolCall !== null) byToolCall.set(toolCall.id, index);
  return inOrder({ ...content, index });
}

function writeEvent(
  event: RecordedEvent,
  locked: LockedCall,
  places: ReadonlyMap<number, number>,
  at: number | undefined,
): void {
  if (event.type === 'dtmf_received' || event.type === 'dtmf_sent') {
    locked.addEvent(event.type, { digits: storedKeys(event.digits, locked.call.dataStorageSetting) }, at);
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
