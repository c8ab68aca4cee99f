import type { Clock } from './clock.ts';
import type { Engine, TurnSettings } from './engines/engine.ts';
import type { Input, Output, OutputEvents, PhoneActions, Recorder, Tools, TransferTarget, Turn } from './ports.ts';
import type { TextStage } from './text/speakable.ts';
import type { Command, TurnEvent, TurnPolicy } from './turn/events.ts';
import type { TurnMachine } from './turn/machine.ts';
import type { Counts } from './turn/parts.ts';

/** What a session has learned, for the next one of the call. */
export interface SessionMemory extends Counts {
  /** What the engine has changed of the policy. */
  readonly settings: TurnSettings;
}

/** What a session is made of. */
export interface SessionParts {
  readonly clock: Clock;
  readonly policy: TurnPolicy;
  readonly language: string;
  readonly engine: Engine;
  readonly input: Input;
  /** Takes the events of the session, because what it says is reported while it is said. */
  readonly output: (events: OutputEvents) => Output;
  /** What the voice gets instead of the text, in order. New ones for each reply: a code block spans its sentences. */
  readonly newStages: () => readonly TextStage[];
  readonly tools: Tools;
  readonly newToolCallId: () => string;
  /** Null, or absent: the call has no phone line. */
  readonly phone?: PhoneActions | null | undefined;
  readonly recorder: Recorder;
  /**
   * The tool turns of a reply that was lost, if its words are dispatched again as `isRecorded`. None of these tools is
   * called a second time: a finished one has its result, and one that is not is repeated under its id.
   */
  readonly resumedTurns?: readonly Turn[];
  /** The index of its first turn, for a call that continues. */
  readonly firstIndex?: number;
  /** No utterance of an earlier session has a higher number than this; 0 if it is not given. */
  readonly lastUtterance?: number;
  /** When the call was connected, on its clock: now, if it is not given. */
  readonly startedAt?: number;
  /** The memory of the session before. */
  readonly memory?: SessionMemory | undefined;
  /** Gets a reply as it is generated, before it is split into sentences. */
  readonly onReplyText?: (text: string) => void;
  /** Something for the caller's page, from the engine. */
  readonly onMetadata?: (metadata: unknown) => void;
  /** A reply has failed; `detail` says why if the engine did. */
  readonly onFailure?: (detail: string) => void;
  /** A transfer has begun or, with null, failed. */
  readonly onTransfer?: (mode: TransferTarget['mode'] | null) => void;
  readonly latencyBudgetMs?: number | undefined;
  /** Sees every step of the machine: for the invariants. */
  readonly observe?: (event: TurnEvent, commands: readonly Command[], machine: TurnMachine, now: number) => void;
}
