import type { Turn } from '../ports.ts';
import type { Command, TurnEvent } from '../turn/events.ts';
import type { TurnMachine } from '../turn/machine.ts';

/** How a conversation went, in whole milliseconds and counts. */
export interface Conversation {
  readonly agentSpeechMs: number;
  readonly callerSpeechMs: number;
  readonly overlapMs: number;
  readonly firstWordMs: number | null;
  readonly deadAirMs: number;
  readonly longestSilenceMs: number;
  readonly callerInterruptions: number;
  readonly agentInterruptions: number;
  readonly falseInterruptions: number;
  readonly reminders: number;
  readonly waitingSentences: number;
  readonly backchannels: number;
}

/** The same so far, for the session in which the call goes on. */
export interface EarlierConversation extends Conversation {
  /** How far into the call. */
  readonly untilMs: number;
  /** How long nobody had spoken by then. */
  readonly silenceMs: number;
}

const tracks = ['agent', 'caller', 'pending'] as const;
type Track = (typeof tracks)[number];

/** From this time on, the agent or the caller speaks, or a reply is pending; or no longer. */
interface Change {
  readonly at: number;
  readonly track: Track;
  readonly isOn: boolean;
}

/** Notes who spoke when. Detectors report late, so it is added up at the end. */
export class ConversationLog {
  private readonly changes: Change[] = [];
  private readonly agentStarts: number[] = [];
  private readonly unheardBackchannels = new Set<number>();
  private isPending = false;
  private isAgentOn = false;
  private readonly earlier: EarlierConversation | null;
  private readonly counts;

  constructor(earlier: EarlierConversation | null = null) {
    this.earlier = earlier;
    const { callerInterruptions = 0, falseInterruptions = 0, reminders = 0 } = earlier ?? {};
    const { waitingSentences = 0, backchannels = 0 } = earlier ?? {};
    this.counts = { callerInterruptions, falseInterruptions, reminders, waitingSentences, backchannels };
  }

  observe(event: TurnEvent, commands: readonly Command[], machine: TurnMachine, now: number): void {
    for (const command of commands) this.note(command, now);
    if (event.type === 'play.start' && this.unheardBackchannels.delete(event.utterance)) this.counts.backchannels += 1;
    const isPending = machine.state === 'thinking';
    if (isPending === this.isPending) return;
    this.isPending = isPending;
    this.changes.push({ at: now, track: 'pending', isOn: isPending });
  }

  committed({ role, source, interrupted }: Turn): void {
    if (role !== 'agent') return;
    if (interrupted) this.counts.callerInterruptions += 1;
    if (source === 'reminder') this.counts.reminders += 1;
    if (source === 'waiting') this.counts.waitingSentences += 1;
  }

  private note(command: Command, now: number): void {
    if (command.type === 'backchannel') this.unheardBackchannels.add(command.utterance);
    else if (command.type === 'pause') this.setAgent(now, false);
    else if (command.type === 'resume') this.setAgent(now, true);
    else if (command.type === 'emit') this.noteEvent(command.event);
  }

  private noteEvent(event: Extract<Command, { type: 'emit' }>['event']): void {
    if (event.type === 'false_interruption') this.counts.falseInterruptions += 1;
    if (event.type !== 'speech_started' && event.type !== 'speech_ended') return;
    const isOn = event.type === 'speech_started';
    if (event.role === 'caller') this.changes.push({ at: event.atMs, track: 'caller', isOn });
    else {
      if (isOn) this.agentStarts.push(event.atMs);
      this.setAgent(event.atMs, isOn);
    }
  }

  private setAgent(at: number, isOn: boolean): void {
    if (this.isAgentOn === isOn) return;
    this.isAgentOn = isOn;
    this.changes.push({ at, track: 'agent', isOn });
  }

  /** From the start of the call to its end, on its clock. */
  conversation(start: number, end: number): Conversation {
    const { untilMs: _, silenceMs: __, ...figures } = this.soFar(start, end);
    return figures;
  }

  soFar(start: number, end: number): EarlierConversation {
    const { earlier } = this;
    const sums = {
      agent: earlier?.agentSpeechMs ?? 0,
      caller: earlier?.callerSpeechMs ?? 0,
      overlap: earlier?.overlapMs ?? 0,
      deadAir: earlier?.deadAirMs ?? 0,
    };
    const isOn: Record<Track, boolean> = { agent: false, caller: false, pending: false };
    const starts = new Set(this.agentStarts);
    let agentInterruptions = earlier?.agentInterruptions ?? 0;
    let silence = earlier?.silenceMs ?? 0;
    let longestSilence = earlier?.longestSilenceMs ?? 0;
    let at = start + (earlier?.untilMs ?? 0);
    const advance = (to: number) => {
      const ms = Math.max(0, Math.min(to, end) - at);
      if (isOn.agent) sums.agent += ms;
      if (isOn.caller) sums.caller += ms;
      if (isOn.agent && isOn.caller) sums.overlap += ms;
      const isSilent = !isOn.agent && !isOn.caller;
      if (isSilent && isOn.pending) sums.deadAir += ms;
      silence = isSilent ? silence + ms : 0;
      longestSilence = Math.max(longestSilence, silence);
      at += ms;
    };
    for (const change of [...this.changes].sort((one, other) => one.at - other.at)) {
      advance(change.at);
      isOn[change.track] = change.isOn;
      const isStart = change.track === 'agent' && change.isOn && starts.delete(change.at);
      if (isStart && isOn.caller) agentInterruptions += 1;
    }
    advance(end);
    const first = this.agentStarts[0];
    const firstMs = first === undefined ? null : Math.max(0, Math.round(first - start));
    return {
      untilMs: Math.round(at - start),
      silenceMs: Math.round(silence),
      agentSpeechMs: Math.round(sums.agent),
      callerSpeechMs: Math.round(sums.caller),
      overlapMs: Math.round(sums.overlap),
      firstWordMs: earlier?.firstWordMs ?? firstMs,
      deadAirMs: Math.round(sums.deadAir),
      longestSilenceMs: Math.round(longestSilence),
      agentInterruptions,
      ...this.counts,
    };
  }
}
