import type { TypedCallEvent } from '../resources/call-events.ts';
import type { Access } from './connection.ts';
import type { Handlers } from './emitter.ts';
import type { WebCallError } from './errors.ts';
import type { Floor, ToolCall, Transcript } from './frames.ts';
import type { PageTool, ToolOutcome } from './page-tools.ts';
import type { PlaybackState } from './worklet-messages.ts';

/** What happens in a call, by the name for `call.on`. */
export interface WebCallEvents {
  /** Words, as they are recognized or said. Later ones with the same `turn` replace earlier ones. */
  transcript: Transcript;
  /** Who has the floor. */
  state: { readonly floor: Floor };
  /** What the loudspeaker does with an utterance of the agent. */
  speech: { readonly utterance: number; readonly state: PlaybackState };
  /** A tool of the page was called (`outcome` is null), and later has its outcome. */
  tool: ToolCall & { readonly outcome: ToolOutcome | null };
  /** A call event, such as `turn_completed` with the latency of the turn. */
  event: TypedCallEvent;
  /** From a custom LLM. */
  metadata: unknown;
  /** How loud it is, 0 to 1: the caller every 20 ms, the agent every 100 ms while it speaks. */
  level: { readonly role: 'caller' | 'agent'; readonly level: number };
  /** The connection was lost. The next attempt follows in `delayMs`. */
  reconnecting: { readonly attempt: number; readonly delayMs: number };
  reconnected: { readonly callId: string };
  /** The call goes on; see the code of the error. What ends a call is in `ended`. */
  error: WebCallError;
  /** The last event. `reason` is the call's `endReason`, or null if the service did not say it. */
  ended: { readonly reason: string | null; readonly error: WebCallError | null };
}

export interface JoinOptions {
  /** `voice` for calls of type `web`, `chat` for chats. Default: `voice`. */
  readonly mode?: 'voice' | 'chat' | undefined;
  /** False: the caller listens and types. A stream of your own is not stopped at the end. Default: true. */
  readonly microphone?: boolean | MediaStream | undefined;
  /** Tools of the agent that run in the page (`where: "client"`), by name. */
  readonly tools?: Readonly<Record<string, PageTool>> | undefined;
  /**
   * `browser` for agents whose `sttProvider` is `browser`: the browser recognizes what is said, and may send the audio
   * to its maker. Ask the user first. Default: `service`.
   */
  readonly recognition?: 'service' | 'browser' | undefined;
  /** Where the page serves `voice-agent-sdk/web/worklet.js`, if its policy allows no `blob:` scripts. */
  readonly workletUrl?: string | undefined;
  /** Handlers of events, as with `call.on`, from the very beginning. */
  readonly on?: Handlers<WebCallEvents> | undefined;
}

/** From your server, which creates the call. A function is called after the user has allowed the microphone. */
export type JoinAccess = Access | { readonly access: () => Promise<Access> };
