import type { VirtualClock } from '../clock.ts';
import type { Engine } from '../engines/engine.ts';
import type { Output, OutputEvents, PhoneActions, Recorder, Tools, TransferTarget, Turn } from '../ports.ts';
import { Session } from '../session.ts';
import type { TextStage } from '../text/speakable.ts';
import type { ToolCall } from '../tools/tool.ts';
import type { Command, EndReason, TurnEvent, TurnPolicy } from '../turn/events.ts';
import type { TurnMachine } from '../turn/machine.ts';
import { Invariants } from './invariants.ts';
import { SeededRandom } from './random.ts';
import { createSimulatedCaller } from './simulated-caller.ts';
import type { NewEngine } from './simulated-engine.ts';
import { SimulatedVoice } from './simulated-voice.ts';
import { spokenWords } from './spoken-words.ts';

/** How the agent of a simulated call behaves. */
export interface CallSetup {
  readonly noise: number;
  readonly policy: TurnPolicy;
  readonly language: string;
  readonly speed: number;
  readonly newStages: () => readonly TextStage[];
  /** Where the call can be transferred to; null: it has no phone line. */
  readonly transfers?: readonly TransferTarget[] | null | undefined;
  /** A new engine for each call. */
  readonly newEngine: NewEngine;
  /** Between the ports and the session: for tests of what happens when a port fails or stalls. */
  readonly intercept?: Interception;
}

export interface Interception {
  start(dispatch: (event: TurnEvent) => void, clock: VirtualClock): void;
  engine(engine: Engine, clock: VirtualClock): Engine;
  output(output: Output, events: OutputEvents): Output;
  tools(tools: Tools, clock: VirtualClock): Tools;
  /** What the recognizer and the transport report. */
  input(event: TurnEvent, deliver: (event: TurnEvent) => void): void;
}

export interface TakenRoute {
  readonly skillId: string;
  /** As in `step.ts` of the flow: `routes.2`, `next`, `otherwise`, `anytime.0` or `retry`. */
  readonly route: string;
  /** Since the start of the call. */
  readonly atMs: number;
}

/** What the agent is saying, or said last. */
export interface Speaking {
  readonly utterance: number;
  text: string;
  /** Characters of the text that were heard. */
  heard: number;
  startedAt: number | null;
}

interface CallParts {
  readonly clock: VirtualClock;
  readonly tools: Tools;
  /** A tool of the phone line that needs no script. */
  readonly onPhoneTool?: (call: ToolCall) => void;
  /** How often the voice reports what was heard; 0: after every word. */
  readonly reportMs?: number;
}

/** A call on a virtual clock: the real machine and engine, with a simulated caller and voice. */
export class SimulatedCall {
  readonly clock: VirtualClock;
  readonly session: Session;
  readonly turns: Turn[] = [];
  readonly language: string;
  speaking: Speaking | null = null;
  /** What a model was asked for and had not been recorded. */
  readonly modelMisses: string[] = [];
  /** The routes of the flow that the call took, in order. */
  readonly path: TakenRoute[] = [];
  endReason: EndReason | null = null;
  durationMs = 0;
  /** Whether the agent has been asked to answer the caller's last words. */
  isAnswered = true;
  private readonly invariants: Invariants;
  private readonly caller: ReturnType<typeof createSimulatedCaller>;
  private readonly intercept: Interception | undefined;

  constructor(setup: CallSetup, seed: number, { clock, tools, onPhoneTool = () => {}, reportMs = 0 }: CallParts) {
    this.clock = clock;
    const { policy, language, noise, speed, newStages, transfers = null } = setup;
    const random = new SeededRandom(seed);
    this.language = language;
    this.invariants = new Invariants(policy);
    const { intercept } = setup;
    this.intercept = intercept;
    const dispatch = (event: TurnEvent) => this.session.dispatch(event);
    const deliver = (event: TurnEvent) =>
      intercept === undefined ? dispatch(event) : intercept.input(event, dispatch);
    this.caller = createSimulatedCaller(clock, deliver, random, { language, noise });
    const engine = setup.newEngine(clock, {
      history: () => this.turns,
      missed: (miss) => this.modelMisses.push(miss),
      took: (skillId, route) => this.path.push({ skillId, route, atMs: Math.round(clock.now()) }),
    });
    let toolCalls = 0;
    this.session = new Session({
      clock,
      policy,
      language,
      engine: intercept?.engine(engine, clock) ?? engine,
      input: this.caller,
      output: (events) => {
        const voice = new SimulatedVoice(clock, events, random, { language, noise, speed, reportMs });
        return intercept?.output(voice, events) ?? voice;
      },
      newStages,
      tools: intercept?.tools(tools, clock) ?? tools,
      newToolCallId: () => `tcl_${++toolCalls}`,
      phone: transfers && scriptedPhone(tools, transfers, onPhoneTool),
      recorder: this.recorder(),
      observe: (event, commands, machine, now) => this.observe(event, commands, machine, now),
    });
  }

  /** The first rule of conversation that was broken, if any. */
  get violation(): string | undefined {
    return this.invariants.violations[0];
  }

  /** Nobody speaks, and nothing that the caller said is unanswered. */
  get isCallersTurn(): boolean {
    return this.session.state === 'idle' && this.isAnswered;
  }

  get isAgentSpeaking(): boolean {
    const { state } = this.session;
    return state === 'agent' || state === 'overlap' || state === 'paused' || state === 'closing';
  }

  /** What the caller has heard so far of the current or last utterance. */
  get heardText(): string {
    return this.speaking?.startedAt == null ? '' : this.speaking.text.slice(0, this.speaking.heard);
  }

  get heardWords(): number {
    const { speaking } = this;
    if (speaking === null || speaking.startedAt === null) return 0;
    return spokenWords(speaking.text, this.language).filter(({ end }) => end <= speaking.heard).length;
  }

  connect(): void {
    this.intercept?.start((event) => this.session.dispatch(event), this.clock);
    this.session.dispatch({ type: 'connected' });
  }

  /** Returns how long it takes. */
  speak(text: string, durationMs?: number): number {
    this.isAnswered = false;
    return this.caller.speak(text, durationMs);
  }

  /** A sound without words. */
  cough(ms: number): void {
    this.caller.sound(ms);
  }

  dial(digits: string): void {
    this.session.dispatch({ type: 'dtmf', digits });
  }

  hangUp(): void {
    this.session.dispatch({ type: 'hangup' });
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
    if (event.type === 'play.progress' && this.speaking?.utterance === event.utterance) {
      this.speaking.heard = event.heard;
    }
  }

  private observeSay(utterance: number, text: string) {
    if (this.speaking?.utterance === utterance) this.speaking.text += text;
    else this.speaking = { utterance, text, heard: 0, startedAt: null };
  }
}

/** Nobody is called: `transfer_call` in the script of the tools says how a transfer ends. `onCall` gets the other tools. */
function scriptedPhone(
  tools: Tools,
  transfers: readonly TransferTarget[],
  onCall: (call: ToolCall) => void,
): PhoneActions {
  return {
    transfers,
    pressKeys: (digits) => {
      onCall({ name: 'press_keys', arguments: { digits } });
      return true;
    },
    play: () => {},
    doNotCallAgain: (onResult) => {
      onCall({ name: 'do_not_call_again', arguments: {} });
      onResult(null);
    },
    transfer: ({ name }, onResult) =>
      tools.run('', { name: 'transfer_call', arguments: { name } }, (scripted) => {
        if (scripted.isError) return onResult({ transferred: false, reason: scripted.message });
        const { transferred, reason = 'failed' } = (scripted.result ?? {}) as {
          transferred?: boolean;
          reason?: string;
        };
        onResult(transferred === true ? { transferred } : { transferred: false, reason });
      }),
  };
}
