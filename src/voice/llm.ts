import type { ToolForModel } from './tools/definition.ts';

/** A call of a tool, as a model wrote it. */
export interface LlmToolCall {
  /** The model's own id, which only connects the call with its result. */
  readonly id: string;
  readonly name: string;
  /** Normally JSON. */
  readonly arguments: string;
}

export type LlmMessage =
  /** `isKnowledge`: passages of documents, which differ from call to call. Not sent to providers. */
  | { readonly role: 'system' | 'user'; readonly content: string; readonly isKnowledge?: true }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly LlmToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** Only what is set is sent. */
export interface LlmParameters {
  readonly model: string;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly reasoningEffort?: string | undefined;
}

export interface LlmRequest extends LlmParameters {
  readonly messages: readonly LlmMessage[];
  readonly tools: readonly ToolForModel[];
  /** A JSON Schema that the text of the reply has to match, for providers that support it. */
  readonly schema?: object | undefined;
}

export interface LlmUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

/** What a call has used of a model so far. */
export interface ModelUsage extends LlmUsage {
  readonly provider: string;
  /** As the agent names it. */
  readonly model: string;
  /** As the provider was asked for it. */
  readonly sentModel: string;
  /** Failed and canceled ones included. */
  readonly requests: number;
}

/** What a failure says about another try. */
export interface LlmFailure {
  /** The same request to the same model would fail again. */
  readonly isFinal?: boolean;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number;
}

/** Where a reply arrives, a piece at a time. Nothing follows `done` or `failed`. */
export interface LlmEvents {
  /** Never what the model only thinks. */
  text(text: string): void;
  /** The text so far was reasoning after all: an unopened tag has closed it. It is dropped where it was not used yet. */
  retracted?(): void;
  tool(call: LlmToolCall): void;
  usage(usage: LlmUsage): void;
  done(): void;
  /** `detail`: in words, without a credential. After `: `, it may have the first words of an error of the server. */
  failed(detail: string, failure?: LlmFailure): void;
}

/** A language model. */
export interface Llm {
  /** The name of the provider in the usage of a call. */
  readonly provider: string;
  /** The name under which the provider knows a model. */
  sentModel(model: string): string;
  /** Starts a reply and returns how to cancel it. Nothing arrives after that. */
  reply(request: LlmRequest, events: LlmEvents): () => void;
}
