import type { Call } from '../../../contract/calls/call.ts';
import type { CallEventData, CallEventType } from '../../../contract/calls/call-events.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import type { EventTypeOf } from '../../../contract/webhooks/events.ts';
import { type Ending, endedCall } from './call.ts';
import type { StoredCall } from './call-row.ts';
import { contentDropped, storedTurnJson } from './storage-setting.ts';
import { type EventRow, type StoredEvent, type StoredTurn, turnEventRow } from './turns-and-events.ts';

/** A turn before it has a place in the transcript. */
export type NewTurn = Omit<Turn, 'index'>;

/** An event for webhooks. */
export interface OutboxEvent {
  readonly type: EventTypeOf<'call'>;
  readonly sequence: number;
  readonly data: object;
}

export interface LockedCallParts {
  readonly newId: (prefix: string) => string;
  readonly now: number;
}

/** The limits of what is recorded of a call. */
const maxTurns = 5000;
const maxEvents = 50_000;
const maxTranscriptBytes = 8 * 1024 * 1024;
/** A call ends while this much is left, so that the whole of its last message fits. */
const transcriptReserveBytes = 1024 * 1024;

/**
 * A call that is locked in a transaction, and the changes to write. Content is reduced to what the storage setting keeps
 * before it gets here, so that nothing else ever reaches the database.
 */
export class LockedCall {
  /** The call as it was read. */
  readonly before: StoredCall;
  /** A copy of its own, changed in place: a message has dozens of changes. */
  private readonly stored: StoredCall;
  readonly turns: StoredTurn[] = [];
  readonly events: StoredEvent[] = [];
  readonly outbox: OutboxEvent[] = [];
  private readonly parts: LockedCallParts;

  constructor(stored: StoredCall, parts: LockedCallParts) {
    this.stored = { ...stored };
    this.before = stored;
    this.parts = parts;
  }

  get row(): StoredCall {
    return this.stored;
  }

  get call(): Call {
    return this.stored.call;
  }

  get now(): number {
    return this.parts.now;
  }

  get nextTurn(): number {
    return this.stored.nextTurn;
  }

  /** Which limit of a call is reached, if any. */
  get limitReached(): string | null {
    if (this.stored.nextTurn >= maxTurns) return `${maxTurns} turns`;
    if (this.stored.nextEvent > maxEvents) return `${maxEvents} events`;
    const isFull = this.stored.transcriptBytes > maxTranscriptBytes - transcriptReserveBytes;
    return isFull ? 'a transcript of 8 MiB' : null;
  }

  /** How the call ends if it has reached one of its limits. */
  get endingByLimit(): Ending | null {
    const detail = this.limitReached;
    return detail === null ? null : { reason: 'max_duration', by: 'system', detail, at: this.now };
  }

  set(changes: Partial<Omit<StoredCall, 'call' | 'etag'>>): void {
    Object.assign(this.stored, changes);
  }

  setCall(changes: Partial<Call>): void {
    const updatedAt = new Date(this.now).toISOString();
    Object.assign(this.stored, { call: { ...this.call, ...changes, updatedAt } });
  }

  addEvent<T extends CallEventType>(type: T, data: CallEventData<T>, at = this.now): number {
    const head = this.nextEvent(type, at);
    const { callId, sequence } = head;
    this.events.push({ callId, sequence, type, doc: JSON.stringify({ ...head, data }) });
    return sequence;
  }

  /** In a call that is over, the end stays the last event: the caller moves it by one. */
  addEventBeforeEnd<T extends CallEventType>(type: T, data: CallEventData<T>): void {
    const { endedAt } = this.call;
    const head = this.nextEvent(type, endedAt === null ? this.now : Date.parse(endedAt));
    const { callId } = head;
    const sequence = head.sequence - 1;
    this.events.push({ callId, sequence, type, doc: JSON.stringify({ ...head, sequence, data }) });
  }

  /** Takes the next number. */
  private nextEvent(type: CallEventType, at: number) {
    const { startedAt, id: callId } = this.call;
    const sequence = this.stored.nextEvent;
    this.set({ nextEvent: sequence + 1 });
    const offsetMs = startedAt === null ? null : Math.max(0, at - Date.parse(startedAt));
    return { id: this.parts.newId('cev'), callId, sequence, type, at: new Date(at).toISOString(), offsetMs };
  }

  /** Adds a turn at the end of the transcript and returns its place. A tool that still runs is not completed. */
  addTurn(turn: NewTurn, isCompleted = true, at = this.now): number {
    const index = this.stored.nextTurn;
    this.set({ nextTurn: index + 1 });
    this.writeTurn({ ...turn, index }, isCompleted, at);
    return index;
  }

  /** Replaces a turn that is there already: a tool that has returned. */
  writeTurn(turn: Turn, isCompleted = true, at = this.now): void {
    const { index, role, source, startMs, endMs, interrupted, latency } = turn;
    const room = maxTranscriptBytes - this.stored.transcriptBytes;
    const { doc, isDropped } = storedTurnJson(inOrder(turn), this.call.dataStorageSetting, room);
    if (isDropped) this.addEvent('warning', contentDropped(`The content of turn ${index}`), at);
    // Without a transcript, there are no events of its turns either.
    const head = isCompleted && doc !== null ? this.nextEvent('turn_completed', at) : null;
    const event = head === null ? null : { sequence: head.sequence, doc: JSON.stringify(head) };
    this.turns.push({ index, role, source, startMs, endMs, interrupted, latency, event, doc });
    this.set({ transcriptBytes: this.stored.transcriptBytes + Buffer.byteLength(doc ?? turn.text) });
  }

  get hasNewEvents(): boolean {
    return this.stored.nextEvent > this.before.nextEvent;
  }

  /** The new events as readers of the store see them, in order. */
  get eventRows(): EventRow[] {
    const turns = this.turns.flatMap(({ event, doc }) =>
      event === null ? [] : [turnEventRow(event.sequence, event.doc, doc)],
    );
    return [...this.events, ...turns].sort((one, other) => one.sequence - other.sequence);
  }

  connect(at = this.now): void {
    const from = this.call.status;
    this.setCall({
      status: 'ongoing',
      startedAt: new Date(at).toISOString(),
      transcriptStatus: this.call.transcriptStatus === 'not_stored' ? 'not_stored' : 'live',
    });
    this.addEvent('state_changed', { from, to: 'ongoing', endReason: null }, at);
    this.publish('call_started', { call: this.call });
  }

  /** The phone at the other end rings. */
  ring(): void {
    const from = this.call.status;
    this.setCall({ status: 'ringing' });
    this.addEvent('state_changed', { from, to: 'ringing', endReason: null });
  }

  register(): void {
    this.setCall({ status: 'registered' });
    this.addEvent('state_changed', { from: 'queued', to: 'registered', endReason: null });
  }

  /** A skipped analysis is settled with the call, any other later. `isNew`: it is over from the start. */
  end(ending: Ending, keptUntil: number | null, analysis: Call['analysis'], isNew: boolean): void {
    const from = isNew ? null : this.call.status;
    const call = endedCall(this.call, ending, this.stored.nextTurn > 0, analysis);
    Object.assign(this.stored, { call, dueAt: keptUntil, owner: null, leaseUntil: null, state: null });
    this.addEvent('state_changed', { from, to: call.status, endReason: call.endReason }, ending.at);
    this.publish('call_ended', { call });
    if (analysis.status === 'skipped') this.publish('call_analyzed', { call });
  }

  publish(type: OutboxEvent['type'], data: object): void {
    this.outbox.push({ type, sequence: this.stored.nextSequence, data });
    this.set({ nextSequence: this.stored.nextSequence + 1 });
  }
}

/** The fields in the order of the contract, as readers expect them. */
export function inOrder(turn: Turn): Turn {
  const { index, role, source, text, unspokenText, startMs, endMs } = turn;
  const { words, interrupted, latency, sources, toolCall } = turn;
  return {
    index,
    role,
    source,
    text,
    unspokenText,
    startMs,
    endMs,
    words,
    interrupted,
    latency,
    sources,
    toolCall,
  };
}
