import type { Clock } from './clock.ts';
import type { ReplyKind } from './engines/engine.ts';
import { latencyOf, noTimes, type ReplyTimes } from './latency.ts';
import type { TurnLatency } from './ports.ts';
import type { Command, State, TurnEvent } from './turn/events.ts';
import type { TurnMachine } from './turn/machine.ts';

/** When the caller and the agent speak in a session, and what its replies take. */
export class SessionTimes {
  private readonly clock: Clock;
  /** When the call was connected. */
  readonly startedAt: number;
  private readonly isChat: boolean;
  private times: ReplyTimes = noTimes();
  /** Times of a sound that is heard while a reply is pending. They count only if its words are answered instead. */
  private nextTimes: ReplyTimes | null = null;
  /** The first utterance after the caller's words. */
  private firstUtterance = 0;
  /** When the utterances that are not committed yet were first heard, and with which times. */
  private readonly heardAt = new Map<number, { startMs: number; times: ReplyTimes }>();
  private callerStart: number | null = null;
  private callerEnd: number | null = null;

  constructor(clock: Clock, startedAt: number, isChat: boolean) {
    this.clock = clock;
    this.startedAt = startedAt;
    this.isChat = isChat;
  }

  private get now(): number {
    return this.clock.now();
  }

  get elapsedMs(): number {
    return this.now - this.startedAt;
  }

  observe(event: TurnEvent, { state, callerWords }: Pick<TurnMachine, 'state' | 'callerWords'>) {
    switch (event.type) {
      case 'vad.start':
        // Sound while a turn is open continues it; any other may be the start of the next.
        if (!isTurnOpen(state)) this.callerStart = null;
        this.callerStart ??= event.since;
        return;
      case 'vad.end':
        this.callerEnd = event.since;
        this.nextTimes = { ...noTimes(), speechEnd: event.since, vadEnd: this.now };
        return state === 'thinking' ? undefined : this.take(this.nextTimes);
      case 'stt.final':
        (this.nextTimes ?? this.times).sttFinal = this.now;
        break;
      case 'text':
        // A sound without words before it is not a part of it.
        if (callerWords === '') this.callerStart = null;
        this.callerStart ??= this.now;
        this.callerEnd = this.now;
        // The first message arrives before the call that it starts: no latency is longer than the call.
        return this.take({ ...noTimes(), speechEnd: Math.max(this.startedAt, event.receivedAt ?? this.now) });
    }
  }

  private take(next: ReplyTimes | null) {
    this.times = next ?? this.times;
    this.nextTimes = null;
  }

  /** A reply is requested. `waitedUntil`: when the timer should have fired that was waited for. */
  requested(kind: ReplyKind, waitedUntil: number | null): ReplyTimes {
    this.take(kind === 'response' ? this.nextTimes : noTimes());
    const { times, now } = this;
    times.request = now;
    times.waitEnd = waitedUntil ?? now;
    // A reply that was canceled before anything was sent took none of the caller's time.
    if (times.firstFrameSent === null) {
      times.knowledgeMs = null;
      times.firstToken = null;
      times.firstSentence = null;
      times.ttsRequest = null;
    }
    return times;
  }

  saying({ utterance, source }: Extract<Command, { type: 'say' }>) {
    // A waiting sentence is what the caller hears first: the latency of the reply ends with it.
    if ((source !== 'engine' && source !== 'waiting') || this.times.ttsRequest !== null) return;
    this.firstUtterance = utterance;
    this.times.ttsRequest = this.now;
  }

  sent(utterance: number) {
    if (utterance === this.firstUtterance) this.times.firstFrameSent ??= this.now;
  }

  /** Silence at its start is not heard: the reply takes until the first sound is played, if it arrives in time or later. */
  audible(utterance: number, silentMs: number, inPieceMs: number) {
    const { times } = this;
    if (utterance !== this.firstUtterance || times.firstFrameSent === null) return;
    times.firstFrameSent = Math.max(times.firstFrameSent + silentMs, this.now + inPieceMs);
  }

  /** The caller began to hear an utterance so long ago, whatever their side claims. Returns when. */
  heard(utterance: number, msAgo: number): number {
    const since = Math.max(this.startedAt, this.now - msAgo);
    this.heardAt.set(utterance, { startMs: since - this.startedAt, times: this.times });
    return since;
  }

  /** The times of the caller's turn that is committed now. */
  takeCallerTurn(): { readonly startMs: number; readonly endMs: number } {
    const endMs = (this.callerEnd ?? this.now) - this.startedAt;
    const startMs = Math.min((this.callerStart ?? this.now) - this.startedAt, endMs);
    this.callerStart = null;
    return { startMs, endMs };
  }

  /** The times of the agent's turn that is committed now. */
  takeAgentTurn(utterance: number, isReply: boolean) {
    const heard = this.heardAt.get(utterance);
    this.heardAt.delete(utterance);
    const endMs = this.elapsedMs;
    const latency: TurnLatency | null = isReply && heard !== undefined ? latencyOf(heard.times, this.isChat) : null;
    return { startMs: heard?.startMs ?? endMs, endMs, latency };
  }
}

function isTurnOpen(state: State): boolean {
  return state === 'caller' || state === 'endpoint' || state === 'thinking';
}
