import { isStepIssue, parseStep, type Step } from '../../contract/simulations/steps.ts';
import { VirtualClock } from '../../voice/clock.ts';
import { ScriptedTools, type ToolScripts } from '../../voice/simulation/scripted-tools.ts';
import { type CallSetup, SimulatedCall } from '../../voice/simulation/simulated-call.ts';
import type { Simulation } from '../../voice/simulation/simulation.ts';
import { countWords } from '../../voice/text/words.ts';
import type { ToolCall, ToolResult } from '../../voice/tools/tool.ts';

/** A step that the caller took, and when: the clock repeats a call exactly if it is taken after the same number of events. */
interface TakenStep {
  /** As in a script. */
  readonly line: string;
  readonly step: Step;
  readonly atEvent: number;
  readonly atMs: number;
}

export interface InteractiveParts {
  readonly setup: CallSetup & Pick<Simulation, 'refuseTool'>;
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

const interruptedWords = 3;
/** A tool takes this long at least, so that the agent can begin to say that it needs a moment. */
const toolMs = 300;
/** An agent that is still busy then is not waited for any longer. */
const longestReplyMs = 60_000;
/** A detector reports the end of a sound late. */
const soundReportedMs = 500;

/** A simulated call that goes on when the caller does something, and stops when it is their turn again. */
export class InteractiveCall {
  call!: SimulatedCall;
  readonly taken: TakenStep[] = [];
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

  /** Takes a step of a script, and lets time pass until the agent has answered. False if it is not a step. */
  async take(line: string): Promise<boolean> {
    const step = parseStep(line);
    if (isStepIssue(step)) return false;
    this.taken.push({ line, step, atEvent: this.events, atMs: this.call.clock.now() });
    const end = this.apply(step);
    await this.afterEvent();
    while (this.call.clock.now() < end && (await this.runNext()));
    await this.runUntilCallersTurn();
    return true;
  }

  /** Goes back to the agent's last words and interrupts them. False if there are none. */
  async interrupt(text: string, onRewound: (call: SimulatedCall) => void): Promise<boolean> {
    const end = this.interruptAtEvent;
    if (end === null) return false;
    await this.rewind(end);
    onRewound(this.call);
    return this.take(`interrupt after ${interruptedWords} words ${quoted(text)}`);
  }

  private restart(): void {
    const { setup, seed, tools } = this.parts;
    const clock = new VirtualClock();
    this.events = 0;
    this.answered = 0;
    this.openTools = [];
    this.interruptAtEvent = null;
    this.wordsHeardOf = null;
    const scripted = new ScriptedTools(clock, tools, {
      refuse: setup.refuseTool,
      onMiss: (id, call, onResult) => {
        this.openTools.push({ id, call, onResult, since: clock.now() });
        clock.after(toolMs, () => {});
      },
    });
    this.call = new SimulatedCall(setup, seed, { clock, tools: scripted });
    this.call.connect();
  }

  /** Repeats the call up to an event: everything in it is determined by the caller's actions and the tools. */
  private async rewind(end: number): Promise<void> {
    const past = this.taken.splice(0).filter(({ atEvent }) => atEvent < end);
    this.isReplaying = true;
    this.restart();
    for (const taken of past) {
      await this.replayTo(taken.atEvent);
      this.taken.push(taken);
      this.apply(taken.step);
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
  private apply(step: Step): number {
    const { clock } = this.call;
    const ms = this.begin(step);
    // The clock must come by, even if nothing else happens then.
    clock.after(ms, () => {});
    return clock.now() + ms;
  }

  private begin(step: Step): number {
    const { call } = this;
    if (step.type === 'say' || step.type === 'interrupt') return call.speak(step.text);
    if (step.type === 'pause') return step.ms;
    if (step.type === 'cough') {
      call.cough(step.ms);
      return step.ms + soundReportedMs;
    }
    if (step.type === 'dtmf') call.dial(step.digits);
    else call.hangUp();
    return 0;
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

/** A text in a step. */
export function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
