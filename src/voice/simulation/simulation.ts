import { describeStep, type Step } from '../../contract/simulation-steps.ts';
import { VirtualClock } from '../clock.ts';
import type { Engine } from '../engines/engine.ts';
import type { Recorder, Turn } from '../ports.ts';
import { Session } from '../session.ts';
import type { TextStage } from '../text/speakable.ts';
import { countWords } from '../text/words.ts';
import type { Command, EndReason, TurnEvent, TurnPolicy } from '../turn/events.ts';
import type { TurnMachine } from '../turn/machine.ts';
import { Invariants } from './invariants.ts';
import { SeededRandom } from './random.ts';
import { ScriptedTools, type ToolScripts } from './scripted-tools.ts';
import { SimulatedCaller } from './simulated-caller.ts';
import type { SimulatedCall } from './simulated-engine.ts';
import { SimulatedVoice } from './simulated-voice.ts';

/** What all runs of a simulation share. */
export interface Simulation {
  readonly steps: readonly Step[];
  readonly tools: ToolScripts;
  readonly noise: number;
  readonly policy: TurnPolicy;
  readonly language: string;
  readonly speed: number;
  readonly newStages: () => readonly TextStage[];
  /** A new engine for each run. */
  readonly newEngine: (clock: VirtualClock, call: SimulatedCall) => Engine;
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
  readonly endReason: EndReason | null;
  readonly durationMs: number;
}

/** How long a caller waits for the agent before they speak anyway. */
const patienceMs = 15_000;
const expectationMs = 30_000;
/** A run that never comes to an end is a defect of the simulator itself. */
const maxEvents = 1_000_000;

export function runSimulation(simulation: Simulation, seed: number): RunResult {
  return new SimulationRun(simulation, seed).run();
}

export class SimulationRun {
  readonly clock = new VirtualClock();
  readonly session: Session;
  readonly caller: SimulatedCaller;
  readonly tools: ScriptedTools;
  private readonly invariants: Invariants;
  private readonly simulation: Simulation;
  private readonly seed: number;
  private readonly turns: Turn[] = [];
  private endReason: EndReason | null = null;
  private durationMs = 0;
  private stepIndex = 0;
  private stepStart = 0;
  private stepEnd: number | null = null;
  private isStepBegun = false;
  /** Whether the agent has been asked to answer the caller's last words. */
  private isAnswered = true;
  private readonly matchedTurns = new Set<number>();
  private readonly matchedCalls = new Set<number>();
  private speaking: { utterance: number; text: string; heard: number; startedAt: number | null } | null = null;
  private failure: Failure | null = null;
  private readonly modelMisses: string[] = [];

  constructor(simulation: Simulation, seed: number) {
    this.simulation = simulation;
    this.seed = seed;
    const { clock } = this;
    const { policy, language, noise, speed, newStages } = simulation;
    const random = new SeededRandom(seed);
    this.invariants = new Invariants(policy);
    this.tools = new ScriptedTools(clock, simulation.tools);
    this.caller = new SimulatedCaller(clock, (event) => this.session.dispatch(event), random, { language, noise });
    let toolCalls = 0;
    this.session = new Session({
      clock,
      policy,
      language,
      engine: simulation.newEngine(clock, {
        history: () => this.turns,
        missed: (miss) => this.modelMisses.push(miss),
      }),
      input: this.caller,
      output: (events) => new SimulatedVoice(clock, events, random, { language, noise, speed }),
      newStages,
      tools: this.tools,
      newToolCallId: () => `tcl_${++toolCalls}`,
      recorder: this.recorder(),
      observe: (event, commands, machine, now) => this.observe(event, commands, machine, now),
    });
  }

  run(): RunResult {
    this.session.dispatch({ type: 'connected' });
    let events = 0;
    while (this.endReason === null || this.stepIndex < this.simulation.steps.length) {
      this.advanceSteps();
      if (this.failure !== null) break;
      if (this.stepIndex >= this.simulation.steps.length) break;
      if (!this.clock.runNext() || ++events > maxEvents) {
        this.fail('the conversation goes on', 'nothing more can happen');
        break;
      }
    }
    this.session.dispatch({ type: 'hangup' });
    this.checkInvariants();
    const { seed, failure, turns, endReason, durationMs } = this;
    return { seed, failure, turns, endReason, durationMs };
  }

  private recorder(): Recorder {
    return {
      turn: (turn) => {
        this.turns[turn.index] = turn;
      },
      event: () => {},
      ended: (reason, atMs) => {
        this.endReason = reason;
        this.durationMs = atMs;
      },
    };
  }

  private observe(event: TurnEvent, commands: readonly Command[], machine: TurnMachine, now: number) {
    this.invariants.check(event, commands, machine, now);
    for (const command of commands) {
      if (command.type === 'say') this.observeSay(command.utterance, command.text);
      else if (command.type === 'reply.request' && command.kind === 'response') this.isAnswered = true;
    }
    if (event.type === 'play.start' && this.speaking?.utterance === event.utterance) this.speaking.startedAt = now;
    if (event.type === 'play.progress' && this.speaking?.utterance === event.utterance)
      this.speaking.heard = event.heard;
  }

  private observeSay(utterance: number, text: string) {
    if (this.speaking?.utterance === utterance) this.speaking.text += text;
    else this.speaking = { utterance, text, heard: 0, startedAt: null };
  }

  private checkInvariants() {
    const violation = this.invariants.violations[0];
    const miss = this.tools.misses[0];
    const modelMiss = this.modelMisses[0];
    if (this.failure !== null) return;
    if (violation !== undefined) this.fail(`invariant: ${violation.replace(/ \(at.*/, '')}`, violation);
    else if (modelMiss !== undefined) this.fail('a recorded reply for every request to the model', modelMiss);
    else if (miss !== undefined) this.fail(`a scripted result for tool ${miss}`, `tool ${miss} has no scripted result`);
  }

  private fail(expected: string, saw: string) {
    this.failure = { step: Math.min(this.stepIndex, this.simulation.steps.length - 1), expected, saw };
  }

  // Steps

  private advanceSteps() {
    for (let step = this.step; step !== undefined && this.failure === null; step = this.step) {
      this.checkInvariants();
      if (!this.isDone(step)) return;
      this.stepIndex += 1;
      this.stepStart = this.clock.now();
      this.stepEnd = null;
      this.isStepBegun = false;
    }
  }

  private get step(): Step | undefined {
    return this.simulation.steps[this.stepIndex];
  }

  private isDone(step: Step): boolean {
    const now = this.clock.now();
    if (this.stepEnd !== null) return now >= this.stepEnd || this.endReason !== null;
    switch (step.type) {
      case 'say':
        return this.isReadyToSay() && this.speak(step.text, step.durationMs);
      case 'interrupt':
        return this.isReadyToInterrupt(step.afterWords) && this.speak(step.text, undefined);
      case 'pause':
        return this.endStepAfter(step.ms);
      case 'cough':
        this.caller.sound(step.ms);
        return this.endStepAfter(step.ms);
      case 'dtmf':
        this.session.dispatch({ type: 'dtmf', digits: step.digits });
        return true;
      case 'hangUp':
        this.session.dispatch({ type: 'hangup' });
        return true;
      case 'expectSays':
        return this.isSaid(step);
      default:
        return this.isMet(step);
    }
  }

  private endStepAfter(ms: number): boolean {
    if (this.endReason !== null) return true;
    this.stepEnd = this.clock.now() + ms;
    this.wakeAfter(ms);
    return false;
  }

  private speak(text: string, durationMs: number | undefined): boolean {
    if (this.endReason !== null) return true;
    this.isAnswered = false;
    return this.endStepAfter(this.caller.speak(text, durationMs));
  }

  /** Nothing else may be due at the end of a wait: the clock must come by. */
  private wakeAfter(ms: number) {
    this.clock.after(ms, () => {});
  }

  private beginWait(ms: number) {
    if (this.isStepBegun) return;
    this.isStepBegun = true;
    this.wakeAfter(ms);
  }

  private isReadyToSay(): boolean {
    this.beginWait(patienceMs);
    const isAgentDone = this.session.state === 'idle' && this.isAnswered;
    return isAgentDone || this.endReason !== null || this.clock.now() >= this.stepStart + patienceMs;
  }

  private isReadyToInterrupt(words: number): boolean {
    this.beginWait(patienceMs);
    const { state } = this.session;
    const isHeard = state === 'agent' || state === 'closing';
    const heard = this.speaking?.startedAt != null ? this.speaking.text.slice(0, this.speaking.heard) : '';
    const isDue = isHeard && countWords(heard, this.simulation.language) >= words;
    return isDue || this.endReason !== null || this.clock.now() >= this.stepStart + patienceMs;
  }

  // Expectations

  private isSaid(step: Extract<Step, { type: 'expectSays' }>): boolean {
    const limit = this.stepStart + (step.withinMs ?? expectationMs);
    this.beginWait(limit - this.stepStart);
    const unmatched = this.turns.filter(({ role, index }) => role === 'agent' && !this.matchedTurns.has(index));
    const turn = unmatched.find(({ text }) => step.pattern.matcher(text).find());
    if (turn !== undefined) {
      this.matchedTurns.add(turn.index);
      if (turn.startMs <= limit) return true;
      this.fail(describeStep(step), `it was said after ${Math.round(turn.startMs - this.stepStart)} ms`);
      return false;
    }
    const startedAt = this.speaking?.startedAt ?? Number.POSITIVE_INFINITY;
    const isSpeaking = this.session.state !== 'idle' && startedAt <= limit;
    if (this.endReason !== null || (this.clock.now() >= limit && !isSpeaking)) {
      const texts = unmatched.map(({ text }) => JSON.stringify(text));
      this.fail(describeStep(step), texts.length === 0 ? 'the agent said nothing' : `agent says ${texts.join(', ')}`);
    }
    return false;
  }

  private isMet(step: Step): boolean {
    this.beginWait(expectationMs);
    const saw = this.compare(step);
    if (saw === null) return true;
    const isOver = this.endReason !== null || this.clock.now() >= this.stepStart + expectationMs;
    if (isOver) this.fail(describeStep(step), saw);
    return false;
  }

  /** Null if the expectation is met, else what is the case. */
  private compare(step: Step): string | null {
    if (step.type === 'expectEnd') {
      if (this.endReason === step.reason) return null;
      return this.endReason === null ? 'the call goes on' : `the call ended with ${this.endReason}`;
    }
    if (step.type === 'expectVariable') {
      const value = this.session.variables[step.name];
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
