import { VirtualClock } from '../../voice/clock.ts';
import { ScriptedTools, type ToolScripts } from '../../voice/simulation/scripted-tools.ts';
import { type CallSetup, SimulatedCall } from '../../voice/simulation/simulated-call.ts';
import { countWords } from '../../voice/text/words.ts';
import type { ToolCall, ToolResult } from '../../voice/tools/tool.ts';

/** What the caller does. */
export type CallerAction =
  | { readonly type: 'say' | 'interrupt'; readonly text: string }
  | { readonly type: 'cough' | 'wait'; readonly ms: number }
  | { readonly type: 'dial'; readonly digits: string }
  | { readonly type: 'hangUp' };

/** An action, and when: the clock repeats a call exactly if it is taken after the same number of events. */
export interface TakenAction {
  readonly action: CallerAction;
  readonly atEvent: number;
  readonly atMs: number;
}

export interface InteractiveParts {
  readonly setup: CallSetup;
  readonly seed: number;
  readonly tools: ToolScripts;
  /** Called after everything that happens, to show it. */
  readonly show: (call: SimulatedCall) => Promise<void>;
  /** What a tool without a scripted result returns. */
  readonly ask: (toolCallId: string, call: ToolCall) => Promise<ToolResult>;
}

interface OpenToolCall {
  readonly id: string;
  readonly call: ToolCall;
  readonly onResult: (result: ToolResult) => void;
  readonly since: number;
}

export const interruptedWords = 3;
/** A tool takes this long at least, so that the agent can begin to say that it needs a moment. */
const toolMs = 300;
/** An agent that is still busy then is not waited for any longer. */
const longestReplyMs = 60_000;
/** A detector reports the end of a sound late. */
const soundReportedMs = 500;

/** A simulated call that goes on when the caller does something, and stops when it is their turn again. */
export class InteractiveCall {
  call!: SimulatedCall;
  readonly actions: TakenAction[] = [];
  /** The results of the tools that were asked for, in order. */
  readonly answers: { readonly name: string; readonly result: ToolResult }[] = [];
  private readonly parts: InteractiveParts;
  private events = 0;
  private answered = 0;
  private openTools: OpenToolCall[] = [];
  private isReplaying = false;
  /** After how many events the caller had heard three words of what the agent said last. */
  private interruptAtEvent: number | null = null;
  private wordsHeardOf: number | null = null;

  constructor(parts: InteractiveParts) {
    this.parts = parts;
    this.restart();
  }

  async start(): Promise<void> {
    await this.afterEvent();
    await this.runUntilCallersTurn();
  }

  /** Acts, and lets time pass until the agent has answered. */
  async act(action: CallerAction): Promise<void> {
    this.actions.push({ action, atEvent: this.events, atMs: this.call.clock.now() });
    const end = this.apply(action);
    await this.afterEvent();
    while (this.call.clock.now() < end && (await this.runNext()));
    await this.runUntilCallersTurn();
  }

  /** Goes back to the agent's last words and interrupts them. False if there are none. */
  async interrupt(text: string, onRewound: (call: SimulatedCall) => void): Promise<boolean> {
    const end = this.interruptAtEvent;
    if (end === null) return false;
    await this.rewind(end);
    onRewound(this.call);
    await this.act({ type: 'interrupt', text });
    return true;
  }

  private restart(): void {
    const { setup, seed, tools } = this.parts;
    const clock = new VirtualClock();
    this.events = 0;
    this.answered = 0;
    this.openTools = [];
    this.interruptAtEvent = null;
    this.wordsHeardOf = null;
    const scripted = new ScriptedTools(clock, tools, (id, call, onResult) => {
      this.openTools.push({ id, call, onResult, since: clock.now() });
      clock.after(toolMs, () => {});
    });
    this.call = new SimulatedCall(setup, seed, { clock, tools: scripted });
    this.call.connect();
  }

  /** Repeats the call up to an event: everything in it is determined by the caller's actions and the tools. */
  private async rewind(end: number): Promise<void> {
    const past = this.actions.splice(0).filter(({ atEvent }) => atEvent < end);
    this.isReplaying = true;
    this.restart();
    for (const taken of past) {
      await this.replayTo(taken.atEvent);
      this.actions.push(taken);
      this.apply(taken.action);
      await this.afterEvent();
    }
    await this.replayTo(end);
    this.isReplaying = false;
    this.answers.splice(this.answered);
  }

  private async replayTo(event: number): Promise<void> {
    while (this.events < event && (await this.runNext()));
  }

  /** Returns until when time passes at least. */
  private apply(action: CallerAction): number {
    const { clock } = this.call;
    const ms = this.begin(action);
    // The clock must come by, even if nothing else happens then.
    clock.after(ms, () => {});
    return clock.now() + ms;
  }

  private begin(action: CallerAction): number {
    const { call } = this;
    switch (action.type) {
      case 'say':
      case 'interrupt':
        return call.speak(action.text);
      case 'cough':
        call.cough(action.ms);
        return action.ms + soundReportedMs;
      case 'wait':
        return action.ms;
      case 'dial':
        call.dial(action.digits);
        return 0;
      case 'hangUp':
        call.hangUp();
        return 0;
    }
  }

  private async runUntilCallersTurn(): Promise<void> {
    const limit = this.call.clock.now() + longestReplyMs;
    while (!this.call.isCallersTurn && this.call.clock.now() < limit && (await this.runNext()));
  }

  /** False when the call is over. */
  private async runNext(): Promise<boolean> {
    if (this.call.endReason !== null || !this.call.clock.runNext()) return false;
    this.events += 1;
    await this.afterEvent();
    return this.call.endReason === null;
  }

  private async afterEvent(): Promise<void> {
    this.noteWords();
    if (!this.isReplaying) await this.parts.show(this.call);
    await this.answerTools();
  }

  private noteWords(): void {
    const { speaking, heardText, language } = this.call;
    if (speaking === null || speaking.utterance === this.wordsHeardOf) return;
    if (countWords(heardText, language) < interruptedWords) return;
    this.wordsHeardOf = speaking.utterance;
    this.interruptAtEvent = this.events;
  }

  /** When the agent has said what it says meanwhile: nobody can think about a result while someone talks. */
  private async answerTools(): Promise<void> {
    const { call } = this;
    const [open] = this.openTools;
    if (open === undefined || call.isAgentSpeaking || call.clock.now() < open.since + toolMs) return;
    if (call.endReason !== null) return;
    this.openTools.shift();
    const known = this.answers[this.answered];
    const result = known?.result ?? (await this.parts.ask(open.id, open.call));
    if (known === undefined) this.answers.push({ name: open.call.name, result });
    this.answered += 1;
    open.onResult(result);
    await this.afterEvent();
  }
}
