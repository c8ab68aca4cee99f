import type { Command, State, TurnEvent, TurnPolicy } from '../turn/events.ts';
import type { TurnMachine } from '../turn/machine.ts';
import { bare } from '../turn/unconfirmed-words.ts';
import { Utterances } from './utterances.ts';

/** Timers fire in order, but the events of one moment are handled one after another. */
const slackMs = 50;

/**
 * What holds in every call, whatever happens in it. Checked after every step of the machine, in every simulation and in
 * every test of a call.
 */
export class Invariants {
  readonly violations: string[] = [];
  private policy: TurnPolicy;
  private now = 0;
  private state: State = 'opening';
  private startedAt = 0;
  private isEnded = false;
  private isMuted = false;
  private open = 0;
  private lastUtterance = 0;
  private pausedSince: number | null = null;
  private isSounding = false;
  private soundChangedAt = 0;
  private reminders = 0;
  private waitings = 0;
  private wasTold = false;
  /** Every transcript so far. */
  private readonly heard: string[] = [];
  /** Since the caller was told to wait. */
  private hasNewWords = false;
  private hasTool = false;
  private requestedWords = '';
  private hasCommitted = false;
  private backchannels = 0;
  /** The reply in progress: requested, and neither ended nor canceled. */
  private liveTurn = 0;
  private acceptedTurn = 0;
  private isReminder = false;
  private isReminderSaid = false;
  private quietSince: number | null = null;
  private toolSince: number | null = null;
  private toolEndedAt = 0;
  private readonly utterances = new Utterances((rule) => this.violated(rule));
  private tools = 0;
  /** Words that must be in the transcript at the end. */
  private spoken: string[] = [];
  private callerText = '';

  constructor(policy: TurnPolicy) {
    this.policy = policy;
  }

  check(event: TurnEvent, commands: readonly Command[], machine: TurnMachine, now: number) {
    this.now = now;
    const wasLost = this.state === 'lost';
    if (this.state === 'transferring') this.checkTransfer(event, commands);
    this.state = machine.state;
    if (event.type === 'policy') this.policy = event.policy;
    this.observe(event, machine.state);
    for (const command of commands) this.checkCommand(command, event);
    if (!machine.isSettled && commands.some(({ type }) => type === 'reply.request')) {
      this.violated('a reply is requested once what was heard is settled');
    }
    // A report that comes later is ignored.
    const isResumed = wasLost && event.type === 'transport.resumed';
    const isSettled = isResumed || (event.type === 'timer' && event.name === 'settle');
    if (isSettled) this.utterances.checkStopped('what was heard is committed in time');
    this.checkWaitings(commands);
    if (event.type === 'reply.text' && event.turn !== this.liveTurn && commands.some(({ type }) => type === 'say')) {
      this.violated('a stale reply is not spoken');
    }
    if ((event.type === 'reply.end' || event.type === 'reply.failed') && event.turn === this.liveTurn)
      this.liveTurn = 0;
    this.checkState(machine.state, machine);
  }

  private observe(event: TurnEvent, state: State) {
    switch (event.type) {
      case 'connected':
        this.startedAt = this.now;
        return;
      case 'text':
        this.waitings = 0;
        if (!isAway(state)) this.hear(event.text);
        return;
      case 'stt.partial':
      case 'stt.final':
        if (event.text.trim() === '' || isAway(state)) return;
        this.reminders = 0;
        if (this.waitings > 0 || this.wasTold) this.hearAfterWaiting(event);
        this.heard.push(event.text);
        this.quietSince = null;
        if (event.type === 'stt.final' && !this.isEnded) this.hear(event.text);
        return;
      case 'vad.start':
      case 'vad.end':
        this.quietSince = null;
        this.isSounding = event.type === 'vad.start' && !isAway(state);
        this.soundChangedAt = this.now;
        return;
      case 'dtmf':
        if (isAway(state)) return;
        this.pressKeys();
        for (const key of event.digits.replaceAll('#', '')) this.spoken.push(key);
        return;
      case 'timer':
        if (event.name === 'digits') this.pressKeys();
        return;
      case 'transport.resumed':
        // What was being said is said again, in part.
        this.waitings = 0;
        this.isReminderSaid = false;
        return;
      case 'mute':
        this.isMuted = event.isOn;
        return;
      case 'play.start':
        return this.observeStart(event.utterance);
      case 'play.progress':
        return this.utterances.played(event.utterance, event.heard);
      case 'play.cleared':
        return this.utterances.cleared(event.utterance, event.heard);
      case 'play.done':
        return this.observeDone(event.utterance);
      case 'tool.start':
        this.tools += 1;
        this.toolSince = this.now;
        return;
      case 'tool.end':
        this.tools -= 1;
        this.toolEndedAt = this.now;
        this.quietSince = this.now;
        return;
      case 'hangup':
      case 'stop':
      case 'finish':
      case 'stt.failed':
      case 'tts.failed':
      case 'reply.started':
      case 'reply.text':
      case 'reply.end':
      case 'reply.failed':
      case 'reply.suspended':
      case 'reply.continued':
      case 'reply.interrupt':
      case 'play.sent':
      case 'transport.lost':
      case 'transfer.request':
      case 'transfer.failed':
      case 'policy':
      case 'say':
      case 'respond':
      case 'continue':
        return;
      default:
        event satisfies never;
    }
  }

  private observeStart(utterance: number) {
    const source = this.utterances.started(utterance);
    if (source === 'reminder') this.isReminderSaid = true;
    if (source === 'waiting') {
      this.wasTold = true;
      this.hasNewWords = false;
    }
    if (source === 'waiting') this.waitings += 1;
  }

  private observeDone(utterance: number) {
    this.utterances.done(utterance);
    if (utterance === this.open) this.open = 0;
  }

  /** A caller who only acknowledges the waiting sentence is not told again; any other words may be told once more. */
  private hearAfterWaiting({ type, text }: { readonly type: string; readonly text: string }) {
    const { isAcknowledgment } = this.policy.language;
    if (isAcknowledgment(text)) return;
    this.waitings = 0;
    // A final transcript that only confirms what was heard before the caller was told to wait is no news.
    const before = this.heard.findLast((words) => !isAcknowledgment(words)) ?? '';
    if (bare(text) !== bare(before)) this.hasNewWords = true;
    if (type === 'stt.final' && this.hasNewWords) this.wasTold = false;
  }

  private hear(text: string) {
    this.reminders = 0;
    this.quietSince = null;
    this.spoken.push(text);
  }

  /** Keys, or their end: the agent is asked as by new words. */
  private pressKeys() {
    this.waitings = 0;
    this.reminders = 0;
    this.quietSince = null;
  }

  private checkWaitings(commands: readonly Command[]) {
    if (this.waitings <= 1) return;
    // What it commits is a turn that was open: it is the first waiting sentence of that one.
    const isNewTurn = commands.some((command) => command.type === 'commit' && command.role === 'caller');
    if (!isNewTurn) this.violated('the waiting sentence is said once per turn');
    this.waitings = 1;
  }

  private checkCommand(command: Command, event: TurnEvent) {
    if (this.isEnded) this.violated(`nothing happens after the end: ${command.type}`);
    switch (command.type) {
      case 'say':
        return this.checkSay(command);
      case 'clear':
        this.utterances.stopped(command.utterance);
        if (command.utterance === this.open) this.open = 0;
        this.pausedSince = null;
        return;
      case 'pause':
        this.pausedSince = this.now;
        if (event.type === 'transport.lost') return;
        if (!this.policy.isInterruptible) this.violated('sensitivity 0 never pauses');
        this.utterances.checkPause(command.utterance);
        return;
      case 'resume':
        this.pausedSince = null;
        return;
      case 'backchannel':
        if (++this.backchannels > (this.policy.backchannel?.maxPerTurn ?? 0)) {
          this.violated('backchannels stay within their maximum');
        }
        return;
      case 'commit':
        if (command.role === 'agent') return this.utterances.commit(command, this.acceptedTurn);
        this.utterances.checkStopped('what was heard is committed before what the caller said next');
        this.callerText += command.text;
        this.hasCommitted = true;
        this.backchannels = 0;
        return;
      case 'reply.request':
        // What was said over the waiting sentence is another turn.
        if (event.type === 'play.done') this.waitings = 0;
        return this.checkRequest(command.turn, command.kind, command.words);
      case 'reply.cancel':
        if (command.turn !== this.liveTurn) this.violated('only the reply in progress is canceled');
        this.liveTurn = 0;
        return;
      case 'reply.accept':
        this.acceptedTurn = command.turn;
        return;
      case 'transfer.start':
        if (this.open !== 0) this.violated('a transfer begins when the agent has finished speaking');
        return;
      case 'end':
        this.checkEnd();
        return;
      case 'reply.prepare':
      case 'stt.flush':
      case 'timer.set':
      case 'timer.unset':
      case 'transfer.withdraw':
      case 'emit':
        return;
      default:
        command satisfies never;
    }
  }

  /** Rule 19: nobody listens, and no timer runs but the maximum duration. What was heard before is settled, though. */
  private checkTransfer(event: TurnEvent, commands: readonly Command[]) {
    const mayFire = event.type !== 'timer' || event.name === 'max' || event.name === 'settle';
    if (!mayFire) this.violated(`no timer runs during a transfer: ${event.name}`);
    if (event.type === 'transfer.failed' || event.type === 'stop') return;
    if (commands.some(({ type }) => type === 'transfer.start')) this.violated('one transfer at a time');
    const isHeard = commands.some((command) => command.type === 'commit' && command.role === 'caller');
    if (isHeard && !commands.some(({ type }) => type === 'end')) this.violated('nobody listens during a transfer');
  }

  private checkSay(command: Extract<Command, { type: 'say' }>) {
    const { utterance, source } = command;
    if (this.open !== 0 && this.open !== utterance) this.violated('one utterance at a time');
    if (utterance < this.lastUtterance) this.violated('utterances are numbered in order');
    if (this.isMuted && source !== 'control') this.violated('a muted agent does not speak');
    if (this.state === 'transferring') this.violated('the agent is silent during a transfer');
    this.utterances.say(command, this.liveTurn);
    if (source !== 'waiting') this.waitings = 0;
    this.open = utterance;
    this.lastUtterance = utterance;
  }

  private checkRequest(turn: number, kind: string, words: string) {
    this.utterances.checkStopped('a request contains everything that was heard before it');
    if (this.liveTurn !== 0) this.violated('one reply at a time');
    if (this.isMuted) this.violated('a muted agent requests no reply');
    if (this.state === 'transferring') this.violated('no reply is requested during a transfer');
    if (this.tools > 0) this.violated('a reply waits for the tools of the one before');
    if (kind === 'reminder' && this.state === 'thinking' && this.isSounding && this.now - this.soundChangedAt < 2000) {
      this.violated('no reminder while the caller speaks');
    }
    const wasUnheard = this.isReminder && !this.isReminderSaid;
    this.isReminder = kind === 'reminder';
    this.isReminderSaid = false;
    if (this.isReminder && !wasUnheard && ++this.reminders > this.policy.reminderMax) {
      this.violated('reminders stay within their maximum');
    }
    if (words !== this.requestedWords || this.hasCommitted) this.waitings = 0;
    this.requestedWords = words;
    this.hasCommitted = false;
    this.liveTurn = turn;
  }

  private checkEnd() {
    this.isEnded = true;
    const missing = this.spoken.filter((words) => !this.callerText.includes(words));
    const committed = missing.length === 0 ? '' : bare(this.callerText);
    const { isAcknowledgment } = this.policy.language;
    const lost = missing.find((words) => !committed.includes(bare(words)) && !isAcknowledgment(words));
    if (lost !== undefined) this.violated(`what the caller said is in the transcript: ${JSON.stringify(lost)}`);
  }

  private checkState(state: State, { canExit, isToolRunning, isSuspended }: TurnMachine) {
    if (state === 'ended') return;
    this.hasTool = isToolRunning;
    if (state === 'idle' || state === 'caller' || state === 'endpoint') this.waitings = 0;
    if (state === 'idle') {
      this.wasTold = false;
      // A turn that turned out to have no words ends without a commit.
      this.backchannels = 0;
    }
    if (!canExit) this.violated(`every state can exit on its own: ${state}`);
    if (this.now - this.startedAt > this.policy.maxMs) this.violated('no call outlives its time');
    if (this.open !== 0 && (state === 'caller' || state === 'endpoint' || state === 'idle')) {
      this.violated(`the agent is silent when it does not have the floor: ${state}`);
    }
    // Whatever has to be connected first has a timeout of its own.
    if (!isSuspended) this.checkQuiet(state);
    else this.quietSince = null;
    this.checkPaused(state);
  }

  /** Dead air: the agent is about to speak, and the caller hears nothing. */
  private checkQuiet(state: State) {
    if (state !== 'thinking' || this.open !== 0 || this.policy.isChat || this.isMuted) {
      this.quietSince = null;
      return;
    }
    this.quietSince ??= this.now;
    const { waitingMs, toolWaitingMs, replyTimeoutMs, replyCompleteMs } = this.policy;
    const quietMs = this.now - this.quietSince;
    const { hasTool } = this;
    // Nobody has asked for a reminder.
    const isAsked = hasTool || !this.isReminder;
    if (!this.wasTold && isAsked) {
      const longest = Math.max(waitingMs, hasTool ? toolWaitingMs + (this.toolSince ?? 0) - this.quietSince : 0);
      if (quietMs > longest + slackMs) this.violated('the caller is told to wait');
    } else if (!hasTool && quietMs > Math.max(replyTimeoutMs, replyCompleteMs) + slackMs) {
      this.violated('a reply fails in time');
    }
  }

  private checkPaused(state: State) {
    // While a tool runs, a caller who is gone is waited for; their time counts from its end.
    if (this.pausedSince === null || (state === 'lost' && this.tools > 0)) return;
    const { holdMs, falseInterruptionMs, lostMs } = this.policy;
    const since = Math.max(this.pausedSince, this.soundChangedAt, state === 'lost' ? this.toolEndedAt : 0);
    const longest = state === 'lost' ? lostMs : Math.max(holdMs, falseInterruptionMs);
    if (this.now - since > longest + slackMs) this.violated('paused speech resumes or is cleared in time');
  }

  private violated(message: string) {
    if (this.violations.length < 20) this.violations.push(`${message} (at ${Math.round(this.now)} ms)`);
  }
}

/** The caller cannot be heard. */
function isAway(state: State): boolean {
  return state === 'lost' || state === 'transferring';
}
