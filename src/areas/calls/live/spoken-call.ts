import type { Agent } from '../../../contract/agent.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { Clock } from '../../../voice/clock.ts';
import type { Engine } from '../../../voice/engines/engine.ts';
import type { Circumstances, NotApplied } from '../../../voice/policy.ts';
import type { Recorder, Tools, Turn } from '../../../voice/ports.ts';
import type { AudioTransport } from '../../../voice/speech-ports.ts';
import type { EndReason, TurnPolicy } from '../../../voice/turn/events.ts';

/** The audio of one connection. After a resume there is another. */
export interface CallAudio {
  /** Samples per second of what the caller sends. */
  readonly inputRate: number;
  readonly transport: AudioTransport;
}

export type FloorHolder = 'caller' | 'agent' | 'none';

export interface TranscriptPart {
  readonly role: 'caller' | 'agent';
  /** All of the turn so far. */
  readonly text: string;
  readonly isFinal: boolean;
  /** Its place in the transcript. */
  readonly turn: number;
}

/** What a conversation that goes on in another process still has to do. What was said before is in the transcript. */
export interface Unfinished {
  /** The agent has not opened the conversation. */
  readonly isOpening: boolean;
  /** The caller's words that are recorded and not answered; empty if the agent is to take a turn; null: nothing. */
  readonly words: string | null;
  /** What the agent had yet to say, from the start of a sentence. */
  readonly unsaid: string | null;
}

/** What a spoken session is made of: everything except the speech. */
export interface SpokenCallParts {
  readonly agent: Agent;
  readonly clock: Clock;
  readonly engine: Engine;
  /** With the opening filled in, or none if the conversation has begun. */
  readonly policy: (recognizer: Circumstances['recognizer']) => TurnPolicy;
  readonly tools: Tools;
  readonly newToolCallId: () => string;
  readonly recorder: Recorder;
  /** How long ago the call was connected. */
  readonly elapsedMs: number;
  readonly latencyBudgetMs: number | undefined;
  readonly audio: CallAudio;
  /** The file of the media store to record to; null: the call is not recorded. */
  readonly recordingName: string | null;
  /** The place in the transcript of the first turn that this session records. */
  readonly firstTurn: number;
  /** Null: a new conversation. */
  readonly resumed: Unfinished | null;
  /** The tool turns of a reply that was lost with its process. */
  readonly resumedTurns: readonly Turn[];
  readonly isMuted: boolean;
  readonly transcript: (part: TranscriptPart) => void;
  readonly floor: (holder: FloorHolder) => void;
}

/** A running conversation. What happens in it goes to the recorder; after `leave` and after the end, nothing does. */
export interface SpokenCall {
  readonly capabilities: { readonly speechIn: boolean; readonly speechOut: boolean };
  /** Settings that the speech of this call cannot honor. */
  readonly notApplied: readonly NotApplied[];
  /** Whether the agent is speaking, or about to. */
  readonly isReplying: boolean;
  readonly isToolRunning: boolean;
  readonly isRecording: boolean;

  /** Begins the conversation, or goes on with what was unfinished. */
  connect(): void;
  audio(samples: Int16Array): void;
  played(utterance: number, samples: number): void;
  text(words: string): void;
  /** Words that the caller's browser has recognized. */
  recognized(words: string, isFinal: boolean): void;
  dtmf(digits: string): void;
  /** The connection is gone, and may resume. */
  lost(): void;
  resumed(audio: CallAudio): void;
  hangUp(): void;
  stop(reason: EndReason): void;

  say(text: string, isInterrupting: boolean): void;
  respond(): void;
  mute(isOn: boolean): void;
  /** The file holds silence meanwhile. */
  pauseRecording(isPaused: boolean): void;

  unfinished(): Unfinished;
  /** Stops without an end: records what was said and heard so far, and nothing afterwards. */
  leave(): void;
  /** Resolves once the recording is on the disk, after the end or `leave`. */
  closed(): Promise<void>;
  speechUsage(): SpeechUsage;
  conversation(): NonNullable<Call['conversation']>;
}

/** What a call has used of speech, in total since this session began. */
export interface SpeechUsage {
  readonly stt: readonly { readonly provider: string; readonly requests: number; readonly audioMs: number }[];
  readonly tts: readonly {
    readonly provider: string;
    readonly model: string | null;
    readonly requests: number;
    readonly characters: number;
  }[];
}

/** Assembles the session of a web call. */
export type NewSpokenCall = (parts: SpokenCallParts) => SpokenCall;
