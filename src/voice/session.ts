import { CallTimers } from './call-timers.ts';
import {
  maxReplyCharacters,
  maxToolRounds,
  type ReplyKind,
  type ReplyOutput,
  type Variables,
} from './engines/engine.ts';
import { latencyOf, noTimes, type ReplyTimes } from './latency.ts';
import { adjustedPolicy } from './policy.ts';
import type { Output, Recorder, Turn } from './ports.ts';
import { ReplySentences } from './reply-sentences.ts';
import { ResumedTools } from './resumed-tools.ts';
import { SessionEngine } from './session-engine.ts';
import type { SessionMemory, SessionParts } from './session-parts.ts';
import { SessionTools } from './session-tools.ts';
import type { TextStage } from './text/speakable.ts';
import type { Command, EndReason, State, TimerName, TurnEvent } from './turn/events.ts';
import { TurnMachine } from './turn/machine.ts';
import { emptyTurn, roundedTimes } from './turn-record.ts';

/** One running call: the machine, the ports and the clock. The only place where they meet. */
export class Session {
  private readonly parts: SessionParts;
  /** To be read; only `dispatch` steps it. */
  readonly machine: TurnMachine;
  private readonly output: Output;
  private readonly queue: TurnEvent[] = [];
  private readonly afterSteps: (() => void)[] = [];
  private isStepping = false;
  private readonly timers: CallTimers;
  /** While a timer is handled: when it should have fired. */
  private timerDueAt: number | null = null;
  private readonly startedAt: number;
  private cancelReply: () => void = () => {};
  /** The number of the reply whose text is wanted. */
  private liveTurn = 0;
  /** The first utterance after the caller's words. */
  private firstUtterance = 0;
  private stages: readonly TextStage[];
  private turnCount: number;
  private readonly resumedTools: ResumedTools;
  private readonly tools: SessionTools;
  private readonly engine: SessionEngine;
  private times: ReplyTimes = noTimes();
  /** The times of a sound while a reply is on its way: they count if its words are answered instead. */
  private nextTimes: ReplyTimes | null = null;
  /** When the utterances that are not committed yet were first heard, and with which times. */
  private readonly heardAt = new Map<number, { startMs: number; times: ReplyTimes }>();
  private callerStart: number | null = null;
  private callerEnd: number | null = null;
  /** When the last turn of the caller or the agent began. */
  private lastStartMs = 0;
  /** What an engine last reported as failed, for the record of a call that ends by it. */
  private failureDetail: string | null = null;
  /** Why the engine has hung up, if it said so. */
  private hangUpReason: string | null = null;
  private isEnded = false;

  constructor(parts: SessionParts) {
    this.parts = parts;
    const { policy, memory } = parts;
    this.machine = new TurnMachine(adjustedPolicy(policy, memory?.settings ?? {}), memory, parts.lastUtterance);
    this.stages = parts.newStages();
    this.turnCount = parts.firstIndex ?? 0;
    this.resumedTools = new ResumedTools(parts.resumedTurns ?? []);
    this.startedAt = parts.startedAt ?? parts.clock.now();
    this.tools = this.createTools();
    this.engine = this.createEngine();
    this.timers = new CallTimers(parts.clock, (name, dueAt) => this.onTimer(name, dueAt));
    this.output = parts.output({
      sent: (utterance) => {
        if (utterance === this.firstUtterance) this.times.firstFrameSent ??= this.now;
        this.dispatch({ type: 'play.sent', utterance });
      },
      started: (utterance, msAgo = 0) => {
        // Whatever the caller's side claims to have played.
        const since = Math.max(this.startedAt, this.now - msAgo);
        this.heardAt.set(utterance, { startMs: since - this.startedAt, times: this.times });
        this.dispatch({ type: 'play.start', utterance, since });
      },
      progress: (utterance, heard, remainingMs) =>
        this.dispatch({ type: 'play.progress', utterance, heard, remainingMs }),
      done: (utterance) => this.dispatch({ type: 'play.done', utterance }),
      cleared: (utterance, heard) => this.dispatch({ type: 'play.cleared', utterance, heard }),
      failed: (utterance) => this.dispatch({ type: 'tts.failed', utterance }),
    });
  }

  get state(): State {
    return this.machine.state;
  }

  get variables(): Variables {
    return this.parts.engine.collected();
  }

  /** For the next session of the call. */
  get memory(): SessionMemory {
    return { ...this.machine.counts, settings: this.engine.settings };
  }

  private get now(): number {
    return this.parts.clock.now();
  }

  /** What happened outside: the caller, the recognizer, the transport, the API. */
  dispatch(event: TurnEvent) {
    if (event.type === 'connected') this.engine.join();
    this.queue.push(event.type === 'policy' ? { ...event, policy: this.engine.adjusted(event.policy) } : event);
    this.observeTimes(event);
    if (!this.isStepping) this.stepAll();
  }

  private stepAll() {
    this.isStepping = true;
    try {
      while (this.queue.length > 0 || this.afterSteps.length > 0) {
        const event = this.queue.shift();
        if (event === undefined) this.afterSteps.shift()?.();
        else this.step(event);
      }
    } finally {
      this.isStepping = false;
    }
  }

  private step(event: TurnEvent) {
    const commands = this.machine.step(event, this.now);
    this.parts.observe?.(event, commands, this.machine, this.now);
    for (const command of commands) this.execute(command);
    this.engine.show(this.machine);
  }

  private observeTimes(event: TurnEvent) {
    switch (event.type) {
      case 'vad.start':
        // Sound while a turn is open continues it; any other may be the start of the next.
        if (!isTurnOpen(this.state)) this.callerStart = null;
        this.callerStart ??= event.since;
        return;
      case 'vad.end':
        this.callerEnd = event.since;
        this.nextTimes = { ...noTimes(), speechEnd: event.since, vadEnd: this.now };
        return this.state === 'thinking' ? undefined : this.takeTimes(this.nextTimes);
      case 'stt.final':
        (this.nextTimes ?? this.times).sttFinal = this.now;
        break;
      case 'text':
        // A sound without words before it is not a part of it.
        if (this.machine.callerWords === '') this.callerStart = null;
        this.callerStart ??= this.now;
        this.callerEnd = this.now;
        // The first message arrives before the call that it starts: no latency is longer than the call.
        return this.takeTimes({ ...noTimes(), speechEnd: Math.max(this.startedAt, event.receivedAt ?? this.now) });
    }
  }

  private takeTimes(next: ReplyTimes | null) {
    this.times = next ?? this.times;
    this.nextTimes = null;
  }

  private execute(command: Command) {
    switch (command.type) {
      case 'timer.set':
        return this.timers.set(command.name, command.at);
      case 'timer.unset':
        return this.timers.unset(command.name);
      case 'say':
        return this.say(command);
      case 'backchannel':
        return this.output.say(command.utterance, { text: command.word, length: command.word.length }, true);
      case 'pause':
        return this.output.pause(command.utterance);
      case 'resume':
        return this.output.resume(command.utterance);
      case 'clear':
        return this.output.clear(command.utterance);
      case 'stt.flush':
        return this.parts.input.flush();
      case 'reply.request':
        return this.request(command.turn, command.kind, command.words);
      case 'reply.cancel':
        return this.stopReply();
      case 'reply.accept':
        return this.parts.engine.accept(command.turn);
      case 'reply.prepare':
        return this.parts.engine.prepare?.(command.words);
      case 'commit':
        return command.role === 'caller' ? this.commitCaller(command.text) : this.commitAgent(command);
      case 'emit':
        return this.record(command.event);
      case 'end':
        return this.end(command.reason);
    }
  }

  private onTimer(name: TimerName, dueAt: number) {
    this.timerDueAt = dueAt;
    this.dispatch({ type: 'timer', name });
    this.timerDueAt = null;
  }

  // Replies

  private request(turn: number, kind: ReplyKind, words: string) {
    this.takeTimes(kind === 'response' ? this.nextTimes : noTimes());
    this.times.request = this.now;
    this.times.waitEnd = this.timerDueAt ?? this.now;
    // A reply that was canceled before anything was sent took none of the caller's time.
    if (this.times.firstFrameSent === null) {
      this.times.firstToken = null;
      this.times.firstSentence = null;
      this.times.ttsRequest = null;
    }
    this.liveTurn = turn;
    this.failureDetail = null;
    this.hangUpReason = null;
    this.stages = this.parts.newStages();
    const { times } = this;
    const { clock, language, policy } = this.parts;
    const sentences = new ReplySentences(language, policy.isChat ? null : clock, (text, isUninterruptible) => {
      times.firstSentence ??= this.now;
      this.dispatch({ type: 'reply.text', turn, text, isUninterruptible });
    });
    let characters = 0;
    let toolRounds = 0;
    let runningTools = 0;
    const output: ReplyOutput = {
      text: (text, { isUninterruptible = false } = {}) => {
        if (this.liveTurn !== turn || text === '') return;
        times.firstToken ??= this.now;
        if (characters === 0) this.dispatch({ type: 'reply.started', turn });
        // A code point has at most two units: longer text is not counted one by one.
        characters += text.length > 2 * maxReplyCharacters ? text.length : [...text].length;
        if (characters > maxReplyCharacters)
          return this.failReply(turn, `the reply is longer than ${maxReplyCharacters} characters`);
        this.parts.onReplyText?.(text);
        sentences.add(text, isUninterruptible);
      },
      tool: (call, onResult) => {
        // A canceled reply takes the result of the tool that is running, and starts no other.
        if (this.liveTurn !== turn) return;
        sentences.flush();
        if (runningTools === 0) toolRounds += 1;
        if (toolRounds > maxToolRounds) return this.failReply(turn, 'the reply calls too many tools');
        runningTools += 1;
        this.tools.run(turn, call, (result) => {
          runningTools -= 1;
          onResult(result);
        });
      },
      end: ({ endCall = false, isFinal = false, waitMs = 0, reason } = {}) => {
        if (this.liveTurn === turn) this.hangUpReason = reason ?? null;
        sentences.flush();
        this.dispatch({ type: 'reply.end', turn, endCall, isFinal, waitMs });
      },
      failed: (detail, { isDefect = false } = {}) => {
        if (!isDefect || this.liveTurn !== turn) return this.failReply(turn, detail);
        this.failureDetail = detail;
        this.dispatch({ type: 'stop', reason: 'internal_error' });
      },
      warn: (code, message) => this.record({ type: 'warning', code, message }),
      switched: (from, to) => this.record({ type: 'provider_switched', capability: 'llm', from, to }),
    };
    const cancel = this.parts.engine.reply({ turn, kind, words, ...this.resumedTools.forRequest() }, output);
    this.cancelReply = () => {
      sentences.stop();
      cancel();
    };
  }

  private failReply(turn: number, detail: string) {
    this.failureDetail = detail;
    if (this.liveTurn === turn) this.stopReply();
    this.dispatch({ type: 'reply.failed', turn });
  }

  private stopReply() {
    const cancel = this.cancelReply;
    this.cancelReply = () => {};
    this.liveTurn = 0;
    cancel();
  }

  // The parts

  private createEngine(): SessionEngine {
    const { engine, policy, memory, onFailure, onMetadata } = this.parts;
    return new SessionEngine(
      {
        engine,
        dispatch: (event) => this.dispatch(event),
        record: (event) => this.record(event),
        failed: (detail) => {
          this.failureDetail = detail;
          onFailure?.(detail);
        },
        metadata: (metadata) => onMetadata?.(metadata),
        startTool: (turn, call) => this.tools.start(turn, call),
      },
      policy,
      memory?.settings ?? {},
    );
  }

  private createTools(): SessionTools {
    const { clock, tools, newToolCallId, recorder } = this.parts;
    return new SessionTools({
      clock,
      tools,
      newToolCallId,
      startedAt: this.startedAt,
      resumedTools: this.resumedTools,
      dispatch: (event) => this.dispatch(event),
      whenStepped: (run) => this.whenStepped(run),
      batch: (run) => this.batch(run),
      nextIndex: () => this.turnCount++,
      record: (event) => this.record(event),
      recordTurn: ({ startMs, endMs, ...turn }) => {
        recorder.turn({ ...emptyTurn, role: 'tool', text: '', ...roundedTimes(startMs, endMs), ...turn });
        this.engine.showTranscript();
      },
      isEnded: () => this.isEnded,
    });
  }

  /** Runs now, or after the steps that are under way. */
  private whenStepped(run: () => void) {
    this.afterSteps.push(run);
    if (!this.isStepping) this.stepAll();
  }

  private batch(run: () => void) {
    const wasStepping = this.isStepping;
    this.isStepping = true;
    try {
      run();
    } finally {
      this.isStepping = wasStepping;
    }
    if (!wasStepping) this.stepAll();
  }

  // What the caller hears

  private say({ utterance, text, isLast, source }: Extract<Command, { type: 'say' }>) {
    // A waiting sentence is what the caller hears first: the latency of the reply ends with it.
    if ((source === 'engine' || source === 'waiting') && this.times.ttsRequest === null) {
      this.firstUtterance = utterance;
      this.times.ttsRequest = this.now;
    }
    const spoken = this.stages.reduce((sentence, stage) => (sentence === '' ? '' : stage(sentence)), text);
    this.output.say(utterance, { text: spoken, length: text.length }, isLast);
  }

  // The record

  private commitCaller(text: string) {
    const endMs = (this.callerEnd ?? this.now) - this.startedAt;
    const startMs = Math.min((this.callerStart ?? this.now) - this.startedAt, endMs);
    this.callerStart = null;
    this.recordTurn({ role: 'caller', text, startMs, endMs });
  }

  private commitAgent(command: Extract<Command, { type: 'commit'; role: 'agent' }>) {
    const { utterance, source, text, unspokenText, isInterrupted } = command;
    const heard = this.heardAt.get(utterance);
    this.heardAt.delete(utterance);
    const endMs = this.now - this.startedAt;
    const latency =
      source === 'engine' && heard !== undefined ? latencyOf(heard.times, this.parts.policy.isChat) : null;
    const index = this.recordTurn({
      role: 'agent',
      source,
      text,
      unspokenText,
      startMs: heard?.startMs ?? endMs,
      endMs,
      interrupted: isInterrupted,
      latency,
    });
    const { latencyBudgetMs } = this.parts;
    if (latencyBudgetMs === undefined || latency?.e2eMs == null || latency.e2eMs <= latencyBudgetMs) return;
    this.record({ type: 'latency_exceeded', turnIndex: index, e2eMs: latency.e2eMs, budgetMs: latencyBudgetMs });
  }

  private recordTurn(turn: Pick<Turn, 'role' | 'text' | 'startMs' | 'endMs'> & Partial<Turn>): number {
    const index = this.turnCount++;
    // Words that are detected or recognized late follow what the agent has begun to say in the meantime.
    this.lastStartMs = Math.max(this.lastStartMs, turn.startMs);
    const times = roundedTimes(this.lastStartMs, Math.max(this.lastStartMs, turn.endMs));
    this.parts.recorder.turn({ ...emptyTurn, ...turn, ...times, index });
    this.engine.showTranscript();
    return index;
  }

  private record(event: Extract<Command, { type: 'emit' }>['event'] | Parameters<Recorder['event']>[0]) {
    const atMs = Math.round(this.now - this.startedAt);
    const { recorder } = this.parts;
    switch (event.type) {
      case 'speech_started':
      case 'speech_ended':
        return recorder.event({ ...event, atMs: Math.round(event.atMs - this.startedAt) }, atMs);
      case 'agent_interrupted':
        return recorder.event({ type: 'agent_interrupted', role: 'caller' }, atMs);
      case 'reply_failed':
        this.failureDetail ??= 'the reply took too long';
        this.parts.onFailure?.(this.failureDetail);
        return;
      case 'false_interruption':
        return;
      default:
        return recorder.event(event, atMs);
    }
  }

  /** Stops without an end: a chat continues with another session. */
  leave(): void {
    this.isEnded = true;
    this.stopReply();
    this.timers.unsetAll();
    this.output.close();
    this.parts.input.close();
    this.parts.engine.leave?.();
  }

  private end(reason: EndReason) {
    this.leave();
    const isEngines = reason === 'llm_failed' || reason === 'llm_connect_failed' || reason === 'internal_error';
    const detail = isEngines ? this.failureDetail : reason === 'agent_hangup' ? this.hangUpReason : null;
    this.parts.recorder.ended(reason, Math.round(this.now - this.startedAt), detail);
  }
}

function isTurnOpen(state: State): boolean {
  return state === 'caller' || state === 'endpoint' || state === 'thinking';
}
