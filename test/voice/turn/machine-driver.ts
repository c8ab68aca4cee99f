import type { Command, LanguageRules, TimerName, TurnEvent, TurnPolicy } from '../../../src/voice/turn/events.ts';
import { TurnMachine } from '../../../src/voice/turn/machine.ts';

const language: LanguageRules = {
  countWords: (text) => text.split(/\s+/).filter((word) => word !== '').length,
  isAcknowledgment: (text) => /^(?:yeah|okay|mhm|\s|[.,])+$/i.test(text),
  hint: (words) => (/[.?!]$/.test(words) ? 'finished' : /,$/.test(words) ? 'open' : undefined),
  waitingText: 'One moment, please.',
  fallbackText: 'Sorry, could you say that again?',
};

export const basePolicy: TurnPolicy = {
  isChat: false,
  language,
  opening: { kind: 'wait', text: '', delayMs: 0 },
  endpointMs: 1000,
  finishedEndpointMs: 200,
  openEndpointMs: 2500,
  isInterruptible: true,
  bargeInMs: 200,
  bargeInWords: 0,
  echoMs: 0,
  falseInterruptionMs: 1500,
  holdMs: 3000,
  digitsMs: 2500,
  lateAcknowledgmentMs: 1000,
  reminderMs: 10_000,
  reminderMax: 1,
  silenceMs: 60_000,
  maxMs: 600_000,
  sttWaitMs: 1000,
  isSttAccurate: false,
  hasPartials: true,
  noiseMs: 2500,
  replyTimeoutMs: 15_000,
  replyCompleteMs: 30_000,
  maxFailedReplies: 3,
  waitingMs: 4000,
  toolWaitingMs: 2000,
  firstAudioMs: 3500,
  stalledPlaybackMs: 5000,
  clearMs: 250,
  drainMs: 2000,
  lostMs: 30_000,
  backchannel: null,
};

type Logged = Command & { readonly atMs: number };

/** A machine with the timers that it sets: events happen when the test says so, timers when they are due. */
export class MachineDriver {
  readonly machine: TurnMachine;
  readonly log: Logged[] = [];
  private readonly timers = new Map<TimerName, number>();
  now = 0;

  constructor(policy: Partial<TurnPolicy> = {}) {
    this.machine = new TurnMachine({ ...basePolicy, ...policy });
    this.send({ type: 'connected' });
  }

  get state() {
    return this.machine.state;
  }

  send(event: TurnEvent): this {
    for (const command of this.machine.step(event, this.now)) {
      this.log.push({ ...command, atMs: this.now });
      if (command.type === 'timer.set') this.timers.set(command.name, Math.max(this.now, command.at));
      if (command.type === 'timer.unset') this.timers.delete(command.name);
    }
    return this;
  }

  /** Lets time pass, and the timers that are due fire. */
  wait(ms: number): this {
    const until = this.now + ms;
    for (;;) {
      const next = [...this.timers].sort((one, other) => one[1] - other[1])[0];
      if (next === undefined || next[1] > until) break;
      this.timers.delete(next[0]);
      this.now = next[1];
      this.send({ type: 'timer', name: next[0] });
    }
    this.now = until;
    return this;
  }

  get pendingTimers(): TimerName[] {
    return [...this.timers.keys()];
  }

  deadlineOf(name: TimerName): number {
    return this.timers.get(name) ?? this.now;
  }

  /** Only this timer, whatever else is due. */
  fire(name: TimerName): this {
    this.timers.delete(name);
    return this.send({ type: 'timer', name });
  }

  /** The caller speaks for a time, and is understood as soon as they stop. */
  say(text: string, ms = 1000): this {
    const since = this.now;
    this.send({ type: 'vad.start', since });
    this.wait(ms / 2).send({ type: 'stt.partial', text });
    this.wait(ms / 2).send({ type: 'vad.end', since: this.now });
    return this.send({ type: 'stt.final', text });
  }

  cough(ms: number): this {
    this.send({ type: 'vad.start', since: this.now });
    this.wait(ms).send({ type: 'vad.end', since: this.now });
    return this.send({ type: 'stt.final', text: '' });
  }

  /** The reply that was requested last. */
  get turn(): number {
    return this.all('reply.request').at(-1)?.turn ?? 0;
  }

  get utterance(): number {
    return this.all('say').at(-1)?.utterance ?? 0;
  }

  reply(text: string, { isUninterruptible = false, endCall = false, isFinal = false } = {}): this {
    this.send({ type: 'reply.text', turn: this.turn, text, isUninterruptible });
    return this.send({ type: 'reply.end', turn: this.turn, endCall, isFinal });
  }

  /** The first sample of what was said last is played. */
  start(): this {
    this.send({ type: 'play.sent', utterance: this.utterance });
    return this.send({ type: 'play.start', utterance: this.utterance });
  }

  hear(heard: number, remainingMs = 1000): this {
    return this.send({ type: 'play.progress', utterance: this.utterance, heard, remainingMs });
  }

  done(): this {
    return this.send({ type: 'play.done', utterance: this.utterance });
  }

  /** From the caller's words to the agent that is heard. */
  converse(words: string, reply: string, options?: Parameters<MachineDriver['reply']>[1]): this {
    this.say(words).wait(1000);
    return this.reply(reply, options).start();
  }

  all<T extends Command['type']>(type: T): Extract<Logged, { type: T }>[] {
    return this.log.filter((command): command is Extract<Logged, { type: T }> => command.type === type);
  }

  /** What was committed so far, as `role: text`. */
  get transcript(): string[] {
    return this.all('commit').map(({ role, text }) => `${role}: ${text}`);
  }

  get end(): { readonly reason: string; readonly atMs: number } | undefined {
    return this.all('end')[0];
  }

  forget(): this {
    this.log.length = 0;
    return this;
  }
}
