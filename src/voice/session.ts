import type { EndReason } from '../contract/calls/end-reasons.ts';
import { CallTimers } from './call-timers.ts';
import { adjustedPolicy } from './policy.ts';
import type { Output, Recorder, Turn } from './ports.ts';
import { SessionEngine } from './session-engine.ts';
import { SessionKnowledge } from './session-knowledge.ts';
import type { SessionMemory, SessionParts } from './session-parts.ts';
import { SessionPhone } from './session-phone.ts';
import { SessionReplies } from './session-replies.ts';
import { SessionTimes } from './session-times.ts';
import { ResumedTools, SessionTools } from './session-tools.ts';
import type { TextStage } from './text/speakable.ts';
import type { Command, State, TimerName, TurnEvent } from './turn/events.ts';
import { TurnMachine } from './turn/machine.ts';
import type { Variables } from './variables.ts';

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
  private readonly times: SessionTimes;
  private stages: readonly TextStage[];
  private turnCount: number;
  private readonly resumedTools: ResumedTools;
  private readonly tools: SessionTools;
  readonly phone: SessionPhone;
  private readonly engine: SessionEngine;
  private readonly replies: SessionReplies;
  private readonly knowledge = new SessionKnowledge();
  /** When the last turn of the caller or the agent began. */
  private lastStartMs = 0;
  private isEnded = false;

  constructor(parts: SessionParts) {
    this.parts = parts;
    const { policy, memory } = parts;
    this.machine = new TurnMachine(adjustedPolicy(policy, memory?.settings ?? {}), memory, parts.lastUtterance);
    this.stages = parts.newStages();
    this.turnCount = parts.firstIndex ?? 0;
    this.resumedTools = new ResumedTools(parts.resumedTurns ?? []);
    this.times = new SessionTimes(parts.clock, parts.startedAt ?? parts.clock.now(), policy.isChat);
    this.phone = this.createPhone();
    this.tools = this.createTools();
    this.replies = this.createReplies();
    this.engine = this.createEngine();
    this.timers = new CallTimers(parts.clock, (name, dueAt) => this.onTimer(name, dueAt));
    this.output = parts.output({
      sent: (utterance) => {
        this.times.sent(utterance);
        this.dispatch({ type: 'play.sent', utterance });
      },
      audible: (utterance, silentMs, inPieceMs) => this.times.audible(utterance, silentMs, inPieceMs),
      started: (utterance, msAgo = 0) =>
        this.dispatch({ type: 'play.start', utterance, since: this.times.heard(utterance, msAgo) }),
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
    if (event.type === 'connected') this.engine.attach();
    this.queue.push(event.type === 'policy' ? { ...event, policy: this.engine.adjusted(event.policy) } : event);
    this.times.observe(event, this.machine);
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
        return this.request(command);
      case 'reply.cancel':
        return this.replies.stop();
      case 'reply.accept':
        return this.parts.engine.accept(command.turn);
      case 'reply.prepare':
        return this.parts.engine.prepare?.(command.words);
      case 'commit':
        return command.role === 'caller' ? this.commitCaller(command.text) : this.commitAgent(command);
      case 'emit':
        return this.record(command.event);
      case 'transfer.start':
        return this.phone.start();
      case 'transfer.withdraw':
        return this.phone.withdraw();
      case 'end':
        return this.end(command.reason);
    }
  }

  private onTimer(name: TimerName, dueAt: number) {
    this.timerDueAt = dueAt;
    this.dispatch({ type: 'timer', name });
    this.timerDueAt = null;
  }

  private request({ turn, kind, words }: Extract<Command, { type: 'reply.request' }>) {
    this.stages = this.parts.newStages();
    this.replies.request(turn, kind, words, this.times.requested(kind, this.timerDueAt));
  }

  // The parts

  private createReplies(): SessionReplies {
    const { tools, resumedTools } = this;
    return new SessionReplies(this.parts, {
      tools,
      resumedTools,
      dispatch: (event) => this.dispatch(event),
      record: (event) => this.record(event),
    });
  }

  private createEngine(): SessionEngine {
    const { engine, policy, memory, onFailure, onMetadata } = this.parts;
    return new SessionEngine(
      {
        engine,
        dispatch: (event) => this.dispatch(event),
        record: (event) => this.record(event),
        failed: (detail) => {
          this.replies.failureDetail = detail;
          onFailure?.(detail);
        },
        metadata: (metadata) => onMetadata?.(metadata),
        startTool: (turn, call) => this.tools.start(turn, call),
        phone: this.phone,
      },
      policy,
      memory?.settings ?? {},
    );
  }

  private createPhone(): SessionPhone {
    const { clock, phone = null, onTransfer } = this.parts;
    return new SessionPhone({
      clock,
      phone,
      dispatch: (event) => this.dispatch(event),
      batch: (run) => this.batch(run),
      record: (event) => this.record(event),
      onTransfer: (mode) => onTransfer?.(mode),
      isEnded: () => this.isEnded,
    });
  }

  private createTools(): SessionTools {
    const { clock, tools, newToolCallId, recorder } = this.parts;
    return new SessionTools({
      clock,
      tools,
      phone: this.phone,
      newToolCallId,
      startedAt: this.times.startedAt,
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

  private say(command: Extract<Command, { type: 'say' }>) {
    const { utterance, text, isLast } = command;
    this.times.saying(command);
    if (command.source === 'engine') this.knowledge.saying(utterance, this.replies.searches);
    const spoken = this.stages.reduce((sentence, stage) => (sentence === '' ? '' : stage(sentence)), text);
    this.output.say(utterance, { text: spoken, length: text.length }, isLast);
  }

  // The record

  private commitCaller(text: string) {
    this.recordTurn({ role: 'caller', text, ...this.times.takeCallerTurn() });
  }

  private commitAgent(command: Extract<Command, { type: 'commit'; role: 'agent' }>) {
    const { utterance, source, text, unspokenText, isInterrupted: interrupted } = command;
    const times = this.times.takeAgentTurn(utterance, source === 'engine');
    const { latency } = times;
    const { sources, searched } = this.knowledge.take(utterance);
    const index = this.recordTurn({ role: 'agent', source, text, unspokenText, interrupted, sources, ...times });
    for (const search of searched) this.record({ type: 'knowledge_searched', turnIndex: index, ...search });
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
    const atMs = Math.round(this.times.elapsedMs);
    const { recorder } = this.parts;
    switch (event.type) {
      case 'speech_started':
      case 'speech_ended':
        return recorder.event({ ...event, atMs: Math.round(event.atMs - this.times.startedAt) }, atMs);
      case 'agent_interrupted':
        return recorder.event({ type: 'agent_interrupted', role: 'caller' }, atMs);
      case 'reply_failed':
        this.replies.failureDetail ??= 'the reply took too long';
        this.parts.onFailure?.(this.replies.failureDetail);
        return;
      case 'false_interruption':
        return;
      case 'tool_called':
      case 'tool_returned':
      case 'latency_exceeded':
      case 'provider_switched':
      case 'knowledge_searched':
      case 'dtmf_received':
      case 'dtmf_sent':
      case 'answered_by':
      case 'transfer_updated':
      case 'warning':
        return recorder.event(event, atMs);
      default:
        event satisfies never;
    }
  }

  /** Stops without an end: a chat continues with another session. */
  close(): void {
    this.isEnded = true;
    this.replies.stop();
    this.timers.unsetAll();
    this.phone.stop();
    this.output.close();
    this.parts.input.close();
    this.parts.engine.detach?.();
  }

  private end(reason: EndReason) {
    this.close();
    this.parts.recorder.ended(reason, Math.round(this.times.elapsedMs), this.replies.detailOf(reason));
  }
}

/** What a turn of the transcript is, unless it says otherwise. */
const emptyTurn = {
  source: null,
  unspokenText: null,
  words: [],
  interrupted: false,
  latency: null,
  sources: [],
  toolCall: null,
} as const;

function roundedTimes(startMs: number, endMs: number) {
  return { startMs: Math.max(0, Math.round(startMs)), endMs: Math.max(0, Math.round(endMs)) };
}
