import type { Agent } from '../../contract/agents/agent.ts';
import type { CallRecording } from '../audio/call-recording.ts';
import type { CallConditions, NotApplied } from '../policy.ts';
import type { Turn } from '../ports.ts';
import type { SessionParts } from '../session-parts.ts';
import type { AudioTransport, Detector, Stt, Tts } from '../speech-ports.ts';
import type { TurnPolicy, Unfinished } from '../turn/events.ts';
import type { FloorHolder } from '../turn/floor-holder.ts';
import type { EarlierConversation } from './conversation-log.ts';
import type { TranscriptFrame } from './live-transcript.ts';
import type { SpeechCache } from './speech-cache.ts';
import type { SpokenMemory } from './spoken-memory.ts';
import type { VoicemailOptions } from './voicemail.ts';

/** What speech a call has. */
export interface CallSpeech {
  /** The recognizer, and those that replace it if it fails. */
  readonly recognizers: readonly Stt[];
  /** The caller's own side recognizes what they say. */
  readonly isRecognizedByCaller: boolean;
  /** Null: what the agent says is only written. */
  readonly tts: Tts | null;
  /** The providers that replace it if all of the agent's voices have failed. */
  readonly otherTts?: readonly Tts[];
  readonly detector: Detector;
  readonly cache: SpeechCache;
  /** What of the agent's choice is not there. */
  readonly notApplied: readonly NotApplied[];
}

/** The audio of one connection. After a resume there is another. */
export interface CallAudio {
  /** Samples per second of what the caller sends. */
  readonly inputRate: number;
  readonly transport: AudioTransport;
}

export interface SpokenSessionParts
  extends Pick<
    SessionParts,
    | 'clock'
    | 'engine'
    | 'tools'
    | 'newToolCallId'
    | 'recorder'
    | 'newStages'
    | 'latencyBudgetMs'
    | 'lastUtterance'
    | 'observe'
    | 'onMetadata'
    | 'phone'
  > {
  /** Null, or absent: it is not detected who answers. */
  readonly voicemail?: VoicemailOptions | null | undefined;
  readonly agent: Agent;
  /** With the opening filled in, or none if the conversation has begun. */
  readonly policy: (recognizer: CallConditions['recognizer']) => TurnPolicy;
  /** Words that recognizers should expect. */
  readonly keywords: readonly string[];
  /** The result of `fixedSentences`, which is the same for all calls of an agent. */
  readonly fixedSentences: ReadonlySet<string>;
  readonly speech: CallSpeech;
  readonly audio: CallAudio;
  /** Null: the call is not recorded. */
  readonly recording: CallRecording | null;
  /** How long ago the call was connected. */
  readonly elapsedMs: number;
  /** The place in the transcript of the first turn that this session records. */
  readonly firstTurn: number;
  /** Null: a new conversation. */
  readonly resumed: Unfinished | null;
  /** Said first if the conversation goes on; null: nothing. */
  readonly resumeSentence?: string | null;
  /** Null: a new conversation, or nothing is known of the session before. */
  readonly memory: SpokenMemory | null;
  /** How the conversation went in the session before; null: there was none, or it was lost. */
  readonly earlierConversation: EarlierConversation | null;
  /** The tool turns of a reply that was lost with its session. */
  readonly resumedTurns: readonly Turn[];
  readonly isMuted: boolean;
  readonly onTranscript: (frame: TranscriptFrame) => void;
  readonly onFloor: (floor: FloorHolder) => void;
}

/** What a call has used of speech, in total since its session began. */
export interface SpeechUsage {
  readonly stt: readonly { readonly provider: string; readonly requests: number; readonly audioMs: number }[];
  readonly tts: readonly {
    readonly provider: string;
    readonly model: string | null;
    readonly requests: number;
    readonly characters: number;
  }[];
}
