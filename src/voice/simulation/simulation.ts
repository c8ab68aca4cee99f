import { describeStep, type Step } from '../../contract/simulations/steps.ts';
import { VirtualClock } from '../clock.ts';
import type { Turn } from '../ports.ts';
import type { ToolCall, ToolResult } from '../tools/tool.ts';
import type { EndReason } from '../turn/events.ts';
import { ScriptedTools, type ToolScripts } from './scripted-tools.ts';
import { type CallSetup, SimulatedCall, type TakenRoute } from './simulated-call.ts';

/** What all runs of a simulation share. */
export interface Simulation extends CallSetup {
  readonly steps: readonly Step[];
  readonly tools: ToolScripts;
  /** The result of a call that would not be sent, because its arguments do not fit into the URL of the tool. */
  readonly refuseTool: (call: ToolCall) => ToolResult | undefined;
}

export interface Failure {
  readonly step: number;
  readonly expected: string;
  readonly saw: string;
}

export interface RunResult {
  readonly seed: number;
  readonly failure: Failure | null;
  readonly turns: readonly Turn[];
  /** The routes of the flow that the run took, in order. */
  readonly path: readonly TakenRoute[];
  /** Null if the call was not over when the script was. */
  readonly endReason: EndReason | null;
  readonly durationMs: number;
}

/** How long a caller waits for the agent before they speak anyway. */
const maxWaitMs = 15_000;
const expectationMs = 30_000;
/** A run that never comes to an end is a defect of the simulator itself. */
const maxEvents = 1_000_000;

export function runSimulation(simulation: Simulation, seed: number): RunResult {
  return new SimulationRun(simulation, seed).run();
}

/** Time outside a simulation, for one that asks something outside. */
export interface Pace {
  /** Since the start of the run. */
  elapsedMs(): number;
  /** Until something may have happened. */
  wait(): Promise<void>;
}

/** Runs a simulation in real time. What arrives from outside must be put on the clock of the run. */
export function runAtPace(simulation: Simulation, seed: number, pace: Pace): Promise<RunResult> {
  return new SimulationRun(simulation, seed).runAtPace(pace);
}

class SimulationRun {
  private readonly call: SimulatedCall;
  private readonly tools: ScriptedTools;
  private readonly steps: readonly Step[];
  private readonly seed: number;
  private stepIndex = 0;
  private stepStart = 0;
  private stepEnd: number | null = null;
  private isStepBegun = false;
  /** Turns that the present step has compared with its pattern: they do not change. */
  private turnsCompared = 0;
  private readonly matchedTurns = new Set<number>();
  private readonly matchedCalls = new Set<number>();
  private failure: Failure | null = null;

  constructor(simulation: Simulation, seed: number) {
    this.steps = simulation.steps;
    this.seed = seed;
    const clock = new VirtualClock();
    this.tools = new ScriptedTools(clock, simulation.tools, { refuse: simulation.refuseTool });
    // An interruption after some words needs them one by one. Without, a report that keeps the call alive is enough.
    const reportMs = simulation.steps.some(({ type }) => type === 'interrupt') ? 0 : 2000;
    const onPhoneTool = (call: ToolCall) => this.tools.calls.push(call);
    this.call = new SimulatedCall(simulation, seed, { clock, tools: this.tools, onPhoneTool, reportMs });
  }

  run(): RunResult {
    const { call } = this;
    call.connect();
    let events = 0;
    while (this.goesOn()) {
      if (!call.clock.runNext() || ++events > maxEvents) {
        this.fail('the conversation goes on', 'nothing more can happen');
        break;
      }
    }
    return this.finish();
  }

  async runAtPace(pace: Pace): Promise<RunResult> {
    this.call.connect();
    while (this.goesOn()) {
      if (!this.call.clock.runNext(pace.elapsedMs())) await pace.wait();
    }
    return this.finish();
  }

  private goesOn(): boolean {
    this.advanceSteps();
    return this.failure === null && this.stepIndex < this.steps.length;
  }

  private finish(): RunResult {
    const { call, seed } = this;
    const { endReason } = call;
    call.hangUp();
    this.checkInvariants();
    const { failure } = this;
    return { seed, failure, turns: call.turns, path: call.path, endReason, durationMs: call.durationMs };
  }

  private get now(): number {
    return this.call.clock.now();
  }

  private get isEnded(): boolean {
    return this.call.endReason !== null;
  }

  private checkInvariants() {
    const { violation } = this.call;
    const miss = this.tools.misses[0];
    const modelMiss = this.call.modelMisses[0];
    if (this.failure !== null) return;
    if (violation !== undefined) this.fail(`invariant: ${violation.replace(/ \(at.*/, '')}`, violation);
    else if (modelMiss !== undefined) this.fail('a recorded reply for every request to the model', modelMiss);
    else if (miss !== undefined) this.fail(`a scripted result for tool ${miss}`, `tool ${miss} has no scripted result`);
  }

  private fail(expected: string, saw: string) {
    this.failure = { step: Math.min(this.stepIndex, this.steps.length - 1), expected, saw };
  }

  // Steps

  private advanceSteps() {
    for (let step = this.step; step !== undefined && this.failure === null; step = this.step) {
      this.checkInvariants();
      if (!this.isDone(step)) return;
      this.stepIndex += 1;
      this.stepStart = this.now;
      this.stepEnd = null;
      this.isStepBegun = false;
      this.turnsCompared = 0;
    }
  }

  private get step(): Step | undefined {
    return this.steps[this.stepIndex];
  }

  private isDone(step: Step): boolean {
    if (this.stepEnd !== null) return this.now >= this.stepEnd || this.isEnded;
    switch (step.type) {
      case 'say':
        return this.isReadyToSay() && this.speak(step.text, step.durationMs);
      case 'interrupt':
        return this.isReadyToInterrupt(step.afterWords) && this.speak(step.text, undefined);
      case 'pause':
        return this.endStepAfter(step.ms);
      case 'cough':
        this.call.cough(step.ms);
        return this.endStepAfter(step.ms);
      case 'dtmf':
        this.call.dial(step.digits);
        return true;
      case 'hangUp':
        this.call.hangUp();
        return true;
      case 'expectSays':
        return this.isSaid(step);
      case 'expectEnd':
      case 'expectVariable':
      case 'expectTool':
        return this.isMet(step);
      default:
        return step satisfies never;
    }
  }

  private endStepAfter(ms: number): boolean {
    if (this.isEnded) return true;
    this.stepEnd = this.now + ms;
    this.wakeAfter(ms);
    return false;
  }

  private speak(text: string, durationMs: number | undefined): boolean {
    if (this.isEnded) return true;
    return this.endStepAfter(this.call.speak(text, durationMs));
  }

  /** Nothing else may be due at the end of a wait: the clock must come by. */
  private wakeAfter(ms: number) {
    this.call.clock.after(ms, () => {});
  }

  private beginWait(ms: number) {
    if (this.isStepBegun) return;
    this.isStepBegun = true;
    this.wakeAfter(ms);
  }

  private isReadyToSay(): boolean {
    this.beginWait(maxWaitMs);
    return this.call.isCallersTurn || this.isEnded || this.now >= this.stepStart + maxWaitMs;
  }

  private isReadyToInterrupt(words: number): boolean {
    this.beginWait(maxWaitMs);
    const { session } = this.call;
    const isHeard = session.state === 'agent' || session.state === 'closing';
    const isDue = isHeard && this.call.heardWords >= words;
    return isDue || this.isEnded || this.now >= this.stepStart + maxWaitMs;
  }

  // Expectations

  private isSaid(step: Extract<Step, { type: 'expectSays' }>): boolean {
    const limit = this.stepStart + (step.withinMs ?? expectationMs);
    this.beginWait(limit - this.stepStart);
    const turn = this.nextMatch(step.pattern);
    if (turn !== undefined) {
      this.matchedTurns.add(turn.index);
      if (turn.startMs <= limit) return true;
      this.fail(describeStep(step), `it was said after ${Math.round(turn.startMs - this.stepStart)} ms`);
      return false;
    }
    if (!this.isEnded && this.now < limit) return false;
    const startedAt = this.call.speaking?.startedAt ?? Number.POSITIVE_INFINITY;
    const isSpeaking = this.call.session.state !== 'idle' && startedAt <= limit;
    if (this.isEnded || !isSpeaking) {
      const texts = this.call.turns.filter((each) => this.isUnmatched(each)).map(({ text }) => JSON.stringify(text));
      this.fail(describeStep(step), texts.length === 0 ? 'the agent said nothing' : `agent says ${texts.join(', ')}`);
    }
    return false;
  }

  private nextMatch(pattern: Extract<Step, { type: 'expectSays' }>['pattern']): Turn | undefined {
    const { turns } = this.call;
    while (this.turnsCompared < turns.length) {
      const turn = turns[this.turnsCompared++] as Turn;
      if (this.isUnmatched(turn) && pattern.test(turn.text)) return turn;
    }
    return undefined;
  }

  /** Something that the agent said and no earlier step has matched. */
  private isUnmatched({ role, index }: Turn): boolean {
    return role === 'agent' && !this.matchedTurns.has(index);
  }

  private isMet(step: Step): boolean {
    this.beginWait(expectationMs);
    const saw = this.compare(step);
    if (saw === null) return true;
    const isOver = this.isEnded || this.now >= this.stepStart + expectationMs;
    if (isOver) this.fail(describeStep(step), saw);
    return false;
  }

  /** Null if the expectation is met, else what is the case. */
  private compare(step: Step): string | null {
    if (step.type === 'expectEnd') {
      const { endReason } = this.call;
      if (endReason === step.reason) return null;
      return endReason === null ? 'the call goes on' : `the call ended with ${endReason}`;
    }
    if (step.type === 'expectVariable') {
      const value = this.call.session.variables[step.name];
      return value === step.value ? null : `${step.name} = ${value === undefined ? 'nothing' : JSON.stringify(value)}`;
    }
    if (step.type !== 'expectTool') return null;
    const { calls } = this.tools;
    const index = calls.findIndex(
      (call, at) => !this.matchedCalls.has(at) && call.name === step.name && contains(call.arguments, step.arguments),
    );
    if (index >= 0) {
      this.matchedCalls.add(index);
      return null;
    }
    const seen = calls.map((call) => `tool ${call.name} ${JSON.stringify(call.arguments)}`);
    return seen.length === 0 ? 'no tool was called' : seen.join(', ');
  }
}

/** Whether the listed properties, and theirs in turn, have these values. Others may be there as well. */
function contains(value: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return value === expected;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  if (Array.isArray(expected) && expected.length !== (value as unknown[]).length) return false;
  return Object.entries(expected).every(([name, each]) => contains((value as Record<string, unknown>)[name], each));
}
