import type { TypedCallEvent } from '../resources/call-events.ts';

/** Sample rates of audio on the wire. */
export type AudioRate = 16_000 | 24_000 | 48_000;

/** From the page to the service. */
export type ClientFrame =
  | {
      readonly type: 'start';
      readonly input?: { readonly rate: AudioRate };
      readonly output?: { readonly rate: AudioRate };
    }
  | { readonly type: 'played'; readonly utterance: number; readonly samples: number }
  | { readonly type: 'text'; readonly text?: string }
  | { readonly type: 'recognized'; readonly text: string; readonly isFinal: boolean }
  | { readonly type: 'tool_result'; readonly toolCallId: string; readonly result: unknown }
  | { readonly type: 'tool_result'; readonly toolCallId: string; readonly error: string }
  | { readonly type: 'dtmf'; readonly digits: string }
  | { readonly type: 'end' };

export type StartFrame = Extract<ClientFrame, { type: 'start' }>;

/** What a call can do, which depends on the providers of the service. */
export interface Capabilities {
  /** Whether the service understands speech in the language of the call. */
  readonly speechIn: boolean;
  /** Whether the agent has a voice. */
  readonly speechOut: boolean;
  readonly recording: boolean;
}

export interface Ready {
  readonly callId: string;
  readonly agentName: string;
  readonly language: string;
  readonly capabilities: Capabilities;
  readonly resumeKey: string;
}

export interface Transcript {
  readonly role: 'caller' | 'agent';
  readonly text: string;
  /** A final text may be replaced by a later one with the same `turn`. */
  readonly isFinal: boolean;
  readonly turn: number;
}

export type Floor = 'caller' | 'agent' | 'none';

export interface ToolCall {
  readonly toolCallId: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** From the service to the page. */
export type ServerFrame =
  | ({ readonly type: 'ready' } & Ready)
  | { readonly type: 'speech' | 'pause' | 'resume' | 'clear'; readonly utterance: number }
  | ({ readonly type: 'transcript' } & Transcript)
  | { readonly type: 'state'; readonly floor: Floor }
  | { readonly type: 'event'; readonly event: TypedCallEvent }
  | ({ readonly type: 'tool_call' } & ToolCall)
  | { readonly type: 'metadata'; readonly metadata: unknown }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | { readonly type: 'ended'; readonly reason: string };

/** Null for what is not a frame. Frames of a type that this version does not know are for the caller to ignore. */
export function parseFrame(text: string): ServerFrame | null {
  try {
    const frame = JSON.parse(text);
    return typeof frame?.type === 'string' ? frame : null;
  } catch {
    return null;
  }
}
