import type { KnowledgeUse } from '../knowledge.ts';
import type { ModelUsage } from '../llm.ts';
import type { ToolCall, ToolResult, ToolTurn } from '../tools/tool.ts';
import type { Variables } from '../variables.ts';

export type ReplyKind = 'begin' | 'response' | 'reminder';

export interface ReplyRequest {
  /** Numbers the replies of a call. A request that is repeated with more words has a new number. */
  readonly turn: number;
  readonly kind: ReplyKind;
  /** Everything the caller said in the turn to answer; empty for an opening and for a reminder. */
  readonly words: string;
  /**
   * The tools that an earlier reply to the same words has called before it was lost. They are in the transcript; a
   * result of null after no time is still missing.
   */
  readonly resumedTools?: readonly ToolTurn[];
}

/** How often a reply may call tools, several at a time. */
export const maxToolRounds = 5;

/** The maximum length of a reply, in code points: one that never stops must not fill the memory. */
export const maxReplyCharacters = 20_000;

/** Where an engine sends a reply, a piece at a time. Nothing may follow `end` or `failed`. */
export interface ReplyOutput {
  /** The next piece of text, of any length. Speech that is not interruptible ends with its sentence. */
  text(text: string, options?: { readonly isUninterruptible?: boolean }): void;
  tool(call: ToolCall, onResult: (result: ToolResult) => void): void;
  /**
   * `isFinal`: the caller can no longer withdraw the end of the call by speaking. `waitMs`: the caller asked for a
   * moment, so the timers of a silence start that much later. `reason`: why the call ends, in words.
   */
  end(options?: {
    readonly endCall?: boolean;
    readonly isFinal?: boolean;
    readonly waitMs?: number;
    readonly reason?: string;
  }): void;
  /** `isDefect`: the engine itself is broken, not what it depends on. The call ends. */
  failed(detail: string, options?: { readonly isDefect?: boolean }): void;
  warn(code: string, message: string): void;
  /** The reply has waited so long for knowledge. `use`: the search that it is based on, if any. */
  knowledge(waitedMs: number, use: KnowledgeUse | null): void;
  /** Another model replies from now on. */
  switched(from: string, to: string): void;
}

/** What of the agent an engine may change during a call. */
export interface TurnSettings {
  readonly responsiveness?: number;
  readonly interruptionSensitivity?: number;
  readonly reminderTriggerMs?: number;
  readonly reminderMaxCount?: number;
}

/** A tool that the engine's own server runs. It is in the transcript from its start. */
export interface ServerTool {
  /** Recorded once; a later result has no effect. */
  finish(result: ToolResult): void;
  /** The reply no longer waits for it. */
  release(): void;
}

/** What an engine can do in its call without having been asked. */
export interface EngineCall {
  interrupt(text: string, options: { readonly isUninterruptible: boolean; readonly endCall: boolean }): void;
  /** Ends the call after what is being said. */
  hangUp(): void;
  fail(reason: 'llm_connect_failed' | 'llm_failed', detail: string): void;
  warn(code: string, message: string): void;
  configure(settings: TurnSettings): void;
  /** For the caller's page. */
  metadata(metadata: unknown): void;
  /** The time until `resume` does not count towards the reply: nothing was requested. */
  suspend(turn: number): void;
  resume(turn: number): void;
  /** `turn` is that of the reply that uses it; 0: none. */
  startTool(turn: number, call: ToolCall): ServerTool;
  /** Transfers the call after what is being said. False if no entry of the agent's transfers has this number. */
  transfer(number: string): boolean;
  /** False if the call has no phone line. */
  pressKeys(digits: string): boolean;
}

/** What happens in a call, for an engine that follows it. */
export type Followed =
  /** The transcript has changed. */
  | { readonly type: 'transcript' }
  | { readonly type: 'floor'; readonly floor: 'caller' | 'agent' | 'none' }
  /** What the caller has said so far in the turn that is open; empty if there is none. */
  | { readonly type: 'words'; readonly words: string };

/**
 * What replies to the caller. A request changes nothing that lasts: it works on a copy of the engine's state, which
 * `accept` makes permanent, so that a canceled request can be repeated with more words.
 */
export interface Engine {
  /** Starts a reply and returns how to cancel it. It may send all of it before it returns. */
  reply(request: ReplyRequest, output: ReplyOutput): () => void;
  /** The caller's turn is committed, or the caller hears the reply: what this reply changed, and still changes, lasts. */
  accept(turn: number): void;
  /** Called while the caller may still continue: may look things up, has no effect outside. */
  prepare?(words: string): void;
  /** The variables that were collected so far. */
  collected(): Variables;
  /** Returns the names of those that are beyond the limits, and are not set. */
  setVariables(variables: Variables): readonly string[];
  /** What models were used for so far in the call. Engines without a model have none. */
  usage?(): readonly ModelUsage[];
  /** As JSON, for a call that continues elsewhere or later. */
  state(): unknown;
  /** The call is connected, or continues. Nothing was requested before. */
  attach?(call: EngineCall): void;
  follow?(event: Followed): void;
  /** The call has ended, or continues without this engine. */
  detach?(): void;
  /** An earlier state, to start a failed reply again, with what models were used for since. */
  restartState?(earlier: unknown): unknown;
}
