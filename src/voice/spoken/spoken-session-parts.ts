import type { Agent } from '../../contract/agent.ts';
import type { CallRecording } from '../audio/call-recording.ts';
import type { NewResampler } from '../audio/pcm.ts';
import type { Clock } from '../clock.ts';
import type { EngineFacts, NewEngine } from '../engines/create.ts';
import type { Recorder, Tools, Turn } from '../ports.ts';
import type { SessionParts } from '../session-parts.ts';
import type { AudioTransport, Detector, Stt, Tts } from '../speech-ports.ts';
import type { TextStage } from '../text/speakable.ts';
import type { FloorHolder } from './floor-holder.ts';
import type { TranscriptFrame } from './live-transcript.ts';
import type { SpeechCache } from './speech-cache.ts';

/** What speech a call has. */
export interface CallSpeech {
  /** The recognizer, and those that replace it if it fails. */
  readonly recognizers: readonly Stt[];
  /** The caller's own side recognizes what they say. */
  readonly isRecognizedByCaller: boolean;
  /** Null: what the agent says is only written. */
  readonly tts: Tts | null;
  readonly detector: Detector;
  readonly cache: SpeechCache;
  readonly newResampler: NewResampler;
}

/** What a call needs to go on in another session. */
export interface ContinuedCall {
  readonly history: readonly Turn[];
  readonly contexts: readonly string[];
  readonly engineState: unknown;
  readonly elapsedMs: number;
  readonly isMuted: boolean;
}

export interface SpokenSessionParts {
  readonly clock: Clock;
  readonly agent: Agent;
  readonly isFlow: boolean;
  readonly newEngine: NewEngine;
  readonly facts: Pick<EngineFacts, 'startedAt' | 'time' | 'variables' | 'defaults' | 'metadata' | 'llm'>;
  readonly newStages: () => readonly TextStage[];
  /** Of `fixedSentences`, which is the same for all calls of an agent. */
  readonly fixedSentences: ReadonlySet<string>;
  readonly tools: Tools;
  readonly newToolCallId: () => string;
  readonly speech: CallSpeech;
  /** The caller's audio has this many samples per second. */
  readonly inputRate: number;
  readonly transport: AudioTransport;
  readonly recording: CallRecording | null;
  readonly recorder: Recorder;
  readonly onTranscript: (frame: TranscriptFrame) => void;
  readonly onFloor: (floor: FloorHolder) => void;
  readonly continued?: ContinuedCall;
  /** Sees every step of the machine: for the invariants. */
  readonly observe?: SessionParts['observe'];
}

export interface SpeechUsage {
  readonly capability: 'stt' | 'tts';
  readonly provider: string;
  readonly model: string | null;
  readonly requests: number;
  readonly audioMs: number;
  readonly characters: number;
}
