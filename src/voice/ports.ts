import type { KnowledgeSource } from './knowledge.ts';
import type { ToolCall, ToolResult, ToolTurn } from './tools/tool.ts';
import type { EndReason } from './turn/events.ts';

export type { ToolTurn };

/** What the caller hears or reads. Everything that it reports names the utterance. */
export interface Output {
  /** `text` is what the voice says; `length` is that of the transcript's text, in which `heard` is counted. */
  say(utterance: number, sentence: { readonly text: string; readonly length: number }, isLast: boolean): void;
  pause(utterance: number): void;
  resume(utterance: number): void;
  /** Drops what was not played yet, and reports `cleared`. */
  clear(utterance: number): void;
  close(): void;
}

export interface OutputEvents {
  /** The first audio was handed to the transport. */
  sent(utterance: number): void;
  /**
   * The first sound was handed to the transport: `silentMs` after the start of the utterance, and `inPieceMs` after the
   * start of what was sent now.
   */
  audible?(utterance: number, silentMs: number, inPieceMs: number): void;
  /** The first sample was played, so many milliseconds ago. */
  started(utterance: number, msAgo?: number): void;
  progress(utterance: number, heard: number, remainingMs: number): void;
  done(utterance: number): void;
  cleared(utterance: number, heard: number): void;
  /** No voice could say it. */
  failed(utterance: number): void;
}

/** The recognizer of the caller's speech. Its events go to the session's `hear`. */
export interface Input {
  /** The caller has stopped: the words so far are wanted as a final transcript. */
  flush(): void;
  close(): void;
}

export interface Tools {
  /** Always reports a result, at the tool's timeout at the latest. */
  run(toolCallId: string, call: ToolCall, onResult: (result: ToolResult) => void): void;
}

/** Where a call can be transferred to. */
export interface TransferTarget {
  /** The entry of `agentSettings.phone.transfers`; null if the API named a number. */
  readonly name: string | null;
  readonly to: string;
  readonly mode: 'cold' | 'warm';
  /** As written in the agent. */
  readonly brief: string | null;
  readonly extension: string | null;
  readonly ringTimeoutMs: number;
  readonly showCaller: boolean;
}

export type TransferResult =
  | { readonly transferred: true }
  /** `reason`: such as `busy`, `no_answer` or `not_allowed`. */
  | { readonly transferred: false; readonly reason: string };

/** What can be done with the line of a phone call. */
export interface PhoneActions {
  /** The entries of `agentSettings.phone.transfers`: an engine names one of them, and never a number. */
  readonly transfers: readonly TransferTarget[];
  /** False if they cannot be pressed now. */
  pressKeys(digits: string): boolean;
  /** Plays a sound that is part of no utterance. */
  play(samples: Int16Array): void;
  /** Reports how it has ended. Meanwhile the connection may be gone. */
  transfer(target: TransferTarget, onResult: (result: TransferResult) => void): void;
  /** The number of the person is put on the do-not-call list. `failure`: why not; null if it is. */
  doNotCallAgain(onResult: (failure: string | null) => void): void;
}

export interface TurnLatency {
  readonly e2eMs: number | null;
  readonly endpointingMs: number | null;
  readonly sttMs: number | null;
  readonly knowledgeMs: number | null;
  readonly llmFirstTokenMs: number | null;
  readonly ttsFirstAudioMs: number | null;
  readonly ownMs: number | null;
}

export interface TurnWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly confidence: number | null;
}

/** An entry of the transcript. Times are milliseconds since the call was connected. */
export interface Turn {
  readonly index: number;
  readonly role: 'agent' | 'caller' | 'tool';
  readonly source: 'begin' | 'engine' | 'reminder' | 'waiting' | 'fallback' | 'control' | null;
  readonly text: string;
  readonly unspokenText: string | null;
  readonly startMs: number;
  readonly endMs: number;
  readonly words: readonly TurnWord[];
  readonly interrupted: boolean;
  readonly latency: TurnLatency | null;
  readonly sources: readonly KnowledgeSource[];
  readonly toolCall: ToolTurn | null;
}

export type RecordedEvent =
  | { readonly type: 'speech_started' | 'speech_ended'; readonly role: 'agent' | 'caller'; readonly atMs: number }
  | { readonly type: 'agent_interrupted'; readonly role: 'caller' }
  | { readonly type: 'tool_called'; readonly toolCallId: string; readonly name: string }
  | {
      readonly type: 'tool_returned';
      readonly toolCallId: string;
      readonly name: string;
      readonly isError: boolean;
      readonly durationMs: number;
    }
  | { readonly type: 'latency_exceeded'; readonly turnIndex: number; readonly e2eMs: number; readonly budgetMs: number }
  | {
      readonly type: 'provider_switched';
      readonly capability: 'llm' | 'stt' | 'tts';
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly type: 'knowledge_searched';
      readonly turnIndex: number;
      readonly mode: 'lexical' | 'hybrid';
      readonly results: number;
      readonly tookMs: number;
      readonly timedOut: boolean;
    }
  | { readonly type: 'dtmf_received'; readonly digits: string }
  | { readonly type: 'dtmf_sent'; readonly digits: string }
  | {
      readonly type: 'answered_by';
      readonly by: 'human' | 'machine' | 'fax' | 'unknown';
      readonly source: 'audio' | 'carrier';
    }
  | {
      readonly type: 'transfer_updated';
      readonly name: string | null;
      readonly mode: 'cold' | 'warm';
      readonly status: 'started' | 'completed' | 'failed';
      readonly reason: string | null;
    }
  | { readonly type: 'warning'; readonly code: string; readonly message: string };

export interface Recorder {
  /** A tool turn is recorded twice: when it starts, and with its result under the same index. */
  turn(turn: Turn): void;
  event(event: RecordedEvent, atMs: number): void;
  /** `detail`: what failed, in words, if an engine said so. */
  ended(reason: EndReason, atMs: number, detail: string | null): void;
}
