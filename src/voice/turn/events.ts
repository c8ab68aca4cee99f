import type { EndReason } from '../../contract/calls/end-reasons.ts';
import type { ReplyKind } from '../engines/engine.ts';

export type { EndReason };

export const states = [
  /** Connected, before the agent's first words. */
  'opening',
  /** Nobody speaks. */
  'idle',
  /** The caller has the floor. */
  'caller',
  /** The caller stopped; the agent waits whether they continue. */
  'endpoint',
  /** The agent is about to speak: nothing is heard yet. */
  'thinking',
  /** The agent is heard. */
  'agent',
  /** The caller started while the agent speaks; undecided. */
  'overlap',
  /** The agent is paused until it is clear whether words follow. */
  'paused',
  /** The transport is gone and may resume. */
  'lost',
  /** The caller is being connected to another phone: nobody listens, and the agent is silent. */
  'transferring',
  /** The last utterance plays to its end before the call ends. */
  'closing',
  'ended',
] as const;
export type State = (typeof states)[number];

export const timerNames = [
  'begin',
  'endpoint',
  'sttWait',
  'bargeIn',
  'falseInterruption',
  'reminder',
  'silence',
  'max',
  'backchannel',
  'reply',
  'waiting',
  'noise',
  'digits',
  'hold',
  'playback',
  'settle',
  'lost',
  'drain',
] as const;
export type TimerName = (typeof timerNames)[number];

/** Why an agent turn was said. */
export type Source = 'begin' | 'engine' | 'reminder' | 'waiting' | 'fallback' | 'control';

export interface Sentence {
  readonly text: string;
  readonly isUninterruptible: boolean;
}

/** What the service says itself, without the engine. */
export interface ServiceSpeech {
  readonly source: Source;
  readonly sentences: readonly Sentence[];
}

/**
 * Who asks for a transfer. `tool`: a reply, which waits for the result. `engine`: an engine beside its replies. `api`: even
 * if the caller speaks.
 */
export type TransferSource = 'tool' | 'engine' | 'api';

/** Timers, and when each is due. */
export type Deadlines = readonly (readonly [TimerName, number])[];

/** Whether the call ends after what is being said, and whether the caller's words can withdraw that (rule 17). */
export type EndsAfterSpeech = 'no' | 'withdrawable' | 'final';

/** What a conversation that goes on in another session still has to do. What was said before is in the transcript. */
export interface Unfinished {
  /** The agent has not opened the conversation. */
  readonly isOpening: boolean;
  /** The caller's words that are not answered; empty if the agent is to take a turn; null: nothing. */
  readonly words: string | null;
  /** What the agent had yet to say, from the start of the sentence that was cut. */
  readonly unsaid: readonly ServiceSpeech[];
  readonly endsAfterSpeech: EndsAfterSpeech;
  /** The idle timers that were set, and how long each of them had left. */
  readonly idleTimers: Deadlines;
}

export interface Transcript {
  readonly text: string;
  /** Counts the parts of the caller's speech between two flushes; absent if the recognizer does not know it. */
  readonly segment?: number;
}

/** Times are milliseconds on the clock of the call. */
export type TurnEvent =
  | { readonly type: 'connected' }
  | { readonly type: 'hangup' }
  | { readonly type: 'stop'; readonly reason: EndReason }
  /** A typed message: a finished turn of the caller. `isRecorded`: it is in the transcript, and only its reply is missing. `receivedAt`: the latency counts from then. */
  | { readonly type: 'text'; readonly text: string; readonly isRecorded?: boolean; readonly receivedAt?: number }
  /** `since`: the first or the last voiced frame, which detectors report late. */
  | { readonly type: 'vad.start'; readonly since: number }
  | { readonly type: 'vad.end'; readonly since: number }
  /** `text`: all words since the last final. */
  | ({ readonly type: 'stt.partial' } & Transcript)
  | ({ readonly type: 'stt.final' } & Transcript)
  | { readonly type: 'stt.failed' }
  /** Its first text has arrived, which need not be a sentence yet. */
  | { readonly type: 'reply.started'; readonly turn: number }
  | {
      readonly type: 'reply.text';
      readonly turn: number;
      readonly text: string;
      readonly isUninterruptible: boolean;
    }
  | {
      readonly type: 'reply.end';
      readonly turn: number;
      readonly endCall: boolean;
      readonly isFinal: boolean;
      /** The caller asked for a moment: the idle timers start this much later. */
      readonly waitMs?: number;
    }
  | { readonly type: 'reply.failed'; readonly turn: number }
  /** The engine cannot be asked at present, and sees to it that this ends: the timeouts of the reply stop meanwhile. */
  | { readonly type: 'reply.suspended'; readonly turn: number }
  | { readonly type: 'reply.continued'; readonly turn: number }
  /** The engine speaks without having been asked. `endCall`: and hangs up afterwards. */
  | {
      readonly type: 'reply.interrupt';
      readonly text: string;
      readonly isUninterruptible?: boolean;
      readonly endCall?: boolean;
    }
  /** The engine is gone: the call ends after what is being said. */
  | { readonly type: 'finish' }
  | { readonly type: 'tool.start'; readonly turn: number; readonly say: string }
  | { readonly type: 'tool.end'; readonly turn: number }
  /** The first audio was handed to the transport. */
  | { readonly type: 'play.sent'; readonly utterance: number }
  /** The first sample was played, at `since` if that is known to be earlier. */
  | { readonly type: 'play.start'; readonly utterance: number; readonly since?: number }
  /** `heard`: characters of the utterance's text; `remainingMs`: audio that was sent and not yet played. */
  | {
      readonly type: 'play.progress';
      readonly utterance: number;
      readonly heard: number;
      readonly remainingMs: number;
    }
  | { readonly type: 'play.done'; readonly utterance: number }
  /** What was heard before `clear` took effect. */
  | { readonly type: 'play.cleared'; readonly utterance: number; readonly heard: number }
  | { readonly type: 'tts.failed'; readonly utterance: number }
  | { readonly type: 'transport.lost' }
  | { readonly type: 'transport.resumed' }
  | { readonly type: 'policy'; readonly policy: TurnPolicy }
  /** Keys that the caller pressed, as they arrive. */
  | { readonly type: 'dtmf'; readonly digits: string }
  | { readonly type: 'say'; readonly text: string; readonly isInterrupting: boolean }
  | { readonly type: 'respond' }
  /** The call is to be transferred once the agent has finished speaking. */
  | { readonly type: 'transfer.request'; readonly by: TransferSource }
  /** The transfer has failed: the conversation goes on. */
  | { readonly type: 'transfer.failed' }
  /** What an earlier session of the call had yet to say, and what of its silence was left. */
  | ({ readonly type: 'continue' } & Pick<Unfinished, 'unsaid' | 'endsAfterSpeech' | 'idleTimers'>)
  | { readonly type: 'mute'; readonly isOn: boolean }
  | { readonly type: 'timer'; readonly name: TimerName };

export type CallEvent =
  | { readonly type: 'speech_started' | 'speech_ended'; readonly role: 'agent' | 'caller'; readonly atMs: number }
  | { readonly type: 'agent_interrupted' }
  | { readonly type: 'false_interruption' }
  | { readonly type: 'reply_failed' }
  | { readonly type: 'dtmf_received'; readonly digits: string }
  | { readonly type: 'warning'; readonly code: string; readonly message: string };

export type Command =
  | { readonly type: 'reply.request'; readonly turn: number; readonly kind: ReplyKind; readonly words: string }
  | { readonly type: 'reply.cancel'; readonly turn: number }
  /** The caller's turn is committed, or the caller hears the reply: what the engine changed for it lasts. */
  | { readonly type: 'reply.accept'; readonly turn: number }
  /** The caller stopped, for now: the engine may prepare a reply to these words. */
  | { readonly type: 'reply.prepare'; readonly words: string }
  | {
      readonly type: 'say';
      readonly utterance: number;
      readonly text: string;
      readonly isLast: boolean;
      readonly isUninterruptible: boolean;
      readonly source: Source;
    }
  | { readonly type: 'pause' | 'resume' | 'clear'; readonly utterance: number }
  | { readonly type: 'backchannel'; readonly utterance: number; readonly word: string }
  | { readonly type: 'stt.flush' }
  | { readonly type: 'commit'; readonly role: 'caller'; readonly text: string }
  | {
      readonly type: 'commit';
      readonly role: 'agent';
      readonly utterance: number;
      readonly source: Source;
      readonly text: string;
      readonly unspokenText: string | null;
      readonly isInterrupted: boolean;
    }
  | { readonly type: 'timer.set'; readonly name: TimerName; readonly at: number }
  | { readonly type: 'timer.unset'; readonly name: TimerName }
  /** The agent has finished speaking: the transfer begins. */
  | { readonly type: 'transfer.start' }
  /** The caller has interrupted the agent before the transfer began, so it does not. */
  | { readonly type: 'transfer.withdraw' }
  | { readonly type: 'end'; readonly reason: EndReason }
  | { readonly type: 'emit'; readonly event: CallEvent };

/** What the machine needs to know about a language. */
export interface LanguageRules {
  countWords(text: string): number;
  /** Whether the text consists of acknowledgments alone: はい, uh-huh. */
  isAcknowledgment(text: string): boolean;
  /** Whether the words so far sound like a finished sentence. */
  hint(words: string): 'finished' | 'open' | undefined;
  readonly waitingText: string;
  readonly fallbackText: string;
}

/** The parameters of the machine, in milliseconds; `policy.ts` derives them from an agent and gives the reasons. */
export interface TurnPolicy {
  /** Typed messages on both sides: no waiting sentences, no fallback sentence. */
  readonly isChat: boolean;
  readonly language: LanguageRules;
  /** `text`: said verbatim; `request`: the engine opens; `wait`: the caller speaks first. */
  readonly opening: {
    readonly kind: 'text' | 'request' | 'wait';
    readonly text: string;
    readonly delayMs: number;
    /** Said before anything else, at once and without interruption, such as that the call is recorded. */
    readonly notice?: string | undefined;
  };
  readonly endpointMs: number;
  readonly finishedEndpointMs: number;
  readonly openEndpointMs: number;
  readonly isInterruptible: boolean;
  readonly bargeInMs: number;
  readonly bargeInWords: number;
  /** Playback at the start of a call in which an interruption needs two words: echo cancellation has not settled. */
  readonly echoMs: number;
  readonly falseInterruptionMs: number;
  readonly holdMs: number;
  /** After the last key that was pressed. */
  readonly digitsMs: number;
  readonly lateAcknowledgmentMs: number;
  readonly reminderMs: number;
  readonly reminderMax: number;
  readonly silenceMs: number;
  readonly maxMs: number;
  readonly sttWaitMs: number;
  /** Wait for the final transcript after a flush, even if everything so far is final. */
  readonly isSttAccurate: boolean;
  readonly hasPartials: boolean;
  readonly noiseMs: number;
  readonly replyTimeoutMs: number;
  readonly replyCompleteMs: number;
  readonly maxFailedReplies: number;
  readonly waitingMs: number;
  readonly toolWaitingMs: number;
  /** How long the first audio of an utterance may take, fallback voices included. */
  readonly firstAudioMs: number;
  readonly stalledPlaybackMs: number;
  readonly clearMs: number;
  readonly drainMs: number;
  readonly lostMs: number;
  readonly backchannel: {
    readonly gapMs: number;
    readonly pauseMs: number;
    readonly maxPerTurn: number;
    readonly minEndpointMs: number;
    readonly words: readonly string[];
  } | null;
}
