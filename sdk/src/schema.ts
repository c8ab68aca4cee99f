// Generated from openapi.json by "npm run generate": do not edit.

import type { MergePatch } from './merge-patch.ts';

/** The body of every error response. */
export interface ErrorBody {
  error: ErrorDetail;
}

/** What went wrong. */
export interface ErrorDetail {
  /** A machine-readable error code. New codes may be added. */
  code: string;
  /** A human-readable message. The wording may change. */
  message: string;
  /**
   * Additional information, depending on the code. VALIDATION_ERROR and UNPROCESSABLE_CONTENT: `fieldErrors` maps each
   * field or parameter to its messages, and `formErrors` lists problems with the request as a whole.
   * SCOPE_INSUFFICIENT: `requiredScope` and `routeId`. NOT_FOUND, if content of an existing resource is missing:
   * `reason` (`none`, `not_stored`, `deleted` or `failed`). VERSION_CONFLICT: `currentEtag`. STATE_CONFLICT: `status`
   * (the current state), `allowed` (the states in which the operation is possible) and `reason` (a string or null).
   * RESOURCE_IN_USE: `usedBy`, up to 20 ids. LIMIT_REACHED: `limit`. CONCURRENCY_LIMIT_REACHED: `pool` (`voice` or
   * `chat`), `limit`, `active` and `reservedInbound`. UPSTREAM_ERROR: `provider`, `providerCode` (a string or null) and
   * `retryable`. PROVIDER_NOT_CONFIGURED: `capability` (`llm`, `carrier` or `embeddings`).
   */
  details?: unknown;
  /** The id of the request, as in the `X-Request-Id` header and in the log. */
  requestId?: string;
}

/** One page of a list. */
export interface AgentPage {
  /** The items of this page, newest first. */
  items: Agent[];
  pagination: Pagination;
}

/** A voice agent: what it says, how it sounds and how it listens. */
export interface Agent {
  /** The id of the agent. Up to 64 characters. */
  id: string;
  /** The workspace that owns the agent. Up to 64 characters. */
  workspaceId: string;
  /** The display name of the agent. It does not have to be unique. 1 to 255 characters. */
  name: string;
  /** The version number, starting at 1. Range: 1 or more. */
  version: number;
  /** Whether this version is published. If not, it is a draft. */
  isPublished: boolean;
  /** What changed in this version. Up to 500 characters. */
  versionDescription: string | null;
  responseEngine: ResponseEngine;
  /** The id of the voice, as assigned by its provider. 1 to 255 characters. */
  voiceId: string;
  /** The voice model. Null: the provider’s default. 1 to 255 characters. */
  voiceModel: string | null;
  /** How much the voice varies: 0 is stable, 2 is most expressive. Range: 0 to 2. */
  voiceTemperature: number;
  /** The speaking rate; 1 is normal. Range: 0.5 to 2. */
  voiceSpeed: number;
  /** The emotion of the voice. Null: neutral. */
  voiceEmotion: 'calm' | 'sympathetic' | 'happy' | 'sad' | 'angry' | 'fearful' | 'surprised' | null;
  /** The volume of the voice; 1 is normal. Range: 0 to 2. */
  volume: number;
  /** Whether the speaking rate adapts to what is being said. */
  enableDynamicVoiceSpeed: boolean;
  /** Voices to use, in this order, if the main voice is unavailable. Up to 20 items. */
  fallbackVoiceIds: string[];
  /** How quickly the agent responds; 1 is immediately. Range: 0 to 1. */
  responsiveness: number;
  /** How easily the caller can interrupt the agent; 0 is never. Range: 0 to 1. */
  interruptionSensitivity: number;
  /** Whether the agent says short acknowledgements, such as “uh-huh”, while it listens. */
  enableBackchannel: boolean;
  /** How often the agent says them; 1 is at every opportunity. Range: 0 to 1. */
  backchannelFrequency: number;
  /** The acknowledgements to use. Empty: the usual ones of the language. Up to 100 items. */
  backchannelWords: string[];
  /** How long the caller may be silent before the agent prompts again, in milliseconds. Range: 1000 to 600000. */
  reminderTriggerMs: number;
  /** How many times the agent prompts again; 0 is never. A whole number: 0 to 100. */
  reminderMaxCount: number;
  /** How long the agent waits before its first message, in milliseconds. Range: 0 to 5000. */
  beginMessageDelayMs: number;
  /**
   * The first thing the agent says. Null: the model generates it. Empty string: the agent waits for the caller to
   * speak. Up to 10000 characters.
   */
  beginMessage: string | null;
  /** How long a silence lasts before the agent hangs up, in milliseconds. Range: 10000 to 7200000. */
  endCallAfterSilenceMs: number;
  /** The maximum duration of a call, in milliseconds. Range: 60000 to 7200000. */
  maxCallDurationMs: number;
  /** The language of the conversation, as a BCP 47 tag. Up to 64 characters. */
  language: string;
  /** Whether speech recognition favors speed or accuracy. */
  sttMode: 'fast' | 'accurate';
  /** The speech-to-text provider. `auto`: the one configured for the service. 1 to 100 characters. */
  sttProvider: string;
  /** The text-to-speech provider. `auto`: the one configured for the service. 1 to 100 characters. */
  ttsProvider: string;
  /** Words that speech recognition should favor. Up to 1000 items. */
  boostedKeywords: string[];
  adaptiveSpeechRate?: AdaptiveSpeechRate;
  /**
   * Pronunciation rules, applied in order. At most 100 of them may be regular expressions, which together must compile
   * within a tenth of a second. Up to 1000 items.
   */
  pronunciationDictionary?: PronunciationRule[];
  /** The values to extract from a call after it has ended. Up to 200 items. */
  postCallAnalysisData: PostCallAnalysisItem[];
  /** The language model that analyzes a call. 1 to 255 characters. */
  postCallAnalysisModel: string;
  /**
   * The URL that receives call events: `https://`, or `http://` for loopback addresses only. Null: events are not sent.
   * 1 to 2048 characters.
   */
  webhookUrl: string | null;
  /** The events to send. Up to 100 items. */
  webhookEvents: string[];
  /** What is stored about a call. */
  dataStorageSetting: 'everything' | 'everything_except_pii' | 'basic_attributes_only';
  /** The step at which the conversation flow starts. 1 to 255 characters. */
  startSkillId?: string;
  /** Instructions that apply to every step of the conversation flow. Up to 200000 characters. */
  agentGlobalPrompt?: string;
  /**
   * Variables for `{{name}}` in texts: `name`, and optionally `value` (the default), `example` and `description`. Other
   * items are kept and have no effect. Up to 10000 items.
   */
  agentVariables?: unknown[];
  /** Additional settings, in any structure. */
  agentSettings?: AgentSettings;
  /** When the agent was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the agent was last updated. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** How the responses of the agent are generated. */
export interface ResponseEngine {
  type: ResponseEngineType;
  /** The instructions for the model. Up to 200000 characters. */
  prompt?: string;
  /** The language model. Up to 255 characters. */
  model?: string;
  /**
   * The WebSocket URL of the model of a `custom_llm` agent, starting with `ws://` or `wss://`. 1 to 2048 characters.
   */
  llmWebsocketUrl?: string;
}

/**
 * How responses are generated: by a single prompt, by a flow of conversation steps, or by your own model behind a
 * WebSocket.
 */
export type ResponseEngineType = 'single_prompt' | 'conversation_flow' | 'custom_llm';

/** How the agent adapts its speaking rate to the caller. */
export interface AdaptiveSpeechRate {
  /** Whether the agent adapts its speaking rate to the caller. */
  enabled: boolean;
  /** The slowest speaking rate; 1 is normal. Range: 0.5 to 1. */
  minSpeed: number;
  /** The fastest speaking rate; 1 is normal. Range: 1 to 2. */
  maxSpeed: number;
  /** The number of recent caller turns used to measure the speaking rate. A whole number: 1 to 10. */
  windowSize: number;
  /** The speaking rate of the agent as a multiple of the caller’s. Range: 0.5 to 2. */
  speedRatio?: number;
}

/** A pronunciation rule. */
export interface PronunciationRule {
  /** The text to replace. 1 to 1000 characters. */
  find: string;
  /** The text to speak instead. Up to 1000 characters. */
  replace: string;
  /** Whether `find` is a regular expression (RE2 syntax) instead of plain text. */
  isRegex?: boolean;
}

/** A value to extract. */
export interface PostCallAnalysisItem {
  /** The name of the result. 1 to 255 characters. */
  name: string;
  /** The type of the result. */
  type: 'string' | 'enum' | 'boolean' | 'number';
  /** What the model should extract. Up to 10000 characters. */
  description: string;
  /** The allowed values, for type `enum`. Up to 1000 items. */
  options?: string[];
}

/** Where the list continues. */
export interface Pagination {
  /** Send it as `cursor` to get the next page. Null on the last page. Up to 4096 characters. */
  nextCursor: string | null;
}

/** A new agent. Only `name` and `voiceId` are required. */
export interface CreateAgent {
  /** The display name of the agent. It does not have to be unique. 1 to 255 characters. */
  name: string;
  /** The id of the voice, as assigned by its provider. 1 to 255 characters. */
  voiceId: string;
  /** Default: `'conversation_flow'`. */
  responseEngineType?: ResponseEngineType | undefined;
  /** The instructions for the model. Up to 200000 characters. */
  prompt?: string | undefined;
  /** The language model. Up to 255 characters. Default: `'gpt-5.4-mini'`. */
  llmModel?: string | undefined;
  /** The language of the conversation, as a BCP 47 tag. Up to 64 characters. Default: `'ja'`. */
  language?: string | undefined;
  /**
   * The first thing the agent says. Null: the model generates it. Empty string: the agent waits for the caller to
   * speak. Up to 10000 characters.
   */
  beginMessage?: string | undefined;
  adaptiveSpeechRate?: AdaptiveSpeechRateInput | undefined;
  /**
   * An alternative to `responseEngineType`, `prompt` and `llmModel`, with the same structure as in the agent, and the
   * only way to set `llmWebsocketUrl`. If you send both, they must agree.
   */
  responseEngine?: CreateResponseEngine | undefined;
  /**
   * Pronunciation rules, applied in order. At most 100 of them may be regular expressions, which together must compile
   * within a tenth of a second. Up to 1000 items.
   */
  pronunciationDictionary?: PronunciationRuleInput[] | undefined;
  /** The values to extract from a call after it has ended. Up to 200 items. Default: `[]`. */
  postCallAnalysisData?: PostCallAnalysisItemInput[] | undefined;
  /** What changed in this version. Up to 500 characters. Default: `null`. */
  versionDescription?: string | null | undefined;
  /** The voice model. Null: the provider’s default. 1 to 255 characters. Default: `null`. */
  voiceModel?: string | null | undefined;
  /** How much the voice varies: 0 is stable, 2 is most expressive. Range: 0 to 2. Default: `1`. */
  voiceTemperature?: number | undefined;
  /** The speaking rate; 1 is normal. Range: 0.5 to 2. Default: `1`. */
  voiceSpeed?: number | undefined;
  /** The emotion of the voice. Null: neutral. Default: `null`. */
  voiceEmotion?: 'calm' | 'sympathetic' | 'happy' | 'sad' | 'angry' | 'fearful' | 'surprised' | null | undefined;
  /** The volume of the voice; 1 is normal. Range: 0 to 2. Default: `1`. */
  volume?: number | undefined;
  /** Whether the speaking rate adapts to what is being said. Default: `false`. */
  enableDynamicVoiceSpeed?: boolean | undefined;
  /** Voices to use, in this order, if the main voice is unavailable. Up to 20 items. Default: `[]`. */
  fallbackVoiceIds?: string[] | undefined;
  /** How quickly the agent responds; 1 is immediately. Range: 0 to 1. Default: `1`. */
  responsiveness?: number | undefined;
  /** How easily the caller can interrupt the agent; 0 is never. Range: 0 to 1. Default: `1`. */
  interruptionSensitivity?: number | undefined;
  /** Whether the agent says short acknowledgements, such as “uh-huh”, while it listens. Default: `false`. */
  enableBackchannel?: boolean | undefined;
  /** How often the agent says them; 1 is at every opportunity. Range: 0 to 1. Default: `0.8`. */
  backchannelFrequency?: number | undefined;
  /** The acknowledgements to use. Empty: the usual ones of the language. Up to 100 items. Default: `[]`. */
  backchannelWords?: string[] | undefined;
  /**
   * How long the caller may be silent before the agent prompts again, in milliseconds. Range: 1000 to 600000. Default:
   * `10000`.
   */
  reminderTriggerMs?: number | undefined;
  /** How many times the agent prompts again; 0 is never. A whole number: 0 to 100. Default: `1`. */
  reminderMaxCount?: number | undefined;
  /** How long the agent waits before its first message, in milliseconds. Range: 0 to 5000. Default: `0`. */
  beginMessageDelayMs?: number | undefined;
  /**
   * How long a silence lasts before the agent hangs up, in milliseconds. Range: 10000 to 7200000. Default: `600000`.
   */
  endCallAfterSilenceMs?: number | undefined;
  /** The maximum duration of a call, in milliseconds. Range: 60000 to 7200000. Default: `3600000`. */
  maxCallDurationMs?: number | undefined;
  /** Whether speech recognition favors speed or accuracy. Default: `'fast'`. */
  sttMode?: 'fast' | 'accurate' | undefined;
  /**
   * The speech-to-text provider. `auto`: the one configured for the service. 1 to 100 characters. Default: `'auto'`.
   */
  sttProvider?: string | undefined;
  /**
   * The text-to-speech provider. `auto`: the one configured for the service. 1 to 100 characters. Default: `'auto'`.
   */
  ttsProvider?: string | undefined;
  /** Words that speech recognition should favor. Up to 1000 items. Default: `[]`. */
  boostedKeywords?: string[] | undefined;
  /** The language model that analyzes a call. 1 to 255 characters. Default: `'gpt-5.4-mini'`. */
  postCallAnalysisModel?: string | undefined;
  /**
   * The URL that receives call events: `https://`, or `http://` for loopback addresses only. Null: events are not sent.
   * 1 to 2048 characters. Default: `null`.
   */
  webhookUrl?: string | null | undefined;
  /** The events to send. Up to 100 items. Default: `["call_started","call_ended","call_analyzed"]`. */
  webhookEvents?: string[] | undefined;
  /** What is stored about a call. Default: `'everything'`. */
  dataStorageSetting?: 'everything' | 'everything_except_pii' | 'basic_attributes_only' | undefined;
  /** The step at which the conversation flow starts. 1 to 255 characters. */
  startSkillId?: string | undefined;
  /** Instructions that apply to every step of the conversation flow. Up to 200000 characters. */
  agentGlobalPrompt?: string | undefined;
  /**
   * Variables for `{{name}}` in texts: `name`, and optionally `value` (the default), `example` and `description`. Other
   * items are kept and have no effect. Up to 10000 items.
   */
  agentVariables?: unknown[] | undefined;
  /** Additional settings, in any structure. */
  agentSettings?: AgentSettings | undefined;
}

/** How the agent adapts its speaking rate to the caller. */
export interface AdaptiveSpeechRateInput {
  /** Whether the agent adapts its speaking rate to the caller. */
  enabled: boolean;
  /** The slowest speaking rate; 1 is normal. Range: 0.5 to 1. */
  minSpeed: number;
  /** The fastest speaking rate; 1 is normal. Range: 1 to 2. */
  maxSpeed: number;
  /** The number of recent caller turns used to measure the speaking rate. A whole number: 1 to 10. */
  windowSize: number;
  /** The speaking rate of the agent as a multiple of the caller’s. Range: 0.5 to 2. */
  speedRatio?: number | undefined;
}

/** How the responses of a new agent are generated. */
export interface CreateResponseEngine {
  type?: ResponseEngineType | undefined;
  /** The instructions for the model. Up to 200000 characters. */
  prompt?: string | undefined;
  /** The language model. Up to 255 characters. */
  model?: string | undefined;
  /**
   * The WebSocket URL of the model of a `custom_llm` agent, starting with `ws://` or `wss://`. 1 to 2048 characters.
   */
  llmWebsocketUrl?: string | undefined;
}

/** A pronunciation rule. */
export interface PronunciationRuleInput {
  /** The text to replace. 1 to 1000 characters. */
  find: string;
  /** The text to speak instead. Up to 1000 characters. */
  replace: string;
  /** Whether `find` is a regular expression (RE2 syntax) instead of plain text. */
  isRegex?: boolean | undefined;
}

/** A value to extract. */
export interface PostCallAnalysisItemInput {
  /** The name of the result. 1 to 255 characters. */
  name: string;
  /** The type of the result. */
  type: 'string' | 'enum' | 'boolean' | 'number';
  /** What the model should extract. Up to 10000 characters. */
  description: string;
  /** The allowed values, for type `enum`. Up to 1000 items. */
  options?: string[] | undefined;
}

/**
 * A JSON Merge Patch (RFC 7396) with the structure of the agent: fields you send replace the current values, objects
 * are merged, lists are replaced as a whole, and null removes an optional field. All other fields stay as they are.
 */
export interface UpdateAgent {
  /** The display name of the agent. It does not have to be unique. 1 to 255 characters. */
  name?: string | undefined;
  /** The id of the voice, as assigned by its provider. 1 to 255 characters. */
  voiceId?: string | undefined;
  /** The language of the conversation, as a BCP 47 tag. Up to 64 characters. */
  language?: string | undefined;
  /**
   * The first thing the agent says. Null: the model generates it. Empty string: the agent waits for the caller to
   * speak. Up to 10000 characters.
   */
  beginMessage?: string | null | undefined;
  /** What changed in this version. Up to 500 characters. */
  versionDescription?: string | null | undefined;
  /** The voice model. Null: the provider’s default. 1 to 255 characters. */
  voiceModel?: string | null | undefined;
  /** How much the voice varies: 0 is stable, 2 is most expressive. Range: 0 to 2. */
  voiceTemperature?: number | undefined;
  /** The speaking rate; 1 is normal. Range: 0.5 to 2. */
  voiceSpeed?: number | undefined;
  /** The emotion of the voice. Null: neutral. */
  voiceEmotion?: 'calm' | 'sympathetic' | 'happy' | 'sad' | 'angry' | 'fearful' | 'surprised' | null | undefined;
  /** The volume of the voice; 1 is normal. Range: 0 to 2. */
  volume?: number | undefined;
  /** Whether the speaking rate adapts to what is being said. */
  enableDynamicVoiceSpeed?: boolean | undefined;
  /** Voices to use, in this order, if the main voice is unavailable. Up to 20 items. */
  fallbackVoiceIds?: string[] | undefined;
  /** How quickly the agent responds; 1 is immediately. Range: 0 to 1. */
  responsiveness?: number | undefined;
  /** How easily the caller can interrupt the agent; 0 is never. Range: 0 to 1. */
  interruptionSensitivity?: number | undefined;
  /** Whether the agent says short acknowledgements, such as “uh-huh”, while it listens. */
  enableBackchannel?: boolean | undefined;
  /** How often the agent says them; 1 is at every opportunity. Range: 0 to 1. */
  backchannelFrequency?: number | undefined;
  /** The acknowledgements to use. Empty: the usual ones of the language. Up to 100 items. */
  backchannelWords?: string[] | undefined;
  /** How long the caller may be silent before the agent prompts again, in milliseconds. Range: 1000 to 600000. */
  reminderTriggerMs?: number | undefined;
  /** How many times the agent prompts again; 0 is never. A whole number: 0 to 100. */
  reminderMaxCount?: number | undefined;
  /** How long the agent waits before its first message, in milliseconds. Range: 0 to 5000. */
  beginMessageDelayMs?: number | undefined;
  /** How long a silence lasts before the agent hangs up, in milliseconds. Range: 10000 to 7200000. */
  endCallAfterSilenceMs?: number | undefined;
  /** The maximum duration of a call, in milliseconds. Range: 60000 to 7200000. */
  maxCallDurationMs?: number | undefined;
  /** Whether speech recognition favors speed or accuracy. */
  sttMode?: 'fast' | 'accurate' | undefined;
  /** The speech-to-text provider. `auto`: the one configured for the service. 1 to 100 characters. */
  sttProvider?: string | undefined;
  /** The text-to-speech provider. `auto`: the one configured for the service. 1 to 100 characters. */
  ttsProvider?: string | undefined;
  /** Words that speech recognition should favor. Up to 1000 items. */
  boostedKeywords?: string[] | undefined;
  /** The language model that analyzes a call. 1 to 255 characters. */
  postCallAnalysisModel?: string | undefined;
  /**
   * The URL that receives call events: `https://`, or `http://` for loopback addresses only. Null: events are not sent.
   * 1 to 2048 characters.
   */
  webhookUrl?: string | null | undefined;
  /** The events to send. Up to 100 items. */
  webhookEvents?: string[] | undefined;
  /** What is stored about a call. */
  dataStorageSetting?: 'everything' | 'everything_except_pii' | 'basic_attributes_only' | undefined;
  /** How the responses of the agent are generated. Merged into the current value; null removes an optional field. */
  responseEngine?: UpdateResponseEngine | undefined;
  /** How the agent adapts its speaking rate to the caller. Merged into the current value; null removes it. */
  adaptiveSpeechRate?: UpdateAdaptiveSpeechRate | null | undefined;
  /**
   * Pronunciation rules, applied in order. At most 100 of them may be regular expressions, which together must compile
   * within a tenth of a second. Up to 1000 items.
   */
  pronunciationDictionary?: PronunciationRuleInput[] | null | undefined;
  /** The values to extract from a call after it has ended. Up to 200 items. */
  postCallAnalysisData?: PostCallAnalysisItemInput[] | undefined;
  /** The step at which the conversation flow starts. 1 to 255 characters. */
  startSkillId?: string | null | undefined;
  /** Instructions that apply to every step of the conversation flow. Up to 200000 characters. */
  agentGlobalPrompt?: string | null | undefined;
  /**
   * Variables for `{{name}}` in texts: `name`, and optionally `value` (the default), `example` and `description`. Other
   * items are kept and have no effect. Up to 10000 items.
   */
  agentVariables?: unknown[] | null | undefined;
  /** Additional settings, in any structure. */
  agentSettings?: AgentSettingsPatch | undefined;
  /** Not supported in updates: use `responseEngine.type` instead. Sending it is an error. */
  responseEngineType?: never | undefined;
  /** Not supported in updates: use `responseEngine.prompt` instead. Sending it is an error. */
  prompt?: never | undefined;
  /** Not supported in updates: use `responseEngine.model` instead. Sending it is an error. */
  llmModel?: never | undefined;
}

/** Changes to how the responses are generated. */
export interface UpdateResponseEngine {
  type?: ResponseEngineType | undefined;
  /** The instructions for the model. Up to 200000 characters. */
  prompt?: string | null | undefined;
  /** The language model. Up to 255 characters. */
  model?: string | null | undefined;
  /**
   * The WebSocket URL of the model of a `custom_llm` agent, starting with `ws://` or `wss://`. 1 to 2048 characters.
   */
  llmWebsocketUrl?: string | null | undefined;
}

/** Changes to the adaptive speaking rate. */
export interface UpdateAdaptiveSpeechRate {
  /** Whether the agent adapts its speaking rate to the caller. */
  enabled?: boolean | undefined;
  /** The slowest speaking rate; 1 is normal. Range: 0.5 to 1. */
  minSpeed?: number | undefined;
  /** The fastest speaking rate; 1 is normal. Range: 1 to 2. */
  maxSpeed?: number | undefined;
  /** The number of recent caller turns used to measure the speaking rate. A whole number: 1 to 10. */
  windowSize?: number | undefined;
  /** The speaking rate of the agent as a multiple of the caller’s. Range: 0.5 to 2. */
  speedRatio?: number | null | undefined;
}

/** The deleted agent. */
export interface DeletedAgent {
  /** The id of the agent. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** Options for the copy. */
export interface DuplicateAgent {
  /** The name of the copy. Defaults to the name of the original. 1 to 255 characters. */
  name?: string | undefined;
}

/** Options for the published version. */
export interface PublishAgent {
  /** What changed in this version. Up to 500 characters. */
  versionDescription?: string | null | undefined;
}

/** Whether an agent can be published, and if not, why. */
export interface AgentCheck {
  /** Whether the version can be published: there are no errors. */
  publishable: boolean;
  /** What prevents publishing. */
  errors: AgentFinding[];
  /** What is probably a mistake, but prevents nothing. */
  warnings: AgentFinding[];
}

/** Something that is wrong with an agent. */
export interface AgentFinding {
  /** The field of the agent. Up to 100 characters. */
  field: string;
  /** The path inside the field, in dot notation; empty if it is about the field as a whole. Up to 300 characters. */
  path: string;
  /** A human-readable message. The wording may change. Up to 1000 characters. */
  message: string;
}

/** One page of a list. */
export interface AgentVersionPage {
  /** The items of this page, newest first. */
  items: Agent[];
  pagination: Pagination;
}

/** An empty object. */
export type Nothing = Record<string, never>;

/** The differences between two versions. */
export interface AgentDiff {
  /** The number of the version compared from. Range: 1 or more. */
  from: number;
  /** The number of the version compared to. Range: 1 or more. */
  to: number;
  /** The changes, in field order. Empty if the versions are identical. */
  changes: AgentChange[];
}

/** A single change. */
export interface AgentChange {
  /** The operation. */
  op: 'add' | 'remove' | 'replace';
  /** The location, as a JSON Pointer (RFC 6901). */
  path: string;
  /** The previous value; absent for `add`. */
  from?: unknown;
  /** The new value; absent for `remove`. */
  value?: unknown;
}

/** The states of agents. */
export interface AgentStatePage {
  /** The states, newest agent first. */
  items: AgentState[];
  pagination: OnePage;
}

/** Which version of an agent is published, and which one is a draft. */
export interface AgentState {
  /** The id of the agent. Up to 64 characters. */
  agentId: string;
  /** The newest published version, which calls use; null if none is published. Range: 1 or more. */
  publishedVersion: number | null;
  /** The version that is a draft; null if the latest version is published. Range: 1 or more. */
  draftVersion: number | null;
}

/** The list has one page. */
export interface OnePage {
  /** Always null: the list has one page. */
  nextCursor: null;
}

/** The arguments to call a tool with. */
export interface TestAgentTool {
  /** The arguments, as a model would send them. Default: `{}`. */
  arguments?: Record<string, unknown> | undefined;
}

/** What a call of a tool came to. */
export interface AgentToolTest {
  /** The id of the tool call. Up to 64 characters. */
  toolCallId: string;
  /**
   * `succeeded`; otherwise what went wrong. `response_not_usable`: it is compressed, too long or nested too deep.
   * `not_sent`: there was no request, because of a secret.
   */
  outcome:
    | 'succeeded'
    | 'http_error'
    | 'redirect'
    | 'timeout'
    | 'connection_failed'
    | 'tls_failed'
    | 'address_not_allowed'
    | 'response_not_usable'
    | 'not_sent';
  /** The request. Null: nothing was sent. */
  request: AgentToolRequest | null;
  /** The response. Null: there was none. */
  response: AgentToolResponse | null;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  durationMs: number;
  /** Whether the tool has failed. A conversation flow then goes on with `otherwise`. */
  isError: boolean;
  /** What a language model would be given as the result, word for word. */
  modelText: string;
}

/** The request that was sent to the server of the tool. */
export interface AgentToolRequest {
  /** The HTTP method. */
  method: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE';
  /** The URL with the arguments in it. Up to 2048 characters. */
  url: string;
  /** The headers. Secrets are named, as in `{{secrets.SHOP_TOKEN}}`, and their values were sent. */
  headers: Record<string, string>;
  /** The body. Null for GET and DELETE. */
  body: string | null;
}

/** The response of the server of the tool. */
export interface AgentToolResponse {
  /** The status of the response. A whole number: 100 to 999. */
  statusCode: number;
  /** Its `Content-Type`. Null: it has none. Up to 255 characters. */
  contentType: string | null;
  /** The first 32 KiB of the response, as text, with `[SECRET]` in place of secrets. Null: it is empty. */
  body: string | null;
  /** Whether the response is longer. */
  isTruncated: boolean;
}

/** A new key. */
export interface CreateApiKey {
  /** A label for the key. Up to 255 characters. Default: `null`. */
  name?: string | null | undefined;
  /** The scopes of the key. 1 to 100 items. */
  scopes: (
    | 'agents:read'
    | 'agents:write'
    | 'keys:read'
    | 'keys:write'
    | 'audit:read'
    | 'calls:read'
    | 'calls:write'
    | 'secrets:read'
    | 'secrets:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'phone-numbers:read'
    | 'phone-numbers:write'
    | 'knowledge:read'
    | 'knowledge:write'
    | 'analytics:read'
    | 'analytics:write'
    | 'workflows:read'
    | 'workflows:write'
    | 'providers:write'
  )[];
  /**
   * When the key should expire. Null: never. A key that expires cannot create keys that outlive it. A date and time as
   * in ISO 8601. Default: `null`.
   */
  expiresAt?: string | null | undefined;
}

/** A new API key, with its secret. */
export interface NewApiKey {
  /** The id of the key. Up to 64 characters. */
  id: string;
  /** The workspace that the key belongs to. Up to 64 characters. */
  workspaceId: string;
  /** A label for the key. Up to 255 characters. */
  name: string | null;
  /** The first characters of the secret, to tell keys apart. Up to 64 characters. */
  hint: string;
  /** The scopes of the key. */
  scopes: string[];
  /** When the key was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the key expires. Null: never. A date and time as in ISO 8601. */
  expiresAt: string | null;
  /** When the key was revoked. Null: it has not been revoked. A date and time as in ISO 8601. */
  revokedAt: string | null;
  /** When the key was last used; updated with a delay of a few seconds. Null: never. A date and time as in ISO 8601. */
  lastUsedAt: string | null;
  /** The secret. It is returned only in this response: store it now. Up to 200 characters. */
  key: string;
}

/** One page of a list. */
export interface ApiKeyPage {
  /** The items of this page, newest first. */
  items: ApiKey[];
  pagination: Pagination;
}

/** An API key, without its secret, which is not stored. */
export interface ApiKey {
  /** The id of the key. Up to 64 characters. */
  id: string;
  /** The workspace that the key belongs to. Up to 64 characters. */
  workspaceId: string;
  /** A label for the key. Up to 255 characters. */
  name: string | null;
  /** The first characters of the secret, to tell keys apart. Up to 64 characters. */
  hint: string;
  /** The scopes of the key. */
  scopes: string[];
  /** When the key was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the key expires. Null: never. A date and time as in ISO 8601. */
  expiresAt: string | null;
  /** When the key was revoked. Null: it has not been revoked. A date and time as in ISO 8601. */
  revokedAt: string | null;
  /** When the key was last used; updated with a delay of a few seconds. Null: never. A date and time as in ISO 8601. */
  lastUsedAt: string | null;
}

/** Options for the rotation. */
export interface RotateApiKey {
  /** How long the old secret stays valid, in seconds. A whole number: 0 to 2592000. Default: `86400`. */
  graceSeconds?: number | undefined;
}

/** An empty object. */
export type RevokeApiKey = Record<string, never>;

/** The calling API key and its workspace. */
export interface Whoami {
  /** The workspace that the key belongs to. Up to 64 characters. */
  workspaceId: string;
  /** The name of the workspace. Up to 255 characters. */
  workspaceName: string;
  /** The id of the key. Up to 64 characters. */
  keyId: string;
  /** A label for the key. Up to 255 characters. */
  keyName: string | null;
  /** The scopes of the key. */
  scopes: string[];
}

/** One page of a list. */
export interface AuditPage {
  /** The items of this page, newest first. */
  items: AuditEntry[];
  pagination: Pagination;
}

/** A recorded change. */
export interface AuditEntry {
  /** The id of the entry. Up to 64 characters. */
  id: string;
  /** When the change was made. A date and time as in ISO 8601. */
  at: string;
  /**
   * The id of the API key that made the change. Null: it was made on the command line of the server. Up to 64
   * characters.
   */
  keyId: string | null;
  /** The operation, as a route id. Up to 64 characters. */
  routeId: string;
  /** The id of the changed resource. Up to 64 characters. */
  resourceId: string;
  /**
   * The name of the resource at the time of the change. A run has that of its workflow, a webhook the host of its URL.
   * Null: it has none. Absent in entries that were written before names were recorded. Up to 255 characters.
   */
  resourceName?: string | null;
  /** The id of the request. Null: the change was not made by a request. Up to 128 characters. */
  requestId: string | null;
}

/** Traffic statistics of a workspace. */
export interface Figures {
  /** The period covered. */
  period: 'hour' | 'day';
  /** The length of one interval, in seconds. A whole number: -9007199254740991 or more. */
  stepSeconds: number;
  /** The number of agents in the workspace. A whole number: 0 or more. */
  agents: number;
  /** True if there are more than 100000 agents; counting stops there. */
  hasMoreAgents: boolean;
  /** One data point per interval, oldest first, without gaps. The last interval is still in progress. */
  points: FiguresPoint[];
}

/** Traffic in one interval. */
export interface FiguresPoint {
  /** The start of the interval. A date and time as in ISO 8601. */
  at: string;
  /** The number of requests in the workspace. A whole number: 0 or more. */
  requests: number;
  /** The number of requests with a status from 400 to 499. A whole number: 0 or more. */
  refusals: number;
  /** The number of requests with a status of 500 or above. A whole number: 0 or more. */
  errors: number;
  /** 50% of the requests took at most this long, in milliseconds. Null if there were no requests. Range: 0 or more. */
  p50Ms: number | null;
  /** 95% of the requests took at most this long, in milliseconds. Null if there were no requests. Range: 0 or more. */
  p95Ms: number | null;
  /** 99% of the requests took at most this long, in milliseconds. Null if there were no requests. Range: 0 or more. */
  p99Ms: number | null;
}

/** A new call. */
export interface CreateCall {
  /** `chat` in writing, `web` in a browser, or `phone`, which dials a number. */
  type: 'web' | 'phone' | 'chat';
  /** The id of the agent. 1 to 64 characters. */
  agentId: string;
  /**
   * The version of the agent: a number, `published` for the newest published version, or `latest` for the newest of
   * all. A whole number: 1 or more. Default: `'published'`.
   */
  agentVersion?: number | string | undefined;
  /**
   * The step at which the conversation flow starts in this call. Overrides the setting of the agent. 1 to 64
   * characters.
   */
  startSkillId?: string | undefined;
  /** Values for `{{name}}` in prompts and texts. Up to 100 keys and 16 KiB as JSON. Default: `{}`. */
  variables?: Record<string, string | number | boolean | null> | undefined;
  /** Your own data. Up to 50 keys and 8 KiB as JSON. Default: `{}`. */
  metadata?: Record<string, unknown> | undefined;
  /** Your own reference. It does not have to be unique. 1 to 255 characters. Default: `null`. */
  externalId?: string | null | undefined;
  /** What is stored about the call. Must be at least as strict as the agent’s setting, which is the default. */
  dataStorageSetting?: 'everything' | 'everything_except_pii' | 'basic_attributes_only' | undefined;
  /** When the call can be joined: in the future, at most 30 days ahead. Absent: now. A date and time as in ISO 8601. */
  startAt?: string | undefined;
  /** Whether to queue the call if no slot is free. Otherwise the response is 429. Default: `false`. */
  queue?: boolean | undefined;
  /** How long the call may wait in the queue, in seconds. A whole number: 10 to 86400. Default: `3600`. */
  expiresInSeconds?: number | undefined;
  /** Whether the call is recorded. Overrides the setting of the agent. Not for chats. */
  recordingEnabled?: boolean | undefined;
  /**
   * Where the results of tools come from: `live` calls the tools; `example` calls none, and each returns its `example`.
   * Drafts only. Default: `'live'`.
   */
  toolResults?: 'live' | 'example' | undefined;
  /** Options for the access token in the response. */
  token?: CreateCallToken | undefined;
  /** The id of the phone number to call from. Required for phone calls, and only for these. 1 to 64 characters. */
  fromPhoneNumberId?: string | undefined;
  /** The number to dial, in E.164 format. Required for phone calls, and only for these. Up to 16 characters. */
  to?: string | undefined;
  /**
   * How long the phone rings, in milliseconds. Phone calls only; default: that of the phone number. A whole number:
   * 5000 to 120000.
   */
  ringTimeoutMs?: number | undefined;
}

/** Options for an access token. */
export interface CreateCallToken {
  /** How long the token can be used to join the call, in seconds. A whole number: 30 to 600. Default: `120`. */
  expiresInSeconds?: number | undefined;
  /** The origins of pages that may use the token. Empty: all. Up to 10 items. Default: `[]`. */
  allowedOrigins?: string[] | undefined;
}

/** A conversation between a caller and an agent. */
export interface Call {
  /** The id of the call. Up to 64 characters. */
  id: string;
  /** The id of its workspace. Up to 64 characters. */
  workspaceId: string;
  /** How caller and agent talk: `web` in a browser, `chat` in writing, `phone` by phone. */
  type: 'web' | 'phone' | 'chat';
  /** Who called: `outbound` if the service dialed. Web calls and chats are inbound. */
  direction: 'inbound' | 'outbound';
  /**
   * `queued` until it is due and a slot is free, `registered` until the caller joins or the phone rings, `ringing`
   * until a phone call is answered, then `ongoing`. Final: `ended`, `not_connected` if nobody joined or answered,
   * `error`.
   */
  status: 'queued' | 'registered' | 'ringing' | 'ongoing' | 'ended' | 'not_connected' | 'error';
  /**
   * The id of the agent. It is kept when the agent is deleted. Null: a phone call that was refused before its agent was
   * known. Up to 64 characters.
   */
  agentId: string | null;
  /**
   * The version of the agent when the call was created. Later changes have no effect on the call. Null if `agentId` is.
   * A whole number: 1 or more.
   */
  agentVersion: number | null;
  /** Whether the version was a draft when the call was created, as in test calls. */
  isDraft: boolean;
  /** What replies. `rehearsal` repeats what it hears, because no language model is connected. Null if `agentId` is. */
  engine: 'flow' | 'prompt' | 'custom_llm' | 'rehearsal' | 'test' | null;
  /** The phone number that was called, or that called. Null unless it is a phone call. Up to 64 characters. */
  phoneNumberId: string | null;
  /**
   * Who called, in E.164 format. Null if it was withheld. With `everything_except_pii`, only the country code and the
   * last two digits; with `basic_attributes_only`, null. Up to 64 characters.
   */
  from: string | null;
  /**
   * Who was called, in E.164 format. With `everything_except_pii`, only the country code and the last two digits; with
   * `basic_attributes_only`, null. Up to 64 characters.
   */
  to: string | null;
  /** The batch that placed the call. Not yet used. Up to 64 characters. */
  batchId: string | null;
  /** The run of a workflow that created the call. Up to 64 characters. */
  workflowRunId: string | null;
  /** Your own reference. Up to 512 characters. */
  externalId: string | null;
  /** The values given for `{{name}}` in prompts and texts. */
  variables: Record<string, string | number | boolean | null>;
  /** The values collected during the call. */
  collectedVariables: Record<string, string | number | boolean | null>;
  /** Your own data. */
  metadata: Record<string, unknown>;
  /** How much of the call is stored. */
  dataStorageSetting: 'everything' | 'everything_except_pii' | 'basic_attributes_only';
  /** When the call was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** The `startAt` of the request. A date and time as in ISO 8601. */
  scheduledAt: string | null;
  /** When the caller joined, or the phone was answered. Null until then. A date and time as in ISO 8601. */
  startedAt: string | null;
  /** When the call ended. Null until then. A date and time as in ISO 8601. */
  endedAt: string | null;
  /** From `startedAt` to the end, in milliseconds. Null if nobody joined or answered. A whole number: 0 or more. */
  durationMs: number | null;
  /** Why the call ended. Null until then. */
  endReason:
    | 'caller_hangup'
    | 'agent_hangup'
    | 'api_end'
    | 'silence_timeout'
    | 'max_duration'
    | 'caller_disconnected'
    | 'voicemail'
    | 'transferred'
    | 'not_joined'
    | 'canceled'
    | 'expired'
    | 'concurrency_limit'
    | 'dial_busy'
    | 'dial_no_answer'
    | 'dial_declined'
    | 'dial_failed'
    | 'invalid_destination'
    | 'destination_not_allowed'
    | 'rejected'
    | 'llm_connect_failed'
    | 'llm_failed'
    | 'stt_failed'
    | 'tts_failed'
    | 'media_failed'
    | 'server_restart'
    | 'internal_error'
    | 'carrier_failed'
    | null;
  /** Who ended the call. Null until then. */
  endedBy: 'caller' | 'agent' | 'api' | 'system' | null;
  /** A description of what failed, or the reason the agent gave for hanging up, if any. Up to 500 characters. */
  endDetail: string | null;
  /** Whether there is a transcript. `live` while the call is ongoing. */
  transcriptStatus: 'none' | 'live' | 'available' | 'not_stored' | 'deleted';
  recording: CallRecording;
  /** How long replies took. Null until one has been measured. */
  latency: CallLatency | null;
  usage: CallUsage;
  /** The estimated cost. Null while no prices are stated, and while the call is open. */
  cost: CallCost | null;
  /** How a spoken conversation went. Null for chats and while the call is open. */
  conversation: CallConversation | null;
  analysis: CallAnalysis;
  /** The knowledge bases of the agent. A call always searches their newest revisions. */
  knowledgeBases: CallKnowledgeBase[];
  /** Settings of the agent that this call could not honor. */
  notApplied: NotAppliedSetting[];
  /** The id of the call at the carrier. Null until the carrier has confirmed it. Up to 255 characters. */
  providerCallId: string | null;
  /** Set only in the response that creates a chat or a web call; otherwise null. */
  access: CallAccess | null;
  /** When the call last changed. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** The recording of the call. */
export interface CallRecording {
  /** Whether there is a recording. */
  status: 'none' | 'recording' | 'processing' | 'available' | 'failed' | 'not_stored' | 'deleted';
  /** The duration, in milliseconds. Null until it is available. A whole number: 0 or more. */
  durationMs: number | null;
  /** The size, in bytes. Null until it is available. A whole number: 0 or more. */
  sizeBytes: number | null;
}

/** How long the agent’s replies took. */
export interface CallLatency {
  /** The number of agent turns. A whole number: 1 or more. */
  turns: number;
  /** From the caller’s last sound to the first sound of the reply; in a chat, to its first text. Null: not measured. */
  e2eMs: LatencyDistribution | null;
  /** How long the agent waited to be sure that the caller had finished, excluding `sttMs`. Null: not measured. */
  endpointingMs: LatencyDistribution | null;
  /**
   * Speech recognition, from the end of the speech to the final transcript, while the agent waits for it. Null: not
   * measured.
   */
  sttMs: LatencyDistribution | null;
  /**
   * How long the reply waited for the search in knowledge bases, which starts before the turn is over. Null: not
   * measured.
   */
  knowledgeMs: LatencyDistribution | null;
  /**
   * The engine or the language model, until its first text, or until the caller is asked to wait. Null: not measured.
   */
  llmFirstTokenMs: LatencyDistribution | null;
  /** The voice, from the first sentence to its first sound. Null: not measured. */
  ttsFirstAudioMs: LatencyDistribution | null;
  /** The service’s own share: time not spent on a provider or a deliberate wait. Null: not measured. */
  ownMs: LatencyDistribution | null;
}

/** How long something took, in milliseconds; nearest rank. */
export interface LatencyDistribution {
  /** The median. A whole number: 0 or more. */
  p50: number;
  /** 90% took at most this long. A whole number: 0 or more. */
  p90: number;
  /** 95% took at most this long. A whole number: 0 or more. */
  p95: number;
  /** 99% took at most this long. A whole number: 0 or more. */
  p99: number;
  /** The shortest. A whole number: 0 or more. */
  min: number;
  /** The longest. A whole number: 0 or more. */
  max: number;
  /** The number of measurements. A whole number: 1 or more. */
  count: number;
}

/** The resources that the call used. */
export interface CallUsage {
  llm: LlmUsage;
  stt: SttUsage;
  tts: TtsUsage;
  carrier: CarrierUsage;
  knowledge: KnowledgeUsage;
  /** One entry for each provider and model that was used. */
  breakdown: UsageEntry[];
}

/** The language model. */
export interface LlmUsage {
  /** The language model, as the agent names it. Up to 255 characters. */
  model: string | null;
  /** Tokens sent to the model. A whole number: 0 or more. */
  promptTokens: number;
  /** How many of these the provider had cached. A whole number: 0 or more. */
  cachedTokens: number;
  /** Tokens generated by the model. A whole number: 0 or more. */
  completionTokens: number;
  /** The sum of prompt and completion tokens. A whole number: 0 or more. */
  totalTokens: number;
}

/** Speech recognition. */
export interface SttUsage {
  /** The provider. Up to 255 characters. */
  provider: string | null;
  /** Audio recognized, in milliseconds. A whole number: 0 or more. */
  audioMs: number;
}

/** The voice. */
export interface TtsUsage {
  /** The provider. Up to 255 characters. */
  provider: string | null;
  /** Characters spoken, including cached speech. A whole number: 0 or more. */
  characters: number;
}

/** The carrier of a phone call. */
export interface CarrierUsage {
  /** The provider of the carrier. Up to 255 characters. */
  provider: string | null;
  /** What the carrier bills, in milliseconds, as it reports it after the end. A whole number: 0 or more. */
  billedMs: number;
}

/** Searches in knowledge bases. */
export interface KnowledgeUsage {
  /** How many searches agent turns were based on. A whole number: 0 or more. */
  searches: number;
  /** How many of these were complete and found nothing. A whole number: 0 or more. */
  empty: number;
  /** How many of these came too late, or only in part. A whole number: 0 or more. */
  timedOut: number;
}

/** The use of one model of a provider. */
export interface UsageEntry {
  /** What it was used for. */
  capability: 'llm' | 'stt' | 'tts';
  /** The provider. Up to 255 characters. */
  provider: string;
  /** The model, as it was sent. Up to 255 characters. */
  model: string | null;
  /** The number of requests. A whole number: 0 or more. */
  requests: number;
  /** Tokens sent. A whole number: 0 or more. */
  promptTokens: number;
  /** How many of these were cached. A whole number: 0 or more. */
  cachedTokens: number;
  /** Tokens received. A whole number: 0 or more. */
  completionTokens: number;
  /** Audio recognized, in milliseconds. A whole number: 0 or more. */
  audioMs: number;
  /** Characters spoken. A whole number: 0 or more. */
  characters: number;
}

/** An estimate by the prices that the operator states. The invoice is the provider’s. */
export interface CallCost {
  /** The currency, as in ISO 4217. Up to 3 characters. */
  currency: string;
  /** The sum. Null if a price is missing. In millionths of the currency. A whole number: 0 or more. */
  totalMicros: number | null;
  /** The language models. In millionths of the currency. A whole number: 0 or more. */
  llmMicros: number | null;
  /** Speech recognition. In millionths of the currency. A whole number: 0 or more. */
  sttMicros: number | null;
  /** The voice. In millionths of the currency. A whole number: 0 or more. */
  ttsMicros: number | null;
  /** The carrier. In millionths of the currency. A whole number: 0 or more. */
  carrierMicros: number | null;
  /** The analysis after the call. In millionths of the currency. A whole number: 0 or more. */
  analysisMicros: number | null;
  /** The `validFrom` of the prices that were valid when the call was created. A date and time as in ISO 8601. */
  pricesFrom: string;
  /** What was used and has no price. */
  missing: MissingPrice[];
}

/** Something that was used and has no price. */
export interface MissingPrice {
  /** What was used. */
  capability: 'llm' | 'stt' | 'tts' | 'carrier';
  /** The provider. Up to 255 characters. */
  provider: string;
  /** The model. Up to 255 characters. */
  model: string | null;
}

/** How the conversation went, in milliseconds and counts. */
export interface CallConversation {
  /** How long the agent spoke. A whole number: 0 or more. */
  agentSpeechMs: number;
  /** How long the caller spoke. A whole number: 0 or more. */
  callerSpeechMs: number;
  /** How long both spoke at once. A whole number: 0 or more. */
  overlapMs: number;
  /** From the start of the call to the agent’s first sound. Null: it never spoke. A whole number: 0 or more. */
  firstWordMs: number | null;
  /** How long nobody spoke while a reply was pending. A whole number: 0 or more. */
  deadAirMs: number;
  /** The longest time during which nobody spoke. A whole number: 0 or more. */
  longestSilenceMs: number;
  /** How many times the caller interrupted the agent. A whole number: 0 or more. */
  callerInterruptions: number;
  /** How many times the agent started while the caller was speaking. A whole number: 0 or more. */
  agentInterruptions: number;
  /** How many times the agent paused and then continued. A whole number: 0 or more. */
  falseInterruptions: number;
  /** How many reminders the agent gave. A whole number: 0 or more. */
  reminders: number;
  /** How many times the caller was asked to wait. A whole number: 0 or more. */
  waitingSentences: number;
  /** How many acknowledgments the agent said. A whole number: 0 or more. */
  backchannels: number;
}

/** What was extracted from the call after it ended. */
export interface CallAnalysis {
  /** Whether the call has been analyzed. `none` while it is open. */
  status: 'none' | 'pending' | 'completed' | 'failed' | 'skipped';
  /** Why it was skipped or failed. */
  reason:
    | 'not_connected'
    | 'data_storage_setting'
    | 'disabled'
    | 'no_caller_speech'
    | 'provider_not_configured'
    | 'model_error'
    | 'invalid_output'
    | 'timeout'
    | 'transcript_too_long'
    | null;
  /** Increases with each completed analysis. 0: there is none. A whole number: 0 or more. */
  revision: number;
  /** The model. Up to 255 characters. */
  model: string | null;
  /** A summary of the call. Up to 2000 characters. */
  summary: string | null;
  /** Whether the call was a success. Null: unknown. */
  successful: boolean | null;
  /** The caller’s sentiment. Null: unknown. */
  sentiment: 'positive' | 'neutral' | 'negative' | 'mixed' | null;
  /** The values of `postCallAnalysisData`, by name; null if the call does not say. Empty until it is completed. */
  data: Record<string, string | number | boolean | null>;
  evidence: AnalysisEvidences;
  /** Values from the model that were not accepted. */
  issues: AnalysisIssue[];
  /** Tokens sent to the model. A whole number: 0 or more. */
  promptTokens: number | null;
  /** Tokens generated by the model. A whole number: 0 or more. */
  completionTokens: number | null;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  durationMs: number | null;
  /** When it was settled. A date and time as in ISO 8601. */
  completedAt: string | null;
}

/** What each value is based on. */
export interface AnalysisEvidences {
  /** What the value is based on. Null: the model did not say. */
  successful: AnalysisEvidence | null;
  /** What the value is based on. Null: the model did not say. */
  sentiment: AnalysisEvidence | null;
  /** For each value of `data`, by its name. */
  data: Record<string, AnalysisEvidence | null>;
}

/** What a value of an analysis is based on. */
export interface AnalysisEvidence {
  /** The turns that it is based on. */
  turns: number[];
  /** What was said. Up to 500 characters. */
  quote: string;
  /** Why the model chose this value. Up to 500 characters. */
  rationale: string | null;
}

/** A value that was not accepted. */
export interface AnalysisIssue {
  /** The field. Up to 260 characters. */
  field: string;
  /** What is wrong. */
  code: 'wrong_type' | 'not_an_option' | 'missing' | 'unsupported_by_transcript';
  /** The problem in words. Up to 1000 characters. */
  message: string;
}

/** A knowledge base of the agent. */
export interface CallKnowledgeBase {
  /** The id of the knowledge base. Up to 64 characters. */
  id: string;
  /** Its revision when the call was created. A whole number: 0 or more. */
  revision: number;
}

/** A setting of the agent that the call could not honor. */
export interface NotAppliedSetting {
  /** The setting of the agent. Up to 500 characters. */
  field: string;
  /** Why it was not applied. */
  reason: 'not_supported' | 'clamped' | 'provider_not_configured' | 'data_storage_setting' | 'not_understood';
  /**
   * What was used instead, such as the voice or the nearest value. Missing if it has no name, and in calls of older
   * versions. Up to 500 characters.
   */
  used?: string;
}

/** What a browser needs to take part in a call without an API key. */
export interface CallAccess {
  /** The access token. Up to 4096 characters. */
  token: string;
  /** The token can be used to join the call until this time. A date and time as in ISO 8601. */
  expiresAt: string;
  /** The WebSocket of the call: a path, or a URL if the service knows its public address. Up to 4096 characters. */
  liveUrl: string;
}

/** One page of a list. */
export interface CallPage {
  /** The items of this page, newest first. */
  items: Call[];
  pagination: Pagination;
}

/** What to search for. */
export interface SearchCalls {
  /**
   * A condition `{"field", "op", "value"}`, or `{"all": […]}`, `{"any": […]}`, `{"not": …}` of conditions, up to 50
   * conditions and 5 levels. Operators: `eq`, `ne`, `in`, `lt`, `lte`, `gt`, `gte`, `contains`, `startsWith`, `exists`.
   * Fields: `type`, `direction`, `status`, `engine`, `endReason`, `endedBy`, `dataStorageSetting`, `analysis.status`,
   * `analysis.sentiment`, `analysis.successful`, `agentId`, `externalId`, `phoneNumberId`, `batchId`, `from`, `to`,
   * `agentVersion`, `durationMs`, `latency.e2eMs.p50`, `latency.e2eMs.p90`, `latency.e2eMs.p95`, `latency.e2eMs.p99`,
   * `usage.llm.totalTokens`, `usage.knowledge.empty`, `createdAt`, `startedAt`, `endedAt`, and `analysis.data.`,
   * `metadata.`, `variables.`, `collectedVariables.` followed by a key. `transcript` is what caller and agent said in a
   * call that is over and has `dataStorageSetting` `everything`. Its only operator is `contains`, with 2 to 100
   * characters that occur in one turn; case and width do not matter.
   */
  filter: unknown;
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /** The `pagination.nextCursor` of the previous page. Send it with the same filter. 1 to 4096 characters. */
  cursor?: string | undefined;
}

/** A JSON Merge Patch over the writable fields of a call. */
export interface UpdateCall {
  /** Merged into the current metadata; null removes a key. Up to 50 keys and 8 KiB afterwards. */
  metadata?: Record<string, unknown> | undefined;
  /** Your own reference. It does not have to be unique. 1 to 255 characters. */
  externalId?: string | null | undefined;
}

/** Confirms the deletion. */
export interface DeletedCall {
  /** The id of the call. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** How much of the call to keep. */
export interface RedactCall {
  /** How much of the call to keep. */
  to: 'everything_except_pii' | 'basic_attributes_only';
}

/** The action to take in a call. */
export interface ControlCall {
  /** The action. */
  action:
    | 'say'
    | 'add_context'
    | 'respond'
    | 'set_variables'
    | 'mute_agent'
    | 'unmute_agent'
    | 'pause_recording'
    | 'resume_recording'
    | 'send_dtmf'
    | 'transfer';
  /**
   * `say`: what the agent says, up to 2,000 characters. `add_context`: the context for the model. 1 to 10000
   * characters.
   */
  text?: string | undefined;
  /** `say`: whether to cut in instead of waiting for the agent to finish. No effect in a chat. Default: `false`. */
  interrupt?: boolean | undefined;
  /** `set_variables`: merged into `collectedVariables`. */
  variables?: Record<string, string | number | boolean | null> | undefined;
  /** `send_dtmf`: the keys to press; `w` is a pause of 500 ms. Phone calls only. */
  digits?: string | undefined;
  /** `transfer`: an entry of `agentSettings.phone.transfers`. Phone calls only. 1 to 64 characters. */
  name?: string | undefined;
  /** `transfer`: a number in E.164 format, instead of `name`. Phone calls only. Up to 16 characters. */
  to?: string | undefined;
  /** `transfer` with `to`: how the call is transferred. Default: `'cold'`. */
  mode?: 'cold' | 'warm' | undefined;
}

/** Confirms the control action. */
export interface ControlledCall {
  /** The call. Up to 64 characters. */
  callId: string;
  /** The action that was applied. */
  action:
    | 'say'
    | 'add_context'
    | 'respond'
    | 'set_variables'
    | 'mute_agent'
    | 'unmute_agent'
    | 'pause_recording'
    | 'resume_recording'
    | 'send_dtmf'
    | 'transfer';
  /** The sequence number of the `control_applied` call event. A whole number: 1 or more. */
  sequence: number;
}

/** A message from the caller. */
export interface CreateCallMessage {
  /** What the caller writes. The first message may omit it, to get the opening of the agent. 1 to 10000 characters. */
  text?: string | undefined;
}

/** A message and the reply to it. */
export interface CallReply {
  /** The caller’s turn and the turns that followed, in order. */
  turns: Turn[];
  /** The status of the call afterwards: the agent may have hung up. */
  status: 'queued' | 'registered' | 'ringing' | 'ongoing' | 'ended' | 'not_connected' | 'error';
}

/** An entry of a transcript. */
export interface Turn {
  /** The position in the transcript, from 0, without gaps. A whole number: 0 or more. */
  index: number;
  /** Who produced the turn. */
  role: 'agent' | 'caller' | 'tool';
  /**
   * Why the agent said it: `begin` is the opening, `waiting` is said while a tool or a reply takes long, `fallback` if
   * a reply failed, `control` at the request of the API. Null for callers and tools.
   */
  source: 'begin' | 'engine' | 'reminder' | 'waiting' | 'fallback' | 'control' | null;
  /** What was said. For the agent: what the caller heard, even after an interruption. Empty for tools. */
  text: string;
  /** The rest of an interrupted agent turn. Up to 100000 characters. */
  unspokenText: string | null;
  /** When it began, in milliseconds from the start of the call. A whole number: 0 or more. */
  startMs: number;
  /** When it ended, in milliseconds from the start of the call. A whole number: 0 or more. */
  endMs: number;
  /** When each word was said. Empty if unknown. */
  words: TurnWord[];
  /** Whether the caller spoke over it. */
  interrupted: boolean;
  /** How long the reply took. Null if the turn is not a reply. */
  latency: TurnLatency | null;
  /** Agent turns: what the reply was based on, best first. Empty for access tokens, and if no knowledge was used. */
  sources: KnowledgeSource[];
  /** For tools: the call. Null otherwise. */
  toolCall: TurnToolCall | null;
}

/** When a word was said. */
export interface TurnWord {
  /** The word, as it appears in the text. */
  text: string;
  /** When it began, in milliseconds from the start of the call. A whole number: 0 or more. */
  startMs: number;
  /** When it ended, in milliseconds from the start of the call. A whole number: 0 or more. */
  endMs: number;
  /** The confidence of the recognition, from 0 to 1. Null: unknown. Range: 0 to 1. */
  confidence: number | null;
}

/**
 * How long the reply took, in milliseconds: `e2eMs` and its parts. In a spoken call, the remainder is the time that the
 * model took from its first text to the end of its first sentence. Null: not measured.
 */
export interface TurnLatency {
  /**
   * From the caller’s last sound to the first sound of the reply; in a chat, to its first text. A whole number: 0 or
   * more.
   */
  e2eMs: number | null;
  /**
   * How long the agent waited to be sure that the caller had finished, excluding `sttMs`. A whole number: 0 or more.
   */
  endpointingMs: number | null;
  /**
   * Speech recognition, from the end of the speech to the final transcript, while the agent waits for it. A whole
   * number: 0 or more.
   */
  sttMs: number | null;
  /**
   * How long the reply waited for the search in knowledge bases, which starts before the turn is over. A whole number:
   * 0 or more.
   */
  knowledgeMs: number | null;
  /**
   * The engine or the language model, until its first text, or until the caller is asked to wait. A whole number: 0 or
   * more.
   */
  llmFirstTokenMs: number | null;
  /** The voice, from the first sentence to its first sound. A whole number: 0 or more. */
  ttsFirstAudioMs: number | null;
  /** The service’s own share: time not spent on a provider or a deliberate wait. A whole number: 0 or more. */
  ownMs: number | null;
}

/** A chunk of a document that the model was given for the reply. */
export interface KnowledgeSource {
  /** The knowledge base. Up to 64 characters. */
  knowledgeBaseId: string;
  /** The document. Up to 64 characters. */
  documentId: string;
  /** The revision of the document. A whole number: 1 or more. */
  documentRevision: number;
  /** The chunk. Up to 64 characters. */
  chunkId: string;
  /** The score of the chunk in the search. Range: 0 or more. */
  score: number;
}

/** A tool call. */
export interface TurnToolCall {
  /** The id of the tool call. Up to 64 characters. */
  id: string;
  /** The name of the tool. Up to 64 characters. */
  name: string;
  /** The arguments of the call. */
  arguments: Record<string, unknown>;
  /** What it returned, or the error. Null while it runs. */
  result: unknown;
  /** Whether it failed. */
  isError: boolean;
  /** Whether the tool was not called, because the call uses example results. */
  isExample: boolean;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  durationMs: number;
}

/** One page of a list. */
export interface CallEventPage {
  /** The items of this page, oldest first. */
  items: CallEvent[];
  pagination: Pagination;
}

/** Something that happened in a call. */
export interface CallEvent {
  /** The id of the event. Up to 64 characters. */
  id: string;
  /** The call. Up to 64 characters. */
  callId: string;
  /** The number of the event within its call: from 1, without gaps. A whole number: 1 or more. */
  sequence: number;
  /** What happened. */
  type:
    | 'state_changed'
    | 'turn_completed'
    | 'speech_started'
    | 'speech_ended'
    | 'agent_interrupted'
    | 'tool_called'
    | 'tool_returned'
    | 'dtmf_received'
    | 'dtmf_sent'
    | 'answered_by'
    | 'transfer_updated'
    | 'control_applied'
    | 'latency_exceeded'
    | 'provider_switched'
    | 'knowledge_searched'
    | 'warning';
  /** When it happened. A date and time as in ISO 8601. */
  at: string;
  /** The time since the start of the call, in milliseconds. Null before the start. A whole number: 0 or more. */
  offsetMs: number | null;
  /** Depends on the type. */
  data:
    | StateChanged
    | TurnCompleted
    | SpeechStarted
    | SpeechEnded
    | AgentInterrupted
    | ToolCalled
    | ToolReturned
    | DtmfReceived
    | DtmfSent
    | AnsweredBy
    | TransferUpdated
    | ControlApplied
    | LatencyExceeded
    | ProviderSwitched
    | KnowledgeSearched
    | CallWarning;
}

export interface StateChanged {
  /** The previous status. Null when the call is created. */
  from: 'queued' | 'registered' | 'ringing' | 'ongoing' | 'ended' | 'not_connected' | 'error' | null;
  /** The new status. */
  to: 'queued' | 'registered' | 'ringing' | 'ongoing' | 'ended' | 'not_connected' | 'error';
  /** Why the call ended, if it did. */
  endReason:
    | 'caller_hangup'
    | 'agent_hangup'
    | 'api_end'
    | 'silence_timeout'
    | 'max_duration'
    | 'caller_disconnected'
    | 'voicemail'
    | 'transferred'
    | 'not_joined'
    | 'canceled'
    | 'expired'
    | 'concurrency_limit'
    | 'dial_busy'
    | 'dial_no_answer'
    | 'dial_declined'
    | 'dial_failed'
    | 'invalid_destination'
    | 'destination_not_allowed'
    | 'rejected'
    | 'llm_connect_failed'
    | 'llm_failed'
    | 'stt_failed'
    | 'tts_failed'
    | 'media_failed'
    | 'server_restart'
    | 'internal_error'
    | 'carrier_failed'
    | null;
}

export interface TurnCompleted {
  turn: Turn;
}

export interface SpeechStarted {
  /** Who spoke. */
  role: 'agent' | 'caller';
  /** The first sound, from the start of the call, in milliseconds. A whole number: 0 or more. */
  atMs: number;
}

export interface SpeechEnded {
  /** Who spoke. */
  role: 'agent' | 'caller';
  /** The last sound, from the start of the call, in milliseconds. A whole number: 0 or more. */
  atMs: number;
}

export interface AgentInterrupted {
  /** Who interrupted. */
  role: 'caller';
}

export interface ToolCalled {
  /** The id of the tool call. Up to 64 characters. */
  toolCallId: string;
  /** The name of the tool. Up to 64 characters. */
  name: string;
}

export interface ToolReturned {
  /** The id of the tool call. Up to 64 characters. */
  toolCallId: string;
  /** The name of the tool. Up to 64 characters. */
  name: string;
  /** Whether it failed. */
  isError: boolean;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  durationMs: number;
}

export interface DtmfReceived {
  /**
   * The keys that the caller pressed, without a final `#`. With `everything_except_pii`, four or more are `[DIGITS]`;
   * with `basic_attributes_only`, null. Up to 50 characters.
   */
  digits: string | null;
}

export interface DtmfSent {
  /**
   * The keys that were pressed for the agent; `w` is a pause. Stored like those of `dtmf_received`. Up to 50
   * characters.
   */
  digits: string | null;
}

export interface AnsweredBy {
  /** Who or what answered. */
  by: 'human' | 'machine' | 'fax' | 'unknown';
  /** Who says so: what was heard, or the carrier. */
  source: 'audio' | 'carrier';
}

export interface TransferUpdated {
  /** The entry of `agentSettings.phone.transfers`. Null if the API named a number. Up to 64 characters. */
  name: string | null;
  /** How the call is transferred. */
  mode: 'cold' | 'warm';
  /** What has become of it. */
  status: 'started' | 'completed' | 'failed';
  /** Why it failed, such as `busy`, `no_answer` or `declined`. Up to 255 characters. */
  reason: string | null;
}

export interface ControlApplied {
  /** The action. Up to 64 characters. */
  action: string;
}

export interface LatencyExceeded {
  /** The index of the turn. A whole number: 0 or more. */
  turnIndex: number;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  e2eMs: number;
  /** The latency budget, in milliseconds. A whole number: 0 or more. */
  budgetMs: number;
}

export interface ProviderSwitched {
  /** What it is used for. */
  capability: 'llm' | 'stt' | 'tts';
  /** The provider or model that failed. Up to 255 characters. */
  from: string;
  /** The one used from then on. Up to 255 characters. */
  to: string;
}

export interface KnowledgeSearched {
  /** The index of the turn. A whole number: 0 or more. */
  turnIndex: number;
  /** How it was searched: by words alone, or also by meaning. */
  mode: 'lexical' | 'hybrid';
  /** How many chunks the reply was based on. A whole number: 0 or more. */
  results: number;
  /** How long the search took, in milliseconds. A whole number: 0 or more. */
  tookMs: number;
  /** Whether the result, or the better one by meaning, came too late. */
  timedOut: boolean;
}

export interface CallWarning {
  /** A machine-readable code, such as `recording_failed` if the call could not be recorded. Up to 64 characters. */
  code: string;
  /** The warning in human-readable form. Up to 1000 characters. */
  message: string;
}

/** What was said in a call. */
export interface Transcript {
  /** The call. Up to 64 characters. */
  callId: string;
  /** `none` if nobody has spoken, `live` while the call is ongoing. */
  status: 'none' | 'live' | 'available';
  /** The language of the agent. Up to 64 characters. */
  language: string;
  /** The turns, in order. */
  turns: Turn[];
}

/** The current skill of the conversation flow of a call. */
export interface CallSkill {
  /** The call. Up to 64 characters. */
  callId: string;
  /**
   * The id of the skill. Null before the flow starts, after the call, without a flow, and in a voice call that does not
   * store everything. Up to 64 characters.
   */
  skillId: string | null;
}

/** A link to the recording of a call. */
export interface RecordingLink {
  /** The call. Up to 64 characters. */
  callId: string;
  /**
   * The URL of the file. It starts with `PUBLIC_URL`. If the service has none, it is a path: put the scheme and host of
   * your request before it, as the SDK does. Up to 4096 characters.
   */
  url: string;
  /** When the link expires. A date and time as in ISO 8601. */
  expiresAt: string;
  /** The format. */
  format: 'wav';
  /** Two: the caller is on the left, the agent on the right. Range: 2 or more. */
  channels: 2;
  /** The duration, in milliseconds. A whole number: 0 or more. */
  durationMs: number;
  /** The size, in bytes. A whole number: 0 or more. */
  sizeBytes: number;
  /** The SHA-256 of the file, in hex. Up to 64 characters. */
  sha256: string;
}

/** The open calls of the workspace and their limits. */
export interface CallConcurrency {
  /** The maximum number of open voice calls. A whole number: 1 or more. */
  limit: number;
  /** The number of open voice calls. A whole number: 0 or more. */
  active: number;
  /** How many of them only inbound phone calls may use. A whole number: 0 or more. */
  reservedInbound: number;
  /** The number of queued calls, including chats. A whole number: 0 or more. */
  queued: number;
  /** The maximum number of open chats. A whole number: 1 or more. */
  chatLimit: number;
  /** The number of open chats. A whole number: 0 or more. */
  chatActive: number;
}

/** All providers. */
export interface ProviderPage {
  /** The providers. */
  items: Provider[];
  pagination: OnePage;
}

/** A provider of speech recognition, voices, language models or embeddings. */
export interface Provider {
  /** The name, as in `sttProvider` and `ttsProvider` of an agent. Up to 64 characters. */
  name: string;
  /** Whether calls can use it: its key is set, or its parts are installed. */
  configured: boolean;
  /** What it can do. */
  capabilities: ('stt' | 'tts' | 'llm' | 'embeddings')[];
  /** The supported languages. An empty list means any language. */
  languages: string[];
  /**
   * Whether calls use it for agents whose provider is `auto`. An agent has to name any other provider, such as a server
   * that may have language models only.
   */
  automatic: boolean;
  /**
   * The capabilities that calls and knowledge bases take from it first, unless an agent names another provider or it
   * does not support the language.
   */
  usedFor: ('stt' | 'tts' | 'llm' | 'embeddings')[];
  /**
   * `workspace`: the workspace’s own credentials. `operator`: those in the environment of the service. `embedded`: no
   * account is needed. `none`: not configured.
   */
  source: 'workspace' | 'operator' | 'embedded' | 'none';
  /** The workspace’s own credentials. Null if it has none. */
  credentials: Credentials | null;
}

/** How the workspace uses a provider, without the key. */
export interface Credentials {
  /** The provider. */
  provider: 'openai' | 'deepgram' | 'elevenlabs' | 'cartesia' | 'embeddings';
  apiKey: CredentialsKey;
  /** The address of the provider. Null: the usual one. Up to 2048 characters. */
  baseUrl: string | null;
  /** The names that are sent to the provider instead of those of agents. */
  models: Record<string, string>;
  /** The model, for `embeddings`. Otherwise null. Up to 200 characters. */
  model: string | null;
  /** When credentials were first set. A date and time as in ISO 8601. */
  createdAt: string;
  /** When credentials were last set. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** What may be known about the key, which is never returned. */
export interface CredentialsKey {
  /** Whether there is a key. */
  set: boolean;
  /** Its last four characters. Null if there is no key, or if it is shorter than 16 characters. Up to 4 characters. */
  last4: string | null;
  /** When it was last set. Null if there is no key. A date and time as in ISO 8601. */
  updatedAt: string | null;
}

/** The key of a provider, and how it is used. */
export interface PutCredentials {
  /**
   * The key. It is never returned. Null: requests carry none. Absent: the one that is set stays. 1 to 1000 characters.
   */
  apiKey?: string | null | undefined;
  /**
   * The address of the provider, such as that of a compatible server, as in `OPENAI_BASE_URL`. It must be public, or in
   * a network that the operator allows. Null or absent: the usual one of the provider. 1 to 2048 characters.
   */
  baseUrl?: string | null | undefined;
  /**
   * For `openai`: the names that are sent instead of those of agents, as in `LLM_MODEL_MAP`; `*` is every other
   * language model.
   */
  models?: Record<string, string> | undefined;
  /**
   * For `embeddings`, where it is required: the model that texts of knowledge bases are sent to. 1 to 200 characters.
   */
  model?: string | null | undefined;
}

/** Confirms the deletion. */
export interface DeletedCredentials {
  /** The provider. */
  provider: 'openai' | 'deepgram' | 'elevenlabs' | 'cartesia' | 'embeddings';
  /** Always true. */
  deleted: true;
}

/** What a request to the provider says about the key. */
export interface ProviderVerification {
  /** The provider. */
  provider: 'openai' | 'deepgram' | 'elevenlabs' | 'cartesia' | 'embeddings';
  /**
   * `workspace`: the workspace’s own credentials. `operator`: those in the environment of the service. `embedded`: no
   * account is needed. `none`: not configured.
   */
  source: 'workspace' | 'operator' | 'embedded' | 'none';
  /** Whether the provider accepts the key. */
  ok: boolean;
  /** What is wrong. Null if nothing is. */
  problem:
    | 'not_configured'
    | 'key_missing'
    | 'key_rejected'
    | 'permission_missing'
    | 'quota_exceeded'
    | 'rate_limited'
    | 'model_missing'
    | 'wrong_address'
    | 'address_not_allowed'
    | 'unreachable'
    | 'tls_failed'
    | 'timeout'
    | 'provider_failed'
    | null;
  /** The outcome in a sentence. Up to 500 characters. */
  message: string;
  /** The status of the provider’s response, if there was one. A whole number: -9007199254740991 or more. */
  statusCode: number | null;
  /** How long it took, in milliseconds. A whole number: -9007199254740991 or more. */
  tookMs: number;
}

/** Voices of the configured providers. */
export interface VoicePage {
  /** The voices. */
  items: Voice[];
  pagination: OnePage;
}

/** A voice that agents can use. */
export interface Voice {
  /** The provider of the voice. Up to 64 characters. */
  provider: string;
  /** The id of the voice, as in `voiceId` of an agent. Up to 255 characters. */
  voiceId: string;
  /** The provider’s name for the voice. Up to 255 characters. */
  name: string;
  /** The languages that it speaks. An empty list means any language. */
  languages: string[];
}

/** What to say, and how. */
export interface PreviewVoice {
  /** The provider, or `auto` for the one that an agent with `auto` gets. 1 to 64 characters. */
  provider: string;
  /** The voice. 1 to 255 characters. */
  voiceId: string;
  /** The voice model. Default: the provider’s default. 1 to 255 characters. */
  voiceModel?: string | null | undefined;
  /** The speaking rate; 1 is normal. Range: 0.5 to 2. Default: `1`. */
  voiceSpeed?: number | undefined;
  /** The emotion of the voice. Default: neutral. */
  voiceEmotion?: 'calm' | 'sympathetic' | 'happy' | 'sad' | 'angry' | 'fearful' | 'surprised' | null | undefined;
  /** The language of the text, as a BCP 47 tag. 1 to 64 characters. */
  language: string;
  /** What the voice says. 1 to 300 characters. */
  text: string;
}

/** What to extract, if it differs from the version of the call. */
export interface AnalyzeCall {
  /**
   * The agent version whose items, model and settings to use, as it is now. Absent: the version of the call. A whole
   * number: 1 or more.
   */
  agentVersion?: number | string | undefined;
  /**
   * The values to extract, instead of those in the version. Names must be unique, and `options` is required for type
   * `enum`. Up to 200 items.
   */
  postCallAnalysisData?: PostCallAnalysisItemInput[] | undefined;
  /** The language model, instead of the one in the version. 1 to 255 characters. */
  model?: string | undefined;
}

/** An analysis of a call. */
export interface Analysis {
  /** The id of the analysis. Up to 64 characters. */
  id: string;
  /** The id of the call. Up to 64 characters. */
  callId: string;
  /** `call_end`: triggered by the end of the call. `api`: requested through the API. */
  trigger: 'call_end' | 'api';
  /** The version of the agent whose settings were used. A whole number: 1 or more. */
  agentVersion: number;
  /** When it was requested. A date and time as in ISO 8601. */
  createdAt: string;
  /** The status of the analysis. */
  status: 'pending' | 'completed' | 'failed' | 'skipped';
  /** Why it was skipped or failed. */
  reason:
    | 'not_connected'
    | 'data_storage_setting'
    | 'disabled'
    | 'no_caller_speech'
    | 'provider_not_configured'
    | 'model_error'
    | 'invalid_output'
    | 'timeout'
    | 'transcript_too_long'
    | null;
  /** The revision it produced; 0 if it produced none. A whole number: 0 or more. */
  revision: number;
  /** The model. Up to 255 characters. */
  model: string | null;
  /** A summary of the call. Up to 2000 characters. */
  summary: string | null;
  /** Whether the call was a success. Null: unknown. */
  successful: boolean | null;
  /** The caller’s sentiment. Null: unknown. */
  sentiment: 'positive' | 'neutral' | 'negative' | 'mixed' | null;
  /** The values of `postCallAnalysisData`, by name; null if the call does not say. Empty until it is completed. */
  data: Record<string, string | number | boolean | null>;
  evidence: AnalysisEvidences;
  /** Values from the model that were not accepted. */
  issues: AnalysisIssue[];
  /** Tokens sent to the model. A whole number: 0 or more. */
  promptTokens: number | null;
  /** Tokens generated by the model. A whole number: 0 or more. */
  completionTokens: number | null;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  durationMs: number | null;
  /** When it was settled. A date and time as in ISO 8601. */
  completedAt: string | null;
}

/** One page of a list. */
export interface AnalysisPage {
  /** The items of this page, newest first. */
  items: Analysis[];
  pagination: Pagination;
}

/** The simulation to run. */
export interface RunSimulation {
  /** The agent. 1 to 64 characters. */
  agentId: string;
  /**
   * The version of the agent: a number, `published` for the newest published version, or `latest` for the newest of
   * all. A whole number: 1 or more. Default: `'published'`.
   */
  agentVersion?: number | string | undefined;
  script: SimulationScript;
  /**
   * How many times to run the script. Runs differ if the script has `noise`. A whole number: 1 to 1000. Default: `1`.
   */
  runs?: number | undefined;
  /** The seed of the first run; each subsequent run adds 1. Default: random. A whole number: 0 to 4294967295. */
  seed?: number | undefined;
  /** What the language model replies. Required if the agent uses one. */
  cassette?: Cassette | undefined;
}

/** A conversation to simulate. */
export interface SimulationScript {
  /**
   * The agent that the script is for, as an id or a file. Only the command line uses it; here, use `agentId`. 1 to 1000
   * characters.
   */
  agent?: string | undefined;
  /** The variables of the call. */
  variables?: Record<string, string | number | boolean | null> | undefined;
  /**
   * What each tool returns: the same for every call, or a list with one result per call. A call without a result fails
   * the run.
   */
  tools?: Record<string, ScriptedResult | ScriptedResult[]> | undefined;
  /**
   * When the call starts. Default: 2026-01-05T01:00:00Z, so that every run is the same. A date and time as in ISO 8601.
   */
  now?: string | undefined;
  /** How much timing varies from run to run, from 0 (not at all) to 1. Default: 0. Range: 0 to 1. */
  noise?: number | undefined;
  /**
   * The steps, in order: `say "…" [for 1800ms]`, `pause 400ms`, `interrupt after 3 words "…"`, `cough 150ms`, `dtmf 1`,
   * `hang up`, `expect agent says /…/ [within 1500ms]`, `expect end <reason>`, `expect variable name = value`, `expect
   * tool name {…}`. 1 to 500 items.
   */
  steps: string[];
}

/** The result of a tool call. */
export interface ScriptedResult {
  /** What the tool returns. */
  result?: unknown;
  /** The error to return instead of a result. 1 to 1000 characters. */
  error?: string | undefined;
  /** How long the tool takes, in milliseconds. A whole number: 0 to 30000. */
  delayMs?: number | undefined;
}

/**
 * The recorded replies of a language model or a custom LLM server. Each is replayed for the same request, with its
 * original timing; a request without a recorded reply fails the run. A cassette contains no prompt and no credentials.
 */
export interface Cassette {
  /** The version of the format. A whole number: 1 to 1. */
  version: number;
  /** The replies, in the order in which they were requested. Up to 2000 items. */
  replies: RecordedReply[];
  /** For `custom_llm` agents: the exchanges with their server, in order. Up to 2000 items. */
  exchanges?: RecordedExchange[] | undefined;
}

/** A recorded reply of a model. */
export interface RecordedReply {
  /** A human-readable note of what this is the reply to. Up to 500 characters. */
  about: string;
  /** The model. 1 to 255 characters. */
  model: string;
  /** Identifies the system messages: it changes with the prompt. 1 to 64 characters. */
  instructions: string;
  /** Identifies the conversation so far. 1 to 64 characters. */
  conversation: string;
  /** Identifies the tools that the model was offered. 1 to 64 characters. */
  tools: string;
  /** Identifies the other parameters, such as the temperature. 1 to 64 characters. */
  settings: string;
  /** The parts of the reply, in order. A canceled reply does not end with `done`. Up to 5000 items. */
  events: CassetteEvent[];
}

/** A part of a recorded reply. */
export type CassetteEvent = CassetteText | CassetteToolCall | CassetteUsage | CassetteDone | CassetteFailure;

/** A part of a recorded reply. */
export interface CassetteText {
  /** What arrived. */
  type: 'text';
  /** When it arrived, in milliseconds after the request. Range: 0 to 600000. */
  atMs: number;
  /** A piece of the reply. Up to 20000 characters. */
  text: string;
}

/** A part of a recorded reply. */
export interface CassetteToolCall {
  /** What arrived. */
  type: 'tool';
  /** When it arrived, in milliseconds after the request. Range: 0 to 600000. */
  atMs: number;
  /** The tool that the model calls. 1 to 64 characters. */
  name: string;
  /** The arguments, as the model wrote them: normally JSON. Up to 65536 characters. */
  arguments: string;
}

/** A part of a recorded reply. */
export interface CassetteUsage {
  /** What arrived. */
  type: 'usage';
  /** When it arrived, in milliseconds after the request. Range: 0 to 600000. */
  atMs: number;
  /** The tokens of the request. A whole number: 0 or more. */
  promptTokens: number;
  /** How many of these the provider had cached. A whole number: 0 or more. */
  cachedTokens: number;
  /** The tokens of the reply. A whole number: 0 or more. */
  completionTokens: number;
}

/** A part of a recorded reply. */
export interface CassetteDone {
  /** What arrived. */
  type: 'done';
  /** When it arrived, in milliseconds after the request. Range: 0 to 600000. */
  atMs: number;
}

/** A part of a recorded reply. */
export interface CassetteFailure {
  /** What arrived. */
  type: 'failed';
  /** When it arrived, in milliseconds after the request. Range: 0 to 600000. */
  atMs: number;
  /** Why the reply failed. Up to 500 characters. */
  detail: string;
}

/** A request to a custom LLM server, and its response. */
export interface RecordedExchange {
  /** A human-readable note of what this is the response to. Up to 500 characters. */
  about: string;
  /** The type of request. */
  request: 'connect' | 'response_required' | 'reminder_required';
  /** Identifies the conversation so far. 1 to 64 characters. */
  conversation: string;
  /** The frames that the server sent, in order. Up to 5000 items. */
  frames: RecordedFrame[];
  /** Present if the server closed the connection before the next request. */
  closed?: RecordedClose | undefined;
}

/** A frame that the server sent. */
export interface RecordedFrame {
  /** When it arrived, in milliseconds after the request. Range: 0 to 600000. */
  atMs: number;
  /** The frame that the server sent, as JSON. Up to 262144 characters. */
  frame: string;
}

/** When and how the server closed the connection. */
export interface RecordedClose {
  /** When it was closed, in milliseconds after the request. Range: 0 to 600000. */
  atMs: number;
  /** The close code. 1000: the server hung up. A whole number: 1000 to 4999. */
  code: number;
}

/** The result of a simulation. */
export interface SimulationReport {
  /** The number of runs. A whole number: 1 to 1000. */
  runs: number;
  /** How many runs met all expectations. A whole number: 0 to 1000. */
  passed: number;
  /** The first failed runs, at most 20. Up to 20 items. */
  failures: SimulationFailure[];
  /** How long replies took across all runs. Null if there were none. */
  latency: CallLatency | null;
  /** What was said in the first run. A transcript of several megabytes ends early. */
  transcript: Turn[];
  /**
   * The routes of the flow that the first run took, in order, up to 2,000. Empty for an agent without a flow. Up to
   * 2000 items.
   */
  path: SimulationTakenRoute[];
  /** How often all runs took each route of the flow; those that no run took are missing. Up to 30000 items. */
  routes: SimulationRouteCount[];
  /** How long the simulation took, in milliseconds of real time. A whole number: 0 or more. */
  tookMs: number;
}

/** A run that did not meet an expectation. */
export interface SimulationFailure {
  /** The seed of the run. Use it to reproduce the run. A whole number: 0 to 4294967295. */
  seed: number;
  /** The index of the step that failed, from 0. A whole number: 0 or more. */
  step: number;
  /** What was expected. */
  expected: string;
  /** What happened instead. */
  saw: string;
  /** The transcript of the run. */
  transcript: Turn[];
}

/** A route of the flow that a run took. */
export interface SimulationTakenRoute {
  /** The skill that the route leaves. */
  skillId: string;
  /**
   * The route: `next`, `otherwise`, `routes.2` (the third of `routes`), `anytime.0` (the first of `anytime`), or
   * `retry` (the question was asked again).
   */
  route: string;
  /** When, in milliseconds since the start of the call. A whole number: 0 or more. */
  atMs: number;
}

/** How often the runs of a simulation took a route of the flow. */
export interface SimulationRouteCount {
  /** The skill that the route leaves. */
  skillId: string;
  /**
   * The route: `next`, `otherwise`, `routes.2` (the third of `routes`), `anytime.0` (the first of `anytime`), or
   * `retry` (the question was asked again).
   */
  route: string;
  /** How often the runs took it. A whole number: 1 or more. */
  count: number;
}

/** The flow to explore. */
export interface ExploreFlow {
  /** The agent. 1 to 64 characters. */
  agentId: string;
  /**
   * The version of the agent: a number, `published` for the newest published version, or `latest` for the newest of
   * all. A whole number: 1 or more. Default: `'published'`.
   */
  agentVersion?: number | string | undefined;
}

/** What an exploration found out about a flow. */
export interface Exploration {
  /** What is wrong with the flow, at most 1000 problems. Up to 1000 items. */
  findings: ExplorationFinding[];
  coverage: ExplorationCoverage;
  /** Every route of the flow. Up to 30000 items. */
  routes: ExploredRoute[];
  /** The most skills that one conversation passes through, each once. */
  longestPath: string[];
  /** The shortest script to each end that can be reached. Those that do not fit into several megabytes are left out. */
  ends: ExploredEnd[];
  /** How many situations were tried. A whole number: 0 or more. */
  situations: number;
  /** False if the flow has more situations than could be tried. */
  isComplete: boolean;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  tookMs: number;
}

/** A problem that an exploration found in a flow. */
export interface ExplorationFinding {
  /** What is wrong. */
  kind:
    | 'unreachable_skill'
    | 'dead_end'
    | 'endless_retry'
    | 'loop_without_listening'
    | 'route_never_taken'
    | 'phrase_never_matched'
    | 'option_never_understood'
    | 'answer_never_understood';
  /** The skill. Null for what can be said at any time. */
  skillId: string | null;
  /** Its place in `agentSettings`. */
  path: string;
  /** What is wrong, in English. */
  message: string;
  /** The skills of a loop in order, or the routes that take a phrase instead. Empty for other kinds. */
  related: string[];
}

/** How many routes can be taken, with retries. */
export interface ExplorationCoverage {
  /** The share of routes taken. Range: 0 to 100. */
  percent: number;
  /** How many routes there are. A whole number: 0 or more. */
  routes: number;
  /** How many of them are taken. A whole number: 0 or more. */
  taken: number;
}

/** A route of a flow, and whether it can be taken. */
export interface ExploredRoute {
  /** The skill that the route leaves. Null for what can be said at any time. */
  skillId: string | null;
  /**
   * The route: `next`, `otherwise`, `routes.2` (the third of `routes`), `anytime.0` (the first of `anytime`), or
   * `retry` (the question is asked again).
   */
  route: string;
  /** Whether any conversation takes it. */
  isTaken: boolean;
}

/** An end of a flow, with the shortest script that reaches it. */
export interface ExploredEnd {
  /** The skill that ends the call. */
  skillId: string;
  script: ExploredScript;
}

/** A script for `simulations.run`. */
export interface ExploredScript {
  /** The variables of the call. */
  variables?: Record<string, string | number | boolean | null>;
  /** What each tool returns, one result per call. */
  tools?: Record<string, ExploredResult[]>;
  /** The steps, in order. */
  steps: string[];
}

/** The result of a tool call in a script. */
export interface ExploredResult {
  /** What the tool returns. */
  result?: unknown;
  /** The error that it returns instead. */
  error?: string;
}

/** All secrets of the workspace. */
export interface SecretPage {
  /** The secrets, by name. */
  items: Secret[];
  pagination: OnePage;
}

/** A secret that tools use, without its value. */
export interface Secret {
  /** The name of the secret. Up to 64 characters. */
  name: string;
  /** The hosts that it may be sent to. */
  hosts: string[];
  /** When the secret was first set. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the secret was last set. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** The value of a secret, and where it may be sent. */
export interface PutSecret {
  /** The value. It is never returned. 1 to 4096 characters. */
  value: string;
  /** The host names that the secret may be sent to, exactly as in the URLs of tools, without ports. 1 to 10 items. */
  hosts: string[];
}

/** Confirms the deletion. */
export interface DeletedSecret {
  /** The name of the secret. Up to 64 characters. */
  name: string;
  /** Always true. */
  deleted: true;
}

/** A new webhook. */
export interface CreateWebhook {
  /**
   * The URL that events are sent to: `https`, or `http` on this machine and in networks that the operator allows. 1 to
   * 2048 characters.
   */
  url: string;
  /** The event types to send. `["*"]`: all, including types added later. 1 to 50 items. */
  events: (
    | 'call_started'
    | 'call_ended'
    | 'call_analyzed'
    | 'call_deleted'
    | 'agent_published'
    | 'carrier_status_changed'
    | 'document_ready'
    | 'document_failed'
    | 'alert_firing'
    | 'alert_resolved'
    | 'workflow_run_failed'
    | 'workflow_disabled'
    | 'webhook_disabled'
    | 'webhook_test'
    | '*'
  )[];
  /** Send only events of these agents. Empty: all agents. Up to 100 items. Default: `[]`. */
  agentIds?: string[] | undefined;
  /** `["transcript"]` adds the transcript to `call_ended` and `call_analyzed`. Up to 10 items. Default: `[]`. */
  include?: 'transcript'[] | undefined;
  /** A note for your own reference. Up to 1000 characters. Default: `null`. */
  description?: string | null | undefined;
}

/** A new webhook, with its secret. */
export interface NewWebhook {
  /** The id of the webhook. Up to 64 characters. */
  id: string;
  /** The workspace of the webhook. Up to 64 characters. */
  workspaceId: string;
  /** `agent`: created by the service for an agent. `workspace`: any other. */
  kind: 'workspace' | 'agent';
  /** The agent that it was created for. Null for kind `workspace`. Up to 64 characters. */
  agentId: string | null;
  /**
   * The URL that events are sent to. Kind `agent`: `webhookUrl` of its latest published version, or of its draft until
   * one is published; null if it has none. Up to 2048 characters.
   */
  url: string | null;
  /** A note for your own reference. Up to 1000 characters. */
  description: string | null;
  /** The event types that are sent; `*` is all of them. Kind `agent`: `webhookEvents` of that version. */
  events: string[];
  /** Only events of these agents are sent. Empty: all agents. */
  agentIds: string[];
  /** What is added to `call_ended` and `call_analyzed`. */
  include: 'transcript'[];
  /** Events are sent to active webhooks only. */
  status: 'active' | 'paused' | 'disabled';
  /** Why it is disabled. Null: it is not disabled. */
  disabledReason: 'failing' | 'gone' | 'by_user' | null;
  /** When the secret was last replaced. Null: never. A date and time as in ISO 8601. */
  secretRotatedAt: string | null;
  /**
   * Requests are also signed with the previous secret until this time. Null: there is none. A date and time as in ISO
   * 8601.
   */
  previousSecretExpiresAt: string | null;
  /** When an event was last received. A date and time as in ISO 8601. */
  lastSuccessAt: string | null;
  /** When sending an event last failed. A date and time as in ISO 8601. */
  lastFailureAt: string | null;
  /** The first failure since the last success. Null: the last one succeeded. A date and time as in ISO 8601. */
  failingSince: string | null;
  /** When the webhook was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the webhook was last changed. A date and time as in ISO 8601. */
  updatedAt: string;
  /** `whsec_` and 32 bytes in base64. Requests are signed with it. Up to 100 characters. */
  secret: string;
}

/** One page of a list. */
export interface WebhookPage {
  /** The items of this page, newest first. */
  items: Webhook[];
  pagination: Pagination;
}

/** An endpoint that events are sent to. */
export interface Webhook {
  /** The id of the webhook. Up to 64 characters. */
  id: string;
  /** The workspace of the webhook. Up to 64 characters. */
  workspaceId: string;
  /** `agent`: created by the service for an agent. `workspace`: any other. */
  kind: 'workspace' | 'agent';
  /** The agent that it was created for. Null for kind `workspace`. Up to 64 characters. */
  agentId: string | null;
  /**
   * The URL that events are sent to. Kind `agent`: `webhookUrl` of its latest published version, or of its draft until
   * one is published; null if it has none. Up to 2048 characters.
   */
  url: string | null;
  /** A note for your own reference. Up to 1000 characters. */
  description: string | null;
  /** The event types that are sent; `*` is all of them. Kind `agent`: `webhookEvents` of that version. */
  events: string[];
  /** Only events of these agents are sent. Empty: all agents. */
  agentIds: string[];
  /** What is added to `call_ended` and `call_analyzed`. */
  include: 'transcript'[];
  /** Events are sent to active webhooks only. */
  status: 'active' | 'paused' | 'disabled';
  /** Why it is disabled. Null: it is not disabled. */
  disabledReason: 'failing' | 'gone' | 'by_user' | null;
  /** When the secret was last replaced. Null: never. A date and time as in ISO 8601. */
  secretRotatedAt: string | null;
  /**
   * Requests are also signed with the previous secret until this time. Null: there is none. A date and time as in ISO
   * 8601.
   */
  previousSecretExpiresAt: string | null;
  /** When an event was last received. A date and time as in ISO 8601. */
  lastSuccessAt: string | null;
  /** When sending an event last failed. A date and time as in ISO 8601. */
  lastFailureAt: string | null;
  /** The first failure since the last success. Null: the last one succeeded. A date and time as in ISO 8601. */
  failingSince: string | null;
  /** When the webhook was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the webhook was last changed. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** The fields to change. */
export interface UpdateWebhook {
  /**
   * The URL that events are sent to: `https`, or `http` on this machine and in networks that the operator allows. 1 to
   * 2048 characters.
   */
  url?: string | undefined;
  /** The event types to send. `["*"]`: all, including types added later. 1 to 50 items. */
  events?:
    | (
        | 'call_started'
        | 'call_ended'
        | 'call_analyzed'
        | 'call_deleted'
        | 'agent_published'
        | 'carrier_status_changed'
        | 'document_ready'
        | 'document_failed'
        | 'alert_firing'
        | 'alert_resolved'
        | 'workflow_run_failed'
        | 'workflow_disabled'
        | 'webhook_disabled'
        | 'webhook_test'
        | '*'
      )[]
    | undefined;
  /** Send only events of these agents. Empty: all agents. Up to 100 items. */
  agentIds?: string[] | undefined;
  /** `["transcript"]` adds the transcript to `call_ended` and `call_analyzed`. Up to 10 items. */
  include?: 'transcript'[] | undefined;
  /** A note for your own reference. Up to 1000 characters. */
  description?: string | null | undefined;
  /**
   * `paused` and `disabled` skip everything still to be sent. `active` resumes sending from then on: replay what was
   * skipped.
   */
  status?: 'active' | 'paused' | 'disabled' | undefined;
}

/** Confirms the deletion. */
export interface DeletedWebhook {
  /** The id of the webhook. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** The secret of a webhook. */
export interface WebhookSecret {
  /** `whsec_` and 32 bytes in base64. Requests are signed with it. Up to 100 characters. */
  secret: string;
  /** When the secret was last replaced. Null: never. A date and time as in ISO 8601. */
  secretRotatedAt: string | null;
  /**
   * Requests are also signed with the previous secret until this time. Null: there is none. A date and time as in ISO
   * 8601.
   */
  previousSecretExpiresAt: string | null;
}

/** Options for the rotation. */
export interface RotateWebhookSecret {
  /**
   * How long requests are also signed with the old secret, in seconds. A whole number: 0 to 604800. Default: `86400`.
   */
  graceSeconds?: number | undefined;
}

/** The new secret of a webhook. */
export interface RotatedWebhookSecret {
  /** `whsec_` and 32 bytes in base64. Requests are signed with it. Up to 100 characters. */
  secret: string;
  /**
   * Requests are also signed with the previous secret until this time. Null: there is none. A date and time as in ISO
   * 8601.
   */
  previousSecretExpiresAt: string | null;
}

/** What to send. */
export interface TestWebhook {
  /** The event type to send an example of. Default: `'webhook_test'`. */
  type?:
    | 'call_started'
    | 'call_ended'
    | 'call_analyzed'
    | 'call_deleted'
    | 'agent_published'
    | 'carrier_status_changed'
    | 'document_ready'
    | 'document_failed'
    | 'alert_firing'
    | 'alert_resolved'
    | 'workflow_run_failed'
    | 'workflow_disabled'
    | 'webhook_disabled'
    | 'webhook_test'
    | undefined;
}

/** The attempt to send a test. */
export interface WebhookTestResult {
  /** The number of the attempt, starting at 1. A whole number: 1 or more. */
  number: number;
  /** When it started. A date and time as in ISO 8601. */
  startedAt: string;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  durationMs: number;
  /** The URL that it was sent to. Up to 2048 characters. */
  url: string;
  /** `succeeded` if the receiver responded with 2xx; otherwise what went wrong. */
  outcome:
    | 'succeeded'
    | 'http_error'
    | 'timeout'
    | 'connection_failed'
    | 'tls_failed'
    | 'address_not_allowed'
    | 'redirect';
  /** The status of the response. Null: there was none. A whole number: 100 to 999. */
  statusCode: number | null;
  /** The first 4 KiB of the response, as text. Null: there was none. Up to 4096 characters. */
  responseBody: string | null;
  /** What went wrong, in words. Null on success. Up to 500 characters. */
  errorMessage: string | null;
  /** The id of the event. Up to 64 characters. */
  eventId: string;
  /** The id of the delivery. Up to 64 characters. */
  deliveryId: string;
}

/** One page of a list. */
export interface WebhookDeliveryPage {
  /** The items of this page, newest first. */
  items: WebhookDelivery[];
  pagination: Pagination;
}

/** The delivery of one event to one webhook. */
export interface WebhookDelivery {
  /** The id of the delivery. Up to 64 characters. */
  id: string;
  /** The webhook. Up to 64 characters. */
  webhookId: string;
  /** The id of the event. Up to 64 characters. */
  eventId: string;
  /** The type of the event. */
  eventType:
    | 'call_started'
    | 'call_ended'
    | 'call_analyzed'
    | 'call_deleted'
    | 'agent_published'
    | 'carrier_status_changed'
    | 'document_ready'
    | 'document_failed'
    | 'alert_firing'
    | 'alert_resolved'
    | 'workflow_run_failed'
    | 'workflow_disabled'
    | 'webhook_disabled'
    | 'webhook_test';
  /** `pending` until the receiver responds with 2xx, or until the last attempt fails. */
  status: 'pending' | 'succeeded' | 'failed' | 'skipped';
  /**
   * Why it failed (`attempts_exhausted`, `gone`, `not_retried`) or was skipped (`webhook_paused`, `webhook_disabled`,
   * `content_removed`).
   */
  reason:
    | 'attempts_exhausted'
    | 'gone'
    | 'not_retried'
    | 'webhook_paused'
    | 'webhook_disabled'
    | 'content_removed'
    | null;
  /** Why it was created: by the event itself, or by a resend, a replay or a test. */
  trigger: 'event' | 'resend' | 'replay' | 'test';
  /** How many attempts have started. Attempts of a process that was lost are not listed. A whole number: 0 or more. */
  attemptCount: number;
  /** When the next attempt is due, while pending. A date and time as in ISO 8601. */
  nextAttemptAt: string | null;
  /** When it was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When it succeeded, failed or was skipped. A date and time as in ISO 8601. */
  completedAt: string | null;
  /** The attempts, oldest first. */
  attempts: DeliveryAttempt[];
}

/** One request to a webhook. */
export interface DeliveryAttempt {
  /** The number of the attempt, starting at 1. A whole number: 1 or more. */
  number: number;
  /** When it started. A date and time as in ISO 8601. */
  startedAt: string;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  durationMs: number;
  /** The URL that it was sent to. Up to 2048 characters. */
  url: string;
  /** `succeeded` if the receiver responded with 2xx; otherwise what went wrong. */
  outcome:
    | 'succeeded'
    | 'http_error'
    | 'timeout'
    | 'connection_failed'
    | 'tls_failed'
    | 'address_not_allowed'
    | 'redirect';
  /** The status of the response. Null: there was none. A whole number: 100 to 999. */
  statusCode: number | null;
  /** The first 4 KiB of the response, as text. Null: there was none. Up to 4096 characters. */
  responseBody: string | null;
  /** What went wrong, in words. Null on success. Up to 500 characters. */
  errorMessage: string | null;
}

/** Which events to send again. */
export interface ReplayWebhook {
  /**
   * Events from this time on. Must be within the retention period of events, and not in the future. A date and time as
   * in ISO 8601.
   */
  since: string;
  /** Events before this time. Absent: until now. A date and time as in ISO 8601. */
  until?: string | undefined;
  /**
   * Events whose last delivery to this webhook ended with one of these statuses. `all`: every event that the webhook
   * currently subscribes to, whether sent before or not. 1 to 10 items. Default: `["failed","skipped"]`.
   */
  statuses?: ('failed' | 'skipped')[] | 'all' | undefined;
  /** Only events of these types. Absent: all. 1 to 50 items. */
  eventTypes?:
    | (
        | 'call_started'
        | 'call_ended'
        | 'call_analyzed'
        | 'call_deleted'
        | 'agent_published'
        | 'carrier_status_changed'
        | 'document_ready'
        | 'document_failed'
        | 'alert_firing'
        | 'alert_resolved'
        | 'workflow_run_failed'
        | 'workflow_disabled'
        | 'webhook_disabled'
        | 'webhook_test'
      )[]
    | undefined;
}

/** A replay of events. */
export interface WebhookReplay {
  /** The id of the replay. Up to 64 characters. */
  id: string;
  /** The number of events to send. A whole number: 0 or more. */
  matched: number;
}

/** One page of a list. */
export interface EventPage {
  /** The items of this page, in the requested order. */
  items: Event[];
  pagination: Pagination;
}

/** Something that happened in the workspace. */
export interface Event {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type:
    | 'call_started'
    | 'call_ended'
    | 'call_analyzed'
    | 'call_deleted'
    | 'agent_published'
    | 'carrier_status_changed'
    | 'document_ready'
    | 'document_failed'
    | 'alert_firing'
    | 'alert_resolved'
    | 'workflow_run_failed'
    | 'workflow_disabled'
    | 'webhook_disabled'
    | 'webhook_test';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  subject: EventSubject;
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** The payload, without the transcript. Null once the content of the call has been deleted. */
  body:
    | CallStartedEvent
    | CallEndedEvent
    | CallAnalyzedEvent
    | CallDeletedEvent
    | AgentPublishedEvent
    | CarrierStatusChangedEvent
    | DocumentReadyEvent
    | DocumentFailedEvent
    | AlertFiringEvent
    | AlertResolvedEvent
    | WorkflowRunFailedEvent
    | WorkflowDisabledEvent
    | WebhookDisabledEvent
    | WebhookTestEvent
    | null;
}

/** What the event happened to. */
export interface EventSubject {
  /** The kind of resource. */
  type: 'call' | 'agent' | 'carrier' | 'document' | 'alert' | 'workflow' | 'webhook';
  /** The id of the resource. Up to 64 characters. */
  id: string;
}

/** A call was connected. */
export interface CallStartedEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'call_started';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: CallStartedData;
}

/** What the event is about. */
export interface CallStartedData {
  /** The call at that moment, with only the content that is stored. */
  call: Call;
}

/** A call has ended, or will never be connected: exactly one for every call. */
export interface CallEndedEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'call_ended';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: CallEndedData;
}

/** What the event is about. */
export interface CallEndedData {
  /** The call at that moment, with only the content that is stored. */
  call: Call;
  /** The transcript, for a webhook that includes it. Null: see `omitted`. */
  transcript: Transcript | null;
  /** What was left out: a transcript that is not stored, and content that would exceed 256 KiB. */
  omitted: ('transcript' | 'analysis.evidence' | 'analysis.data' | 'collectedVariables')[];
}

/** The analysis of a call is settled: completed, failed or skipped. */
export interface CallAnalyzedEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'call_analyzed';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: CallAnalyzedData;
}

/** What the event is about. */
export interface CallAnalyzedData {
  /** The call at that moment, with only the content that is stored. */
  call: Call;
  /** The transcript, for a webhook that includes it. Null: see `omitted`. */
  transcript: Transcript | null;
  /** What was left out: a transcript that is not stored, and content that would exceed 256 KiB. */
  omitted: ('transcript' | 'analysis.evidence' | 'analysis.data' | 'collectedVariables')[];
}

/** A call was deleted, or its content was. */
export interface CallDeletedEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'call_deleted';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: CallDeletedData;
}

/** What the event is about. */
export interface CallDeletedData {
  /** The id of the call. Up to 64 characters. */
  callId: string;
  /** What is still stored about the call. */
  level: 'deleted' | 'everything_except_pii' | 'basic_attributes_only';
}

/** A version of an agent was published. */
export interface AgentPublishedEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'agent_published';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: AgentPublishedData;
}

/** What the event is about. */
export interface AgentPublishedData {
  /** The id of the agent. Up to 64 characters. */
  agentId: string;
  /** The published version. A whole number: 1 or more. */
  version: number;
  /** What changed in this version. Up to 500 characters. */
  versionDescription: string | null;
}

/** The status of a carrier has changed, such as to `failing` after three failed calls in a row. */
export interface CarrierStatusChangedEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'carrier_status_changed';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: CarrierStatusChangedData;
}

/** What the event is about. */
export interface CarrierStatusChangedData {
  /** The id of the carrier. Up to 64 characters. */
  id: string;
  /** The former status. */
  from: 'unverified' | 'active' | 'failing';
  /** The new status. */
  to: 'unverified' | 'active' | 'failing';
  /** Why it changed. Up to 500 characters. */
  reason: string;
}

/** New content of a document can be searched. */
export interface DocumentReadyEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'document_ready';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: DocumentReadyData;
}

/** What the event is about. */
export interface DocumentReadyData {
  /** The id of the knowledge base. Up to 64 characters. */
  knowledgeBaseId: string;
  /** The id of the document. Up to 64 characters. */
  documentId: string;
  /** The revision that is searched now. A whole number: 1 or more. */
  revision: number;
  /** How many chunks it has. A whole number: 0 or more. */
  chunkCount: number;
}

/** The newest content of a document cannot be used. Its former content, if any, is still searched. */
export interface DocumentFailedEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'document_failed';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: DocumentFailedData;
}

/** What the event is about. */
export interface DocumentFailedData {
  /** The id of the knowledge base. Up to 64 characters. */
  knowledgeBaseId: string;
  /** The id of the document. Up to 64 characters. */
  documentId: string;
  error: DocumentError;
}

/** Why the newest work on a document failed. */
export interface DocumentError {
  /**
   * `unsupported_type`: the bytes are of no supported type. `type_mismatch`: they are of another type than the name
   * claims. `too_large`: it exceeds a limit for documents. `limit_reached`: it does not fit into the knowledge base.
   * `encrypted`: it needs a password. `corrupt`: the file is broken. `no_text_found`: a scan, or a page that only a
   * script fills. `upload_expired`: no bytes arrived within 24 hours. `fetch_failed`: the address could not be read.
   * `address_not_allowed`: it is not a public address. `timeout`: it took too long. `internal`: the service failed.
   */
  code:
    | 'unsupported_type'
    | 'type_mismatch'
    | 'too_large'
    | 'limit_reached'
    | 'encrypted'
    | 'corrupt'
    | 'no_text_found'
    | 'upload_expired'
    | 'fetch_failed'
    | 'address_not_allowed'
    | 'timeout'
    | 'internal';
  /** The same in words. Up to 500 characters. */
  message: string;
  /** Whether the same content may work later. */
  retryable: boolean;
}

/** The condition of an alert holds. */
export interface AlertFiringEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'alert_firing';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: AlertFiringData;
}

/** What the event is about. */
export interface AlertFiringData {
  /** The id of the alert. Up to 64 characters. */
  alertId: string;
  /** The name. 1 to 255 characters. */
  name: string;
  /** The metric. Up to 64 characters. */
  metric: string;
  /** The value that was last compared. Null: there was none. Range: -1000000000000000 to 1000000000000000. */
  value: number | null;
  /** The threshold. Range: -1000000000000000 to 1000000000000000. */
  threshold: number;
  /** The calls that it looks at: those created in this time until now. */
  window: '15m' | '1h' | '6h' | '24h';
  /** The former state. */
  from: 'ok' | 'firing' | 'no_data';
  /** The new state. */
  to: 'ok' | 'firing' | 'no_data';
}

/** The condition of an alert that was firing does not hold any more, or there is no data. */
export interface AlertResolvedEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'alert_resolved';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: AlertResolvedData;
}

/** What the event is about. */
export interface AlertResolvedData {
  /** The id of the alert. Up to 64 characters. */
  alertId: string;
  /** The name. 1 to 255 characters. */
  name: string;
  /** The metric. Up to 64 characters. */
  metric: string;
  /** The value that was last compared. Null: there was none. Range: -1000000000000000 to 1000000000000000. */
  value: number | null;
  /** The threshold. Range: -1000000000000000 to 1000000000000000. */
  threshold: number;
  /** The calls that it looks at: those created in this time until now. */
  window: '15m' | '1h' | '6h' | '24h';
  /** The former state. */
  from: 'ok' | 'firing' | 'no_data';
  /** The new state. */
  to: 'ok' | 'firing' | 'no_data';
}

/** A run of a workflow has failed. */
export interface WorkflowRunFailedEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'workflow_run_failed';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: WorkflowRunFailedData;
}

/** What the event is about. */
export interface WorkflowRunFailedData {
  /** The id of the workflow. Up to 64 characters. */
  workflowId: string;
  /** The id of the run. Up to 64 characters. */
  runId: string;
  /** The id of the call. Up to 64 characters. */
  callId: string;
  /** The step that failed. Null: the run has reached its age limit. Up to 32 characters. */
  stepId: string | null;
  /** Why it failed. Up to 64 characters. */
  code: string;
}

/** The service has disabled a workflow after repeated failures. */
export interface WorkflowDisabledEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'workflow_disabled';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: WorkflowDisabledData;
}

/** What the event is about. */
export interface WorkflowDisabledData {
  /** The id of the workflow. Up to 64 characters. */
  workflowId: string;
  /** `failing`: 20 runs in a row have failed. */
  reason: 'failing';
}

/** The service has disabled a webhook. Sent to the other webhooks. */
export interface WebhookDisabledEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'webhook_disabled';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: WebhookDisabledData;
}

/** What the event is about. */
export interface WebhookDisabledData {
  /** The id of the webhook. Up to 64 characters. */
  webhookId: string;
  /** `failing`: no delivery has succeeded for days. `gone`: the endpoint returned 410. */
  reason: 'failing' | 'gone';
}

/** A test of a webhook. */
export interface WebhookTestEvent {
  /** The id of the event. It is also the `webhook-id` of every request that delivers it. Up to 64 characters. */
  id: string;
  /** The type of the event. */
  type: 'webhook_test';
  /** When it happened. A date and time as in ISO 8601. */
  timestamp: string;
  /** The API version of the payload. */
  apiVersion: '0.0.1';
  /** The workspace of the event. Up to 64 characters. */
  workspaceId: string;
  /** Increases with each event of the same subject, so that receivers can order them. A whole number: 1 or more. */
  sequence: number;
  /** Whether this is a test: nothing has actually happened. */
  test: boolean;
  data: WebhookTestData;
}

/** What the event is about. */
export interface WebhookTestData {
  /** A message. Up to 500 characters. */
  message: string;
}

/** The event types. */
export interface EventTypeList {
  /** All types. */
  items: EventTypeInfo[];
  pagination: OnePage;
}

/** An event type. */
export interface EventTypeInfo {
  /** The type. */
  name:
    | 'call_started'
    | 'call_ended'
    | 'call_analyzed'
    | 'call_deleted'
    | 'agent_published'
    | 'carrier_status_changed'
    | 'document_ready'
    | 'document_failed'
    | 'alert_firing'
    | 'alert_resolved'
    | 'workflow_run_failed'
    | 'workflow_disabled'
    | 'webhook_disabled'
    | 'webhook_test';
  /** When it is sent. Up to 1000 characters. */
  description: string;
  /** The JSON Schema of the body. */
  schema: Record<string, unknown>;
  /** An example of the body. */
  example: Record<string, unknown>;
}

/** A new carrier. */
export interface CreateCarrier {
  /** A name for the carrier. 1 to 255 characters. */
  name: string;
  /**
   * `twilio`: an account at Twilio. `test`: a carrier inside this service, which needs no account and no network, and
   * whose phones are programs.
   */
  provider: 'test' | 'twilio';
  /** Default: `{}`. */
  settings?: CarrierSettingChanges | undefined;
  credentials?: CarrierCredentials | undefined;
  /** Default: `{}`. */
  limits?: CarrierLimitChanges | undefined;
}

/** The settings of the provider. None for `test`. */
export interface CarrierSettingChanges {
  /** The SID of the account at Twilio. 34 to 34 characters. */
  accountSid?: string | undefined;
}

/**
 * Twilio: `authToken`, and optionally an API key with `apiKeySid` and `apiKeySecret`. None for `test`. Default: `{}`.
 */
export interface CarrierCredentials {
  /** The auth token of the account: Twilio signs its requests with it. It is never returned. 1 to 256 characters. */
  authToken?: string | undefined;
  /** The SID of an API key, which is then used for requests to Twilio. It is never returned. 1 to 256 characters. */
  apiKeySid?: string | undefined;
  /** The secret of that API key. It is never returned. 1 to 256 characters. */
  apiKeySecret?: string | undefined;
}

/** What may be dialed. Omitted limits keep their value. */
export interface CarrierLimitChanges {
  /**
   * The countries that may be called, by the country of the dialed number. Null: those of the carrier’s phone numbers.
   * Up to 250 items.
   */
  allowedCountries?: string[] | null | undefined;
  /**
   * Minutes of outbound calls per day in UTC, including calls in progress. Once they are used up, no new call is
   * dialed. A whole number: 0 to 1000000.
   */
  maxMinutesPerDay?: number | undefined;
  /** How many calls are dialed per second. It must not exceed the limit of the account. Range: 0.1 to 50. */
  maxCallsPerSecond?: number | undefined;
  /** How many calls may be open at a time. Null: no limit. A whole number: 1 to 100000. */
  maxConcurrent?: number | null | undefined;
}

/** An account at a provider of phone calls. */
export interface Carrier {
  /** The id of the carrier. Up to 64 characters. */
  id: string;
  /** The workspace. Up to 64 characters. */
  workspaceId: string;
  /** A name for the carrier. 1 to 255 characters. */
  name: string;
  /**
   * `twilio`: an account at Twilio. `test`: a carrier inside this service, which needs no account and no network, and
   * whose phones are programs.
   */
  provider: 'test' | 'twilio';
  settings: CarrierSettings;
  credentials: CarrierCredentialStates;
  limits: CarrierLimits;
  /**
   * `unverified`: not checked since the last change, or a check failed. `failing`: the last three calls failed at the
   * carrier; it still dials, and the next success makes it active.
   */
  status: 'unverified' | 'active' | 'failing';
  /** The results of the last checks. Empty: not checked yet. */
  checks: PhoneCheck[];
  /** When it was last checked. Null: not yet. A date and time as in ISO 8601. */
  verifiedAt: string | null;
  /** When it was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When it was last changed. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** The settings of the provider. Empty for `test`. */
export interface CarrierSettings {
  /** The SID of the account at Twilio. 34 to 34 characters. */
  accountSid?: string;
}

/** Which credentials are set. Their values are never returned. Empty for `test`. */
export interface CarrierCredentialStates {
  authToken?: CredentialState;
  apiKeySid?: CredentialState;
  apiKeySecret?: CredentialState;
}

/** Whether a credential is set. It is never returned. */
export interface CredentialState {
  /** Whether it is set. */
  set: boolean;
  /** When it was last set. Null: never. A date and time as in ISO 8601. */
  updatedAt: string | null;
}

/** What may be dialed. */
export interface CarrierLimits {
  /**
   * The countries that may be called, by the country of the dialed number. Null: those of the carrier’s phone numbers.
   * Up to 250 items.
   */
  allowedCountries: string[] | null;
  /**
   * Minutes of outbound calls per day in UTC, including calls in progress. Once they are used up, no new call is
   * dialed. A whole number: 0 to 1000000.
   */
  maxMinutesPerDay: number;
  /** How many calls are dialed per second. It must not exceed the limit of the account. Range: 0.1 to 50. */
  maxCallsPerSecond: number;
  /** How many calls may be open at a time. Null: no limit. A whole number: 1 to 100000. */
  maxConcurrent: number | null;
}

/** Something that must be right before calls work. */
export interface PhoneCheck {
  /**
   * `credentials`: the account can be used. `public_address`: the carrier can reach this service. `number_owned`: the
   * number is in the account and can make calls. `inbound_route`: calls to the number arrive here. `agent`: the inbound
   * agent can answer.
   */
  name: 'credentials' | 'public_address' | 'number_owned' | 'inbound_route' | 'agent';
  /** `manual`: only you can check it. */
  status: 'passed' | 'failed' | 'manual';
  /** What was found. Up to 1000 characters. */
  message: string;
  /** What to do about it. Null if it passed. Up to 1000 characters. */
  remedy: string | null;
  /** When it was checked. A date and time as in ISO 8601. */
  checkedAt: string;
}

/** One page of a list. */
export interface CarrierPage {
  /** The items of this page, newest first. */
  items: Carrier[];
  pagination: Pagination;
}

/** The fields to change. */
export interface UpdateCarrier {
  /** A name for the carrier. 1 to 255 characters. */
  name?: string | undefined;
  settings?: CarrierSettingChanges | undefined;
  credentials?: CarrierCredentialChanges | undefined;
  limits?: CarrierLimitChanges | undefined;
}

/** The credentials to change. Omitted ones stay as they are, and null removes one. */
export interface CarrierCredentialChanges {
  /** The auth token of the account: Twilio signs its requests with it. It is never returned. 1 to 256 characters. */
  authToken?: string | null | undefined;
  /** The SID of an API key, which is then used for requests to Twilio. It is never returned. 1 to 256 characters. */
  apiKeySid?: string | null | undefined;
  /** The secret of that API key. It is never returned. 1 to 256 characters. */
  apiKeySecret?: string | null | undefined;
}

/** Confirms the deletion. */
export interface DeletedCarrier {
  /** The id of the carrier. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** All numbers of an account. */
export interface NumberAtCarrierPage {
  /** The numbers, as the carrier lists them. */
  items: NumberAtCarrier[];
  pagination: OnePage;
}

/** A number of an account at a provider. */
export interface NumberAtCarrier {
  /** The number, in E.164 format. Up to 16 characters. */
  number: string;
  /** The name of the number at the carrier. Up to 255 characters. */
  name: string;
  /** Whether it can make and receive calls. */
  voice: boolean;
  /** The phone number here. Null: it is not imported. Up to 64 characters. */
  importedAs: string | null;
}

/** A number of a carrier to use here. */
export interface ImportPhoneNumber {
  /** The carrier that has the number. 1 to 64 characters. */
  carrierId: string;
  /**
   * The number, in E.164 format. It must be a number of the account; for a carrier of provider `test`, `+9991` and any
   * seven digits. Up to 16 characters.
   */
  number: string;
  /** A name for the number. By default the number itself. 1 to 255 characters. */
  name?: string | undefined;
  /** Default: `{}`. */
  inbound?: InboundCallChanges | undefined;
  /** Default: `{}`. */
  outbound?: OutboundCallChanges | undefined;
  /**
   * Whether to set the voice URL and the status callback of the number at the carrier, so that its calls arrive here.
   * Default: `true`.
   */
  configureCarrier?: boolean | undefined;
}

/** What happens to calls to the number. Omitted fields keep their value; `fallback` is replaced. */
export interface InboundCallChanges {
  /** Whether calls to the number are answered. */
  enabled?: boolean | undefined;
  /** The agent that answers. Null: nobody answers. 1 to 64 characters. */
  agentId?: string | null | undefined;
  /**
   * The version of the agent: a number, or `published` for the newest published version at the time of each call. A
   * whole number: 1 to 999999999.
   */
  agentVersion?: number | 'published' | undefined;
  /**
   * Asked before each call is answered: its response can choose the agent, set variables, or reject the call. Requests
   * are signed with the secret of the agent’s webhook. Null: nothing is asked. 1 to 2048 characters.
   */
  requestUrl?: string | null | undefined;
  /** What happens to calls that the agent cannot answer. Null: the caller hears the busy signal. */
  fallback?: SetNumberFallback | SetMessageFallback | SetRejectFallback | null | undefined;
  /** Only calls from these countries are answered, and calls with a withheld number. Empty: all. Up to 250 items. */
  allowedCountries?: string[] | undefined;
  /** Calls from these numbers are rejected. Up to 1000 items. */
  blockedNumbers?: string[] | undefined;
}

/** Calls are forwarded to another number. */
export interface SetNumberFallback {
  /** The call is forwarded to another number. */
  type: 'number';
  /** The number that the call is forwarded to, in E.164 format. Up to 16 characters. */
  to: string;
}

/** Callers hear a message. */
export interface SetMessageFallback {
  /** The caller hears a message. */
  type: 'message';
  /** What the caller hears, in the voice of the carrier, before the call ends. 1 to 500 characters. */
  text: string;
}

/** Callers hear the busy signal. */
export interface SetRejectFallback {
  /** The caller hears the busy signal. */
  type: 'reject';
}

/** Which calls can be made from the number. Omitted fields keep their value. */
export interface OutboundCallChanges {
  /** Whether calls can be made from the number. A new number cannot until you allow it. */
  enabled?: boolean | undefined;
  /** Only these agents may call from the number. Empty: any agent. Up to 100 items. */
  agentIds?: string[] | undefined;
  /** How long a call rings, in milliseconds. A whole number: 5000 to 120000. */
  ringTimeoutMs?: number | undefined;
}

/** A phone number of a carrier, and who answers it. */
export interface PhoneNumber {
  /** The id of the phone number. Up to 64 characters. */
  id: string;
  /** The workspace. Up to 64 characters. */
  workspaceId: string;
  /** The id of the carrier. Up to 64 characters. */
  carrierId: string;
  /** The number, in E.164 format. Up to 16 characters. */
  number: string;
  /** A name for the number. 1 to 255 characters. */
  name: string;
  /** The country of the number; `ZZ` if it has none. 2 to 2 characters. */
  country: string;
  /**
   * `verifying`: it is being checked. `active`: all checks passed. `partial`: calls work in one direction. `failed`:
   * calls work in neither.
   */
  status: 'verifying' | 'active' | 'partial' | 'failed';
  inbound: InboundCalls;
  outbound: OutboundCalls;
  /** The results of the last checks. Empty: not checked yet. */
  checks: PhoneCheck[];
  /** When it was last checked. Null: not yet. A date and time as in ISO 8601. */
  verifiedAt: string | null;
  /** The id of the number at the carrier. Null until it is known. Up to 64 characters. */
  providerNumberId: string | null;
  /** When it was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When it was last changed. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** What happens to calls to the number. */
export interface InboundCalls {
  /** Whether calls to the number are answered. */
  enabled: boolean;
  /** The agent that answers. Null: nobody answers. 1 to 64 characters. */
  agentId: string | null;
  /**
   * The version of the agent: a number, or `published` for the newest published version at the time of each call. A
   * whole number: 1 to 999999999.
   */
  agentVersion: number | 'published';
  /**
   * Asked before each call is answered: its response can choose the agent, set variables, or reject the call. Requests
   * are signed with the secret of the agent’s webhook. Null: nothing is asked. 1 to 2048 characters.
   */
  requestUrl: string | null;
  /** Only calls from these countries are answered, and calls with a withheld number. Empty: all. Up to 250 items. */
  allowedCountries: string[];
  /** What happens to calls that the agent cannot answer. Null: the caller hears the busy signal. */
  fallback: NumberFallback | MessageFallback | RejectFallback | null;
  /** Calls from these numbers are rejected. Up to 1000 items. */
  blockedNumbers: string[];
}

/** Calls are forwarded to another number. */
export interface NumberFallback {
  /** The call is forwarded to another number. */
  type: 'number';
  /** The number that the call is forwarded to, in E.164 format. Up to 16 characters. */
  to: string;
}

/** Callers hear a message. */
export interface MessageFallback {
  /** The caller hears a message. */
  type: 'message';
  /** What the caller hears, in the voice of the carrier, before the call ends. 1 to 500 characters. */
  text: string;
}

/** Callers hear the busy signal. */
export interface RejectFallback {
  /** The caller hears the busy signal. */
  type: 'reject';
}

/** Which calls can be made from the number. */
export interface OutboundCalls {
  /** Whether calls can be made from the number. A new number cannot until you allow it. */
  enabled: boolean;
  /** Only these agents may call from the number. Empty: any agent. Up to 100 items. */
  agentIds: string[];
  /** How long a call rings, in milliseconds. A whole number: 5000 to 120000. */
  ringTimeoutMs: number;
}

/** One page of a list. */
export interface PhoneNumberPage {
  /** The items of this page, newest first. */
  items: PhoneNumber[];
  pagination: Pagination;
}

/** The fields to change. */
export interface UpdatePhoneNumber {
  /** A name for the number. 1 to 255 characters. */
  name?: string | undefined;
  inbound?: InboundCallChanges | undefined;
  outbound?: OutboundCallChanges | undefined;
}

/** Confirms the deletion. */
export interface DeletedPhoneNumber {
  /** The id of the phone number. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** Which phone calls. */
export interface TestPhoneNumber {
  /** `01` talks, `08` hangs up at once, `11` is silent, `12` presses 1 2 3 #. Default: `'01'`. */
  phone?: '01' | '08' | '11' | '12' | undefined;
  /** The number of the caller, in E.164 format. By default `+999000000` and the phone. Up to 16 characters. */
  from?: string | undefined;
}

/** The call of a test phone. */
export interface PhoneNumberTest {
  /** The call. Up to 64 characters. */
  callId: string;
}

/** One page of a list. */
export interface DoNotCallPage {
  /** The items of this page, newest first. */
  items: DoNotCallEntry[];
  pagination: Pagination;
}

/** A number that must not be called. */
export interface DoNotCallEntry {
  /** The number, in E.164 format. Up to 16 characters. */
  number: string;
  /** Why the number is on the list. Up to 255 characters. */
  reason: string | null;
  /** `api`: added by a request. `call`: the person asked for it in a call. */
  source: 'api' | 'call';
  /** When it was added. A date and time as in ISO 8601. */
  createdAt: string;
}

/** Numbers that must not be called. */
export interface AddDoNotCall {
  /** The numbers, in E.164 format. 1 to 10000 items. */
  numbers: string[];
  /** Why the number is on the list. Up to 255 characters. Default: `null`. */
  reason?: string | null | undefined;
}

/** How many numbers were added. */
export interface DoNotCallAdded {
  /** How many numbers were added. A whole number: 0 or more. */
  added: number;
  /** How many numbers were on the list already. A whole number: 0 or more. */
  known: number;
}

/** Confirms the deletion. */
export interface DeletedDoNotCallEntry {
  /** The number. Up to 16 characters. */
  number: string;
  /** Always true. */
  deleted: true;
}

/** A new knowledge base. */
export interface CreateKnowledgeBase {
  /** The name of the knowledge base. 1 to 255 characters. */
  name: string;
  /** What it is about. Up to 1000 characters. Default: `null`. */
  description?: string | null | undefined;
  /**
   * The language of its documents, as a BCP 47 tag: how sentences and word endings are recognized. 1 to 64 characters.
   * Default: `'ja'`.
   */
  language?: string | undefined;
  /**
   * The maximum length of a chunk, in characters. A change indexes every document again. A whole number: 200 to 2000.
   * Default: `600`.
   */
  chunkSize?: number | undefined;
  /** Groups of terms that mean the same to callers. They are applied to queries. Up to 500 items. Default: `[]`. */
  synonyms?: string[][] | undefined;
  /**
   * Whether its texts are sent to the embeddings provider, if the operator has configured one. False: no text of it
   * leaves the service. Default: `true`.
   */
  useEmbeddings?: boolean | undefined;
}

/** A set of documents that agents look things up in. */
export interface KnowledgeBase {
  /** The id of the knowledge base. Up to 64 characters. */
  id: string;
  /** The workspace. Up to 64 characters. */
  workspaceId: string;
  /** The name of the knowledge base. 1 to 255 characters. */
  name: string;
  /** What it is about. Up to 1000 characters. */
  description: string | null;
  /**
   * The language of its documents, as a BCP 47 tag: how sentences and word endings are recognized. 1 to 64 characters.
   */
  language: string;
  /**
   * The first that applies. `updating`: a document is being processed. `degraded`: a document has failed; the rest is
   * searched. `empty`: there is nothing to search. `ready`.
   */
  status: 'updating' | 'degraded' | 'empty' | 'ready';
  /** Increases with every change that search can see. A whole number: 0 or more. */
  revision: number;
  /**
   * The maximum length of a chunk, in characters. A change indexes every document again. A whole number: 200 to 2000.
   */
  chunkSize: number;
  /** Groups of terms that mean the same to callers. They are applied to queries. Up to 500 items. */
  synonyms: string[][];
  /**
   * Whether its texts are sent to the embeddings provider, if the operator has configured one. False: no text of it
   * leaves the service.
   */
  useEmbeddings: boolean;
  semantic: SemanticIndex;
  /** How many documents it has. A whole number: 0 or more. */
  documentCount: number;
  /** How many chunks it has. A whole number: 0 or more. */
  chunkCount: number;
  /** The size of the extracted texts, in bytes. A whole number: 0 or more. */
  sizeBytes: number;
  /** When it was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When it was last changed by a request. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** Search by meaning, beside search by words. */
export interface SemanticIndex {
  /**
   * `off`: no provider is configured, or `useEmbeddings` is false. `building`: chunks are still without a vector.
   * `ready`: all have one. `failed`: the provider fails; it is tried again.
   */
  status: 'off' | 'building' | 'ready' | 'failed';
  /** The model of the vectors. Up to 255 characters. */
  model: string | null;
  /** The length of a vector. A whole number: 1 or more. */
  dimensions: number | null;
  /** The share of chunks that have a vector. Range: 0 to 1. */
  coverage: number;
}

/** One page of a list. */
export interface KnowledgeBasePage {
  /** The items of this page, newest first. */
  items: KnowledgeBase[];
  pagination: Pagination;
}

/** The fields to change. `synonyms` is replaced as a whole. */
export interface UpdateKnowledgeBase {
  /** The name of the knowledge base. 1 to 255 characters. */
  name?: string | undefined;
  /** What it is about. Up to 1000 characters. */
  description?: string | null | undefined;
  /**
   * The language of its documents, as a BCP 47 tag: how sentences and word endings are recognized. 1 to 64 characters.
   */
  language?: string | undefined;
  /**
   * The maximum length of a chunk, in characters. A change indexes every document again. A whole number: 200 to 2000.
   */
  chunkSize?: number | undefined;
  /** Groups of terms that mean the same to callers. They are applied to queries. Up to 500 items. */
  synonyms?: string[][] | undefined;
  /**
   * Whether its texts are sent to the embeddings provider, if the operator has configured one. False: no text of it
   * leaves the service.
   */
  useEmbeddings?: boolean | undefined;
}

/** Confirms the deletion. */
export interface DeletedKnowledgeBase {
  /** The id of the knowledge base. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** What to search for. */
export interface SearchKnowledgeBase {
  /** What to search for. 1 to 500 characters. */
  query: string;
  /** The maximum number of results. A whole number: 1 to 50. Default: `5`. */
  limit?: number | undefined;
  /** `lexical`: by words. `hybrid`: also by meaning. By default, what is available. */
  mode?: 'lexical' | 'hybrid' | undefined;
  /**
   * A chunk is found if its `lexicalScore` is at least this, or its `semanticScore` is high enough. Range: 0 to 1.
   * Default: `0`.
   */
  minScore?: number | undefined;
  /** The same for `semanticScore`. Range: 0 to 1. Default: `0`. */
  minSemanticScore?: number | undefined;
}

/** What was found, in one revision. */
export interface SearchResults {
  /** The chunks found, best first. */
  results: SearchResult[];
  /** How it was searched. */
  mode: 'lexical' | 'hybrid';
  /** The revision that was searched. A whole number: 0 or more. */
  revision: number;
  /** How long it took, in milliseconds. Range: 0 or more. */
  tookMs: number;
}

/** A chunk that was found. */
export interface SearchResult {
  chunk: Chunk;
  /** The name of the document. */
  documentName: string;
  /** What the results are ordered by. Range: 0 or more. */
  score: number;
  /** How well its words match. Range: 0 to 1. */
  lexicalScore: number;
  /** How close its meaning is. Null: not compared. Range: -1 to 1. */
  semanticScore: number | null;
  /** What matches in `chunk.text`. */
  highlights: Highlight[];
}

/** A part of a document, as search finds it. */
export interface Chunk {
  /** The id of the chunk. Up to 64 characters. */
  id: string;
  /** The id of the document. Up to 64 characters. */
  documentId: string;
  /** The revision of the document. A whole number: 0 or more. */
  documentRevision: number;
  /** Its place in the document, from 0. A whole number: 0 or more. */
  index: number;
  /** The headings above it, outermost first. */
  headingPath: string[];
  /** The page, from 1, if there are pages. A whole number: 1 or more. */
  page: number | null;
  /** Where it starts in the extracted text, in UTF-16 units. A whole number: 0 or more. */
  start: number;
  /** Where it ends. A whole number: 0 or more. */
  end: number;
  /** The text. */
  text: string;
}

/** A part of the text that matches, in UTF-16 units. */
export interface Highlight {
  /** Where it starts in `chunk.text`. A whole number: 0 or more. */
  start: number;
  /** Where it ends. A whole number: 0 or more. */
  end: number;
}

/** Questions with their answers. */
export interface EvaluateKnowledgeBase {
  /** The questions. 1 to 1000 items. */
  questions: EvaluationQuestion[];
  /** How many results are looked at. A whole number: 1 to 50. Default: `3`. */
  limit?: number | undefined;
  /** The lowest score of a hit. Range: 0 to 1. Default: `0`. */
  minScore?: number | undefined;
  /** How to search. By default, each mode that is available. 1 to 2 items. */
  modes?: ('lexical' | 'hybrid')[] | undefined;
}

/** A question with its answer. */
export interface EvaluationQuestion {
  /** As a caller would ask. 1 to 500 characters. */
  query: string;
  /** The ids or names of documents that answer it. One of them is enough. 1 to 20 items. */
  expected: string[];
  /** A text that the right chunk contains. 1 to 500 characters. */
  contains?: string | undefined;
}

/** How well a knowledge base answers questions. */
export interface Evaluation {
  /** The results of each mode. */
  modes: EvaluatedMode[];
  /** The questions whose answer was not found. */
  misses: EvaluationMiss[];
}

/** The results of a mode. */
export interface EvaluatedMode {
  /** How it was searched. */
  mode: 'lexical' | 'hybrid';
  /** The share with the right result first. Range: 0 to 1. */
  hitRate1: number;
  /** The share with it in the first `limit`. Range: 0 to 1. */
  hitRate: number;
  /** The mean of 1 / rank. Range: 0 to 1. */
  meanReciprocalRank: number;
  /** The best scores of questions that were answered. Null if there are none. */
  hitScores: ScorePercentiles | null;
  /** The best scores of the others. Null if there are none. */
  missScores: ScorePercentiles | null;
}

/** The best scores of questions. */
export interface ScorePercentiles {
  /** The tenth percentile. Range: 0 to 1. */
  p10: number;
  /** The median. Range: 0 to 1. */
  p50: number;
  /** The ninetieth percentile. Range: 0 to 1. */
  p90: number;
}

/** A question whose answer was not found. */
export interface EvaluationMiss {
  /** How it was searched. */
  mode: 'lexical' | 'hybrid';
  /** The question. */
  query: string;
  /** What was expected. */
  expected: string[];
  /** What was found instead. */
  got: EvaluatedResult[];
  /**
   * `not_indexed`: no such document is searchable. `text_not_in_document`: none of its chunks contains the text.
   * `below_min_score`: it matches too little. `outranked`: others match better.
   */
  reason: 'not_indexed' | 'below_min_score' | 'outranked' | 'text_not_in_document';
}

/** A result. */
export interface EvaluatedResult {
  /** The id of the document. Up to 64 characters. */
  documentId: string;
  /** Its score. Range: 0 to 1. */
  score: number;
}

/** Where to look. */
export interface FindPages {
  /** A page of the website. 1 to 2048 characters. */
  url: string;
}

/** The pages of a website. */
export interface FoundPages {
  /** The addresses. */
  urls: string[];
  /** Whether there are more. */
  truncated: boolean;
}

/** A new document: exactly one of `text`, `url` and `file`. */
export interface CreateDocument {
  /**
   * The name of the document. Required for `text`; else by default the file’s name or the page’s title. 1 to 255
   * characters.
   */
  name?: string | undefined;
  /** Your own data. Up to 50 keys and 8 KiB as JSON. Search does not read it. Default: `{}`. */
  metadata?: Record<string, unknown> | undefined;
  /**
   * For a URL: how often it is fetched again, in hours. Null: only on request. A whole number: 1 to 720. Default:
   * `null`.
   */
  refreshEveryHours?: number | null | undefined;
  /** The text itself, as Markdown. 1 to 300000 characters. */
  text?: string | undefined;
  /** The address of a page or file to fetch. 1 to 2048 characters. */
  url?: string | undefined;
  file?: DocumentFile | undefined;
}

/** A file that will be uploaded. */
export interface DocumentFile {
  /** The name of the file. 1 to 255 characters. */
  name: string;
  /** The size of the file, in bytes. At most 25 MiB. A whole number: 0 to 26214400. */
  sizeBytes: number;
  /** The SHA-256 digest of the file, in hexadecimal. If given, the upload is checked against it. */
  sha256?: string | undefined;
}

/** A document of a knowledge base. */
export interface Document {
  /** The id of the document. Up to 64 characters. */
  id: string;
  /** The id of the knowledge base. Up to 64 characters. */
  knowledgeBaseId: string;
  /** The name of the document. It is searched too. 1 to 255 characters. */
  name: string;
  /** Where its content comes from. */
  type: 'text' | 'file' | 'url';
  /** For type `url`. Up to 2048 characters. */
  url: string | null;
  /** For a URL: how often it is fetched again, in hours. Null: only on request. A whole number: 1 to 720. */
  refreshEveryHours: number | null;
  /** When the URL was last read successfully. A date and time as in ISO 8601. */
  lastFetchedAt: string | null;
  /** When the URL will be fetched again. A date and time as in ISO 8601. */
  nextRefreshAt: string | null;
  /** The first failed refresh since the last success. A date and time as in ISO 8601. */
  staleSince: string | null;
  /**
   * The newest work on the document. `failed` with a `revision` above 0: the newest content failed, and that revision
   * is still searched.
   */
  status: 'uploading' | 'queued' | 'fetching' | 'extracting' | 'indexing' | 'ready' | 'failed';
  /** Why that work failed. */
  error: DocumentError | null;
  /** What search serves now. 0: nothing yet. A whole number: 0 or more. */
  revision: number;
  /** What may be missing. */
  warnings: DocumentWarning[];
  /** The type of the content, decided by its bytes. Up to 255 characters. */
  mimeType: string | null;
  /** The digest of the source, in hexadecimal. The same content again changes nothing. Up to 64 characters. */
  contentSha256: string | null;
  /** The size of the source, in bytes. A whole number: 0 or more. */
  sizeBytes: number | null;
  /** The length of the extracted text. A whole number: 0 or more. */
  characterCount: number | null;
  /** How many pages it has, if it has pages. A whole number: 0 or more. */
  pageCount: number | null;
  /** How many chunks it has. A whole number: 0 or more. */
  chunkCount: number | null;
  /** Your own data. Search does not read it. */
  metadata: Record<string, unknown>;
  /** Only in the response that asks for the bytes of a file; null everywhere else. */
  upload: DocumentUpload | null;
  /** When it was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When it was last changed by a request. A date and time as in ISO 8601. */
  updatedAt: string;
  /** When the served revision became searchable. A date and time as in ISO 8601. */
  readyAt: string | null;
}

/** Something that may be missing. */
export interface DocumentWarning {
  /**
   * `pages_without_text`: some pages have no text. `hidden_text_removed`: text that readers cannot see was left out.
   * `truncated_table`: a table was too wide. `encoding_guessed`: nothing states the encoding.
   */
  code: 'pages_without_text' | 'hidden_text_removed' | 'truncated_table' | 'encoding_guessed';
  /** The same in words. Up to 500 characters. */
  message: string;
}

/** Where the bytes of a file are expected. */
export interface DocumentUpload {
  /** Send the bytes here by `PUT`, without an API key. Up to 4096 characters. */
  url: string;
  /** When the URL expires. A date and time as in ISO 8601. */
  expiresAt: string;
}

/** One page of a list. */
export interface DocumentPage {
  /** The items of this page, newest first. */
  items: Document[];
  pagination: Pagination;
}

/** The fields to change. New content must be of the type that the document has. */
export interface UpdateDocument {
  /** The name of the document. 1 to 255 characters. */
  name?: string | undefined;
  /** Merged into the current metadata; null removes a key. Up to 50 keys and 8 KiB afterwards. */
  metadata?: Record<string, unknown> | undefined;
  /** For a URL: how often it is fetched again, in hours. Null: only on request. A whole number: 1 to 720. */
  refreshEveryHours?: number | null | undefined;
  /** The text itself, as Markdown. 1 to 300000 characters. */
  text?: string | undefined;
  /** The address of a page or file to fetch. 1 to 2048 characters. */
  url?: string | undefined;
  file?: DocumentFile | undefined;
}

/** Confirms the deletion. */
export interface DeletedDocument {
  /** The id of the document. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** One page of a list. */
export interface ChunkPage {
  /** The items of this page, in the order of the document. */
  items: Chunk[];
  pagination: Pagination;
}

/** Which figures to compute, of which calls. */
export interface AnalyticsQuery {
  range: AnalyticsRange;
  /** An IANA time zone, in which days begin. 1 to 64 characters. Default: `'UTC'`. */
  timeZone?: string | undefined;
  /** The length of a bucket. Weeks begin on Monday. `none`: one bucket. Default: `'none'`. */
  interval?: 'none' | 'hour' | 'day' | 'week' | 'month' | undefined;
  /** What to compute. 1 to 20 items. */
  metrics: (AnalyticsMetric | AnalyticsMetricEntry | AnalyticsRatio)[];
  /**
   * Up to two of `agentId`, `agentVersion`, `type`, `direction`, `engine`, `status`, `endReason`, `endedBy`,
   * `dataStorageSetting`, `model`, `sttProvider`, `ttsProvider`, `phoneNumberId`, `batchId`, `currency`, `hourOfDay`,
   * `dayOfWeek`, `analysis.status`, `analysis.sentiment`, `analysis.successful`, and `analysis.data.`, `metadata.`,
   * `variables.`, `collectedVariables.` followed by a name. Texts are cut to 200 characters; beyond the 1,000 most
   * frequent values, the rest is `(other)`. Up to 2 items. Default: `[]`.
   */
  groupBy?: string[] | undefined;
  /**
   * A condition `{"field", "op", "value"}`, or `{"all": […]}`, `{"any": […]}`, `{"not": …}` of conditions, up to 50
   * conditions and 5 levels, as for calls.search. Operators: `eq`, `ne`, `in`, `lt`, `lte`, `gt`, `gte`, `contains`,
   * `startsWith`, `exists`. Fields: `agentId`, `agentVersion`, `type`, `direction`, `engine`, `status`, `endReason`,
   * `endedBy`, `dataStorageSetting`, `model`, `sttProvider`, `ttsProvider`, `phoneNumberId`, `batchId`, `currency`,
   * `hourOfDay`, `dayOfWeek`, `analysis.status`, `analysis.sentiment`, `analysis.successful`, `externalId`, `from`,
   * `to`, `createdAt`, `startedAt`, `endedAt`, `durationMs`, `latency.e2eMs.p50`, `latency.e2eMs.p90`,
   * `latency.e2eMs.p95`, `latency.e2eMs.p99`, `usage.llm.totalTokens`, `usage.knowledge.empty`,
   * `conversation.agentSpeechMs`, `conversation.callerSpeechMs`, `conversation.overlapMs`, `conversation.firstWordMs`,
   * `conversation.deadAirMs`, `conversation.longestSilenceMs`, `conversation.callerInterruptions`,
   * `conversation.agentInterruptions`, `conversation.falseInterruptions`, `conversation.reminders`,
   * `conversation.waitingSentences`, `conversation.backchannels`, `cost`, and `analysis.data.`, `metadata.`,
   * `variables.`, `collectedVariables.` followed by a name.
   */
  filter?: unknown;
  /** Whether calls of drafts count, too. Default: `false`. */
  includeDrafts?: boolean | undefined;
  /**
   * Adds the figures of an earlier range: `previous` is the same number of units directly before, the others are
   * shifted back by that period.
   */
  compare?: 'previous' | 'week' | 'month' | 'year' | undefined;
  order?: AnalyticsOrder | undefined;
  /**
   * The maximum number of rows. Groups are kept or dropped as a whole, the largest by the first metric first. A whole
   * number: 1 to 10000. Default: `1000`.
   */
  limit?: number | undefined;
}

/** Which calls, by `createdAt`. At most 800 days. */
export interface AnalyticsRange {
  /** Calls created at this time or later. A date and time as in ISO 8601. */
  from?: string | undefined;
  /** Calls created before this time. A date and time as in ISO 8601. */
  to?: string | undefined;
  /**
   * In place of `from` and `to`: the last hours (`24h`), days (`7d`), weeks (`4w`) or months (`12mo`), 1 to 400, in
   * whole units of the time zone. The running one is included. 2 to 5 characters.
   */
  last?: string | undefined;
  /** With `last`: without the running unit. */
  complete?: boolean | undefined;
}

/** The name of a metric. analytics.fields.list has their definitions. Up to 64 characters. */
export type AnalyticsMetric =
  | 'calls'
  | 'connectedCalls'
  | 'errorCalls'
  | 'connectRate'
  | 'errorRate'
  | 'successRate'
  | 'analyzedRate'
  | 'durationMs.count'
  | 'durationMs.sum'
  | 'durationMs.avg'
  | 'durationMs.min'
  | 'durationMs.max'
  | 'durationMs.p50'
  | 'durationMs.p75'
  | 'durationMs.p90'
  | 'durationMs.p95'
  | 'durationMs.p99'
  | 'latency.e2eMs.count'
  | 'latency.e2eMs.sum'
  | 'latency.e2eMs.avg'
  | 'latency.e2eMs.min'
  | 'latency.e2eMs.max'
  | 'latency.e2eMs.p50'
  | 'latency.e2eMs.p75'
  | 'latency.e2eMs.p90'
  | 'latency.e2eMs.p95'
  | 'latency.e2eMs.p99'
  | 'latency.endpointingMs.count'
  | 'latency.endpointingMs.sum'
  | 'latency.endpointingMs.avg'
  | 'latency.endpointingMs.min'
  | 'latency.endpointingMs.max'
  | 'latency.endpointingMs.p50'
  | 'latency.endpointingMs.p75'
  | 'latency.endpointingMs.p90'
  | 'latency.endpointingMs.p95'
  | 'latency.endpointingMs.p99'
  | 'latency.sttMs.count'
  | 'latency.sttMs.sum'
  | 'latency.sttMs.avg'
  | 'latency.sttMs.min'
  | 'latency.sttMs.max'
  | 'latency.sttMs.p50'
  | 'latency.sttMs.p75'
  | 'latency.sttMs.p90'
  | 'latency.sttMs.p95'
  | 'latency.sttMs.p99'
  | 'latency.knowledgeMs.count'
  | 'latency.knowledgeMs.sum'
  | 'latency.knowledgeMs.avg'
  | 'latency.knowledgeMs.min'
  | 'latency.knowledgeMs.max'
  | 'latency.knowledgeMs.p50'
  | 'latency.knowledgeMs.p75'
  | 'latency.knowledgeMs.p90'
  | 'latency.knowledgeMs.p95'
  | 'latency.knowledgeMs.p99'
  | 'latency.llmFirstTokenMs.count'
  | 'latency.llmFirstTokenMs.sum'
  | 'latency.llmFirstTokenMs.avg'
  | 'latency.llmFirstTokenMs.min'
  | 'latency.llmFirstTokenMs.max'
  | 'latency.llmFirstTokenMs.p50'
  | 'latency.llmFirstTokenMs.p75'
  | 'latency.llmFirstTokenMs.p90'
  | 'latency.llmFirstTokenMs.p95'
  | 'latency.llmFirstTokenMs.p99'
  | 'latency.ttsFirstAudioMs.count'
  | 'latency.ttsFirstAudioMs.sum'
  | 'latency.ttsFirstAudioMs.avg'
  | 'latency.ttsFirstAudioMs.min'
  | 'latency.ttsFirstAudioMs.max'
  | 'latency.ttsFirstAudioMs.p50'
  | 'latency.ttsFirstAudioMs.p75'
  | 'latency.ttsFirstAudioMs.p90'
  | 'latency.ttsFirstAudioMs.p95'
  | 'latency.ttsFirstAudioMs.p99'
  | 'latency.ownMs.count'
  | 'latency.ownMs.sum'
  | 'latency.ownMs.avg'
  | 'latency.ownMs.min'
  | 'latency.ownMs.max'
  | 'latency.ownMs.p50'
  | 'latency.ownMs.p75'
  | 'latency.ownMs.p90'
  | 'latency.ownMs.p95'
  | 'latency.ownMs.p99'
  | 'agentTurns.count'
  | 'agentTurns.sum'
  | 'agentTurns.avg'
  | 'agentTurns.min'
  | 'agentTurns.max'
  | 'agentTurns.p50'
  | 'agentTurns.p75'
  | 'agentTurns.p90'
  | 'agentTurns.p95'
  | 'agentTurns.p99'
  | 'callerTurns.count'
  | 'callerTurns.sum'
  | 'callerTurns.avg'
  | 'callerTurns.min'
  | 'callerTurns.max'
  | 'callerTurns.p50'
  | 'callerTurns.p75'
  | 'callerTurns.p90'
  | 'callerTurns.p95'
  | 'callerTurns.p99'
  | 'toolCalls.count'
  | 'toolCalls.sum'
  | 'toolCalls.avg'
  | 'toolCalls.min'
  | 'toolCalls.max'
  | 'toolCalls.p50'
  | 'toolCalls.p75'
  | 'toolCalls.p90'
  | 'toolCalls.p95'
  | 'toolCalls.p99'
  | 'toolErrorRate'
  | 'conversation.agentSpeechMs.count'
  | 'conversation.agentSpeechMs.sum'
  | 'conversation.agentSpeechMs.avg'
  | 'conversation.agentSpeechMs.min'
  | 'conversation.agentSpeechMs.max'
  | 'conversation.agentSpeechMs.p50'
  | 'conversation.agentSpeechMs.p75'
  | 'conversation.agentSpeechMs.p90'
  | 'conversation.agentSpeechMs.p95'
  | 'conversation.agentSpeechMs.p99'
  | 'conversation.callerSpeechMs.count'
  | 'conversation.callerSpeechMs.sum'
  | 'conversation.callerSpeechMs.avg'
  | 'conversation.callerSpeechMs.min'
  | 'conversation.callerSpeechMs.max'
  | 'conversation.callerSpeechMs.p50'
  | 'conversation.callerSpeechMs.p75'
  | 'conversation.callerSpeechMs.p90'
  | 'conversation.callerSpeechMs.p95'
  | 'conversation.callerSpeechMs.p99'
  | 'conversation.overlapMs.count'
  | 'conversation.overlapMs.sum'
  | 'conversation.overlapMs.avg'
  | 'conversation.overlapMs.min'
  | 'conversation.overlapMs.max'
  | 'conversation.overlapMs.p50'
  | 'conversation.overlapMs.p75'
  | 'conversation.overlapMs.p90'
  | 'conversation.overlapMs.p95'
  | 'conversation.overlapMs.p99'
  | 'conversation.firstWordMs.count'
  | 'conversation.firstWordMs.sum'
  | 'conversation.firstWordMs.avg'
  | 'conversation.firstWordMs.min'
  | 'conversation.firstWordMs.max'
  | 'conversation.firstWordMs.p50'
  | 'conversation.firstWordMs.p75'
  | 'conversation.firstWordMs.p90'
  | 'conversation.firstWordMs.p95'
  | 'conversation.firstWordMs.p99'
  | 'conversation.deadAirMs.count'
  | 'conversation.deadAirMs.sum'
  | 'conversation.deadAirMs.avg'
  | 'conversation.deadAirMs.min'
  | 'conversation.deadAirMs.max'
  | 'conversation.deadAirMs.p50'
  | 'conversation.deadAirMs.p75'
  | 'conversation.deadAirMs.p90'
  | 'conversation.deadAirMs.p95'
  | 'conversation.deadAirMs.p99'
  | 'conversation.longestSilenceMs.count'
  | 'conversation.longestSilenceMs.sum'
  | 'conversation.longestSilenceMs.avg'
  | 'conversation.longestSilenceMs.min'
  | 'conversation.longestSilenceMs.max'
  | 'conversation.longestSilenceMs.p50'
  | 'conversation.longestSilenceMs.p75'
  | 'conversation.longestSilenceMs.p90'
  | 'conversation.longestSilenceMs.p95'
  | 'conversation.longestSilenceMs.p99'
  | 'conversation.callerInterruptions.count'
  | 'conversation.callerInterruptions.sum'
  | 'conversation.callerInterruptions.avg'
  | 'conversation.callerInterruptions.min'
  | 'conversation.callerInterruptions.max'
  | 'conversation.callerInterruptions.p50'
  | 'conversation.callerInterruptions.p75'
  | 'conversation.callerInterruptions.p90'
  | 'conversation.callerInterruptions.p95'
  | 'conversation.callerInterruptions.p99'
  | 'conversation.agentInterruptions.count'
  | 'conversation.agentInterruptions.sum'
  | 'conversation.agentInterruptions.avg'
  | 'conversation.agentInterruptions.min'
  | 'conversation.agentInterruptions.max'
  | 'conversation.agentInterruptions.p50'
  | 'conversation.agentInterruptions.p75'
  | 'conversation.agentInterruptions.p90'
  | 'conversation.agentInterruptions.p95'
  | 'conversation.agentInterruptions.p99'
  | 'conversation.falseInterruptions.count'
  | 'conversation.falseInterruptions.sum'
  | 'conversation.falseInterruptions.avg'
  | 'conversation.falseInterruptions.min'
  | 'conversation.falseInterruptions.max'
  | 'conversation.falseInterruptions.p50'
  | 'conversation.falseInterruptions.p75'
  | 'conversation.falseInterruptions.p90'
  | 'conversation.falseInterruptions.p95'
  | 'conversation.falseInterruptions.p99'
  | 'conversation.reminders.count'
  | 'conversation.reminders.sum'
  | 'conversation.reminders.avg'
  | 'conversation.reminders.min'
  | 'conversation.reminders.max'
  | 'conversation.reminders.p50'
  | 'conversation.reminders.p75'
  | 'conversation.reminders.p90'
  | 'conversation.reminders.p95'
  | 'conversation.reminders.p99'
  | 'conversation.waitingSentences.count'
  | 'conversation.waitingSentences.sum'
  | 'conversation.waitingSentences.avg'
  | 'conversation.waitingSentences.min'
  | 'conversation.waitingSentences.max'
  | 'conversation.waitingSentences.p50'
  | 'conversation.waitingSentences.p75'
  | 'conversation.waitingSentences.p90'
  | 'conversation.waitingSentences.p95'
  | 'conversation.waitingSentences.p99'
  | 'conversation.backchannels.count'
  | 'conversation.backchannels.sum'
  | 'conversation.backchannels.avg'
  | 'conversation.backchannels.min'
  | 'conversation.backchannels.max'
  | 'conversation.backchannels.p50'
  | 'conversation.backchannels.p75'
  | 'conversation.backchannels.p90'
  | 'conversation.backchannels.p95'
  | 'conversation.backchannels.p99'
  | 'conversation.talkRatio.count'
  | 'conversation.talkRatio.sum'
  | 'conversation.talkRatio.avg'
  | 'conversation.talkRatio.min'
  | 'conversation.talkRatio.max'
  | 'conversation.talkRatio.p50'
  | 'conversation.talkRatio.p75'
  | 'conversation.talkRatio.p90'
  | 'conversation.talkRatio.p95'
  | 'conversation.talkRatio.p99'
  | 'callerInterruptionRate'
  | 'agentInterruptionRate'
  | 'usage.llm.promptTokens.sum'
  | 'usage.llm.promptTokens.avg'
  | 'usage.llm.cachedTokens.sum'
  | 'usage.llm.cachedTokens.avg'
  | 'usage.llm.completionTokens.sum'
  | 'usage.llm.completionTokens.avg'
  | 'usage.llm.totalTokens.sum'
  | 'usage.llm.totalTokens.avg'
  | 'usage.stt.audioMs.sum'
  | 'usage.stt.audioMs.avg'
  | 'usage.tts.characters.sum'
  | 'usage.tts.characters.avg'
  | 'usage.knowledge.searches.sum'
  | 'usage.knowledge.searches.avg'
  | 'usage.knowledge.empty.sum'
  | 'usage.knowledge.empty.avg'
  | 'usage.carrier.billedMs.sum'
  | 'usage.carrier.billedMs.avg'
  | 'cost.sum'
  | 'cost.avg'
  | 'unpricedCalls'
  | 'field.count'
  | 'field.sum'
  | 'field.avg'
  | 'field.min'
  | 'field.max'
  | 'field.p50'
  | 'field.p75'
  | 'field.p90'
  | 'field.p95'
  | 'field.p99'
  | 'field.trueRate'
  | 'field.distinct';

/** A metric of some of the calls, or of a field. */
export interface AnalyticsMetricEntry {
  metric: AnalyticsMetric;
  /** The field that a metric `field.…` is computed of. 1 to 300 characters. */
  field?: string | undefined;
  /**
   * A condition `{"field", "op", "value"}`, or `{"all": […]}`, `{"any": […]}`, `{"not": …}` of conditions, up to 50
   * conditions and 5 levels, as for calls.search. Operators: `eq`, `ne`, `in`, `lt`, `lte`, `gt`, `gte`, `contains`,
   * `startsWith`, `exists`. Fields: `agentId`, `agentVersion`, `type`, `direction`, `engine`, `status`, `endReason`,
   * `endedBy`, `dataStorageSetting`, `model`, `sttProvider`, `ttsProvider`, `phoneNumberId`, `batchId`, `currency`,
   * `hourOfDay`, `dayOfWeek`, `analysis.status`, `analysis.sentiment`, `analysis.successful`, `externalId`, `from`,
   * `to`, `createdAt`, `startedAt`, `endedAt`, `durationMs`, `latency.e2eMs.p50`, `latency.e2eMs.p90`,
   * `latency.e2eMs.p95`, `latency.e2eMs.p99`, `usage.llm.totalTokens`, `usage.knowledge.empty`,
   * `conversation.agentSpeechMs`, `conversation.callerSpeechMs`, `conversation.overlapMs`, `conversation.firstWordMs`,
   * `conversation.deadAirMs`, `conversation.longestSilenceMs`, `conversation.callerInterruptions`,
   * `conversation.agentInterruptions`, `conversation.falseInterruptions`, `conversation.reminders`,
   * `conversation.waitingSentences`, `conversation.backchannels`, `cost`, and `analysis.data.`, `metadata.`,
   * `variables.`, `collectedVariables.` followed by a name.
   */
  filter?: unknown;
  /** The name of the value in the response. Up to 64 characters. */
  as: string;
}

/** The ratio of two metrics, with 6 decimals. Null if the second is 0. */
export interface AnalyticsRatio {
  /** Two other entries, by `as` or by the name of the metric: the first divided by the second. 2 to 2 items. */
  ratio: string[];
  /** The name of the value in the response. Up to 64 characters. */
  as: string;
}

/** The order of the rows. */
export interface AnalyticsOrder {
  /** `bucket`, a metric or a dimension of the query. 1 to 300 characters. Default: `'bucket'`. */
  by?: string | undefined;
  /** Nulls are last in both directions. Default: `'asc'`. */
  direction?: 'asc' | 'desc' | undefined;
}

/** Figures about calls. */
export interface AnalyticsResult {
  /** One row for each bucket and group. */
  rows: AnalyticsRow[];
  range: AnalyticsResultRange;
  /** The compared range. Null without `compare`. */
  previousRange: AnalyticsPreviousRange | null;
  /** The time zone. Up to 64 characters. */
  timeZone: string;
  /** Whether rows were left out because of `limit`. */
  truncated: boolean;
  /**
   * After an upgrade or a restore, older calls are added in the background: figures are complete from this time on.
   * Null: they are complete. A date and time as in ISO 8601.
   */
  filledFrom: string | null;
  /** When it was computed. A date and time as in ISO 8601. */
  asOf: string;
  /** How many calls of the range match the filter. A whole number: 0 or more. */
  calls: number;
  /** How long it took, in milliseconds. Range: 0 or more. */
  tookMs: number;
}

/** The figures of one bucket and one group. */
export interface AnalyticsRow {
  /** When the bucket begins, with the offset of the time zone. A date and time as in ISO 8601. */
  bucket: string;
  /** The values of `groupBy`. Null: calls without a value. */
  group: Record<string, string | number | boolean | null>;
  /** The metrics, by name or `as`. Null: there is nothing to compute it of. */
  values: Record<string, number | null>;
  /**
   * The same metrics of the row at the same position of the compared range. Null if not requested, or if there is no
   * such row.
   */
  previous: Record<string, number | null> | null;
}

/** The range of the query. */
export interface AnalyticsResultRange {
  /** The start. A date and time as in ISO 8601. */
  from: string;
  /** The end, which is not included. A date and time as in ISO 8601. */
  to: string;
}

/** The range that it is compared with. */
export interface AnalyticsPreviousRange {
  /** The start. A date and time as in ISO 8601. */
  from: string;
  /** The end, which is not included. A date and time as in ISO 8601. */
  to: string;
}

/** Everything that a query can name. */
export interface AnalyticsFieldPage {
  /** Metrics, then dimensions, then fields. */
  items: AnalyticsField[];
  pagination: OnePage;
}

/** A metric, a dimension or a field. */
export interface AnalyticsField {
  /**
   * `metric`: for `metrics`. `dimension`: for `groupBy`, `filter` and the `field` of a metric. `field`: for `filter`
   * and the `field` of a metric.
   */
  kind: 'metric' | 'dimension' | 'field';
  /** The name. Up to 300 characters. */
  name: string;
  /** The type of its values. `any`: several types were seen. */
  type: 'string' | 'number' | 'integer' | 'boolean' | 'time' | 'any';
  /** The unit of its values. `micros`: millionths of the currency. */
  unit: 'milliseconds' | 'count' | 'tokens' | 'characters' | 'ratio' | 'micros' | null;
  /** What it is, precisely. Up to 1000 characters. */
  definition: string;
  /** A value. Null for names that were seen in calls. */
  example: string | number | boolean | null;
}

/** All prices of the workspace. */
export interface PricesPage {
  /** One for each `validFrom`, the newest first. */
  items: Prices[];
  pagination: OnePage;
}

/** What providers charge, as the operator states it. */
export interface Prices {
  /** The currency, as in ISO 4217. Up to 3 characters. */
  currency: string;
  /** From when on they are valid. A date and time as in ISO 8601. */
  validFrom: string;
  /** The prices. */
  items: PriceItem[];
}

/** The price of one unit. The most specific one applies, model before provider. */
export interface PriceItem {
  /** What it is the price of. */
  capability: 'llm' | 'stt' | 'tts' | 'carrier';
  /** The provider. `*`: any. 1 to 255 characters. */
  provider: string;
  /** The model. `*`: any. 1 to 255 characters. */
  model: string;
  /**
   * What the price is for. `llm`: `million_prompt_tokens`, `million_cached_tokens`, `million_completion_tokens`. `stt`
   * and `carrier`: `minute`. `tts`: `million_characters`.
   */
  unit:
    | 'million_prompt_tokens'
    | 'million_cached_tokens'
    | 'million_completion_tokens'
    | 'minute'
    | 'million_characters';
  /** The price of one unit, in the currency. Up to 19 characters. */
  price: string;
}

/** The prices that are valid from a time on. */
export interface PutPrices {
  /** The currency, as in ISO 4217. Up to 3 characters. */
  currency: string;
  /** The prices. One for each capability, provider, model and unit. Up to 500 items. */
  items: PriceItem[];
}

/** Confirms the deletion. */
export interface DeletedPrices {
  /** Whose prices. A date and time as in ISO 8601. */
  validFrom: string;
  /** Always true. */
  deleted: true;
}

/** One page of a list. */
export interface ViewPage {
  /** The items of this page, newest first. */
  items: View[];
  pagination: Pagination;
}

/** A saved query, and how to show it. */
export interface View {
  /** The id of the view. Up to 64 characters. */
  id: string;
  /** The name. 1 to 255 characters. */
  name: string;
  /** A note for your own reference. Up to 1000 characters. */
  description: string | null;
  /** The body of analytics.query, as it was given. */
  query: Record<string, unknown>;
  /** How the dashboard shows it. */
  chart: 'line' | 'bar' | 'table' | 'number' | 'heatmap';
  /** When it was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When it last changed. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** A new view. */
export interface CreateView {
  /** The name. 1 to 255 characters. */
  name: string;
  /** A note for your own reference. Up to 1000 characters. Default: `null`. */
  description?: string | null | undefined;
  query: SavedQuery;
  /** How the dashboard shows it. Default: `'line'`. */
  chart?: 'line' | 'bar' | 'table' | 'number' | 'heatmap' | undefined;
}

/** The body of analytics.query. What is left out is decided when the view is opened. */
export interface SavedQuery {
  range: AnalyticsRange;
  /** An IANA time zone, in which days begin. 1 to 64 characters. */
  timeZone?: string | undefined;
  /** The length of a bucket. Weeks begin on Monday. `none`: one bucket. */
  interval?: 'none' | 'hour' | 'day' | 'week' | 'month' | undefined;
  /** What to compute. 1 to 20 items. */
  metrics: (AnalyticsMetric | AnalyticsMetricEntry | AnalyticsRatio)[];
  /**
   * Up to two of `agentId`, `agentVersion`, `type`, `direction`, `engine`, `status`, `endReason`, `endedBy`,
   * `dataStorageSetting`, `model`, `sttProvider`, `ttsProvider`, `phoneNumberId`, `batchId`, `currency`, `hourOfDay`,
   * `dayOfWeek`, `analysis.status`, `analysis.sentiment`, `analysis.successful`, and `analysis.data.`, `metadata.`,
   * `variables.`, `collectedVariables.` followed by a name. Texts are cut to 200 characters; beyond the 1,000 most
   * frequent values, the rest is `(other)`. Up to 2 items.
   */
  groupBy?: string[] | undefined;
  /**
   * A condition `{"field", "op", "value"}`, or `{"all": […]}`, `{"any": […]}`, `{"not": …}` of conditions, up to 50
   * conditions and 5 levels, as for calls.search. Operators: `eq`, `ne`, `in`, `lt`, `lte`, `gt`, `gte`, `contains`,
   * `startsWith`, `exists`. Fields: `agentId`, `agentVersion`, `type`, `direction`, `engine`, `status`, `endReason`,
   * `endedBy`, `dataStorageSetting`, `model`, `sttProvider`, `ttsProvider`, `phoneNumberId`, `batchId`, `currency`,
   * `hourOfDay`, `dayOfWeek`, `analysis.status`, `analysis.sentiment`, `analysis.successful`, `externalId`, `from`,
   * `to`, `createdAt`, `startedAt`, `endedAt`, `durationMs`, `latency.e2eMs.p50`, `latency.e2eMs.p90`,
   * `latency.e2eMs.p95`, `latency.e2eMs.p99`, `usage.llm.totalTokens`, `usage.knowledge.empty`,
   * `conversation.agentSpeechMs`, `conversation.callerSpeechMs`, `conversation.overlapMs`, `conversation.firstWordMs`,
   * `conversation.deadAirMs`, `conversation.longestSilenceMs`, `conversation.callerInterruptions`,
   * `conversation.agentInterruptions`, `conversation.falseInterruptions`, `conversation.reminders`,
   * `conversation.waitingSentences`, `conversation.backchannels`, `cost`, and `analysis.data.`, `metadata.`,
   * `variables.`, `collectedVariables.` followed by a name.
   */
  filter?: unknown;
  /** Whether calls of drafts count, too. */
  includeDrafts?: boolean | undefined;
  /**
   * Adds the figures of an earlier range: `previous` is the same number of units directly before, the others are
   * shifted back by that period.
   */
  compare?: 'previous' | 'week' | 'month' | 'year' | undefined;
  order?: SavedQueryOrder | undefined;
  /**
   * The maximum number of rows. Groups are kept or dropped as a whole, the largest by the first metric first. A whole
   * number: 1 to 10000.
   */
  limit?: number | undefined;
}

/** The order of the rows. */
export interface SavedQueryOrder {
  /** `bucket`, a metric or a dimension of the query. 1 to 300 characters. */
  by?: string | undefined;
  /** Nulls are last in both directions. */
  direction?: 'asc' | 'desc' | undefined;
}

/** The fields to change. `query` is replaced as a whole. */
export interface UpdateView {
  /** The name. 1 to 255 characters. */
  name?: string | undefined;
  /** A note for your own reference. Up to 1000 characters. */
  description?: string | null | undefined;
  query?: SavedQuery | undefined;
  /** How the dashboard shows it. */
  chart?: 'line' | 'bar' | 'table' | 'number' | 'heatmap' | undefined;
}

/** Confirms the deletion. */
export interface DeletedView {
  /** The id of the view. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** One page of a list. */
export interface AlertPage {
  /** The items of this page, newest first. */
  items: Alert[];
  pagination: Pagination;
}

/** A condition on a metric that is evaluated every minute. */
export interface Alert {
  /** The id of the alert. Up to 64 characters. */
  id: string;
  /** The name. 1 to 255 characters. */
  name: string;
  /** Whether it is evaluated. */
  enabled: boolean;
  /** The metric. Up to 64 characters. */
  metric: string;
  /** The field of a metric `field.…`. Up to 300 characters. */
  field: string | null;
  /** Which calls it looks at. Null: all, except those of drafts. */
  filter: Record<string, unknown> | null;
  /** The calls that it looks at: those created in this time until now. */
  window: '15m' | '1h' | '6h' | '24h';
  /** How the metric is compared with `value`. */
  op: 'gt' | 'gte' | 'lt' | 'lte';
  /** The threshold. Range: -1000000000000000 to 1000000000000000. */
  value: number;
  /** `value` is the change in percent against the window before. */
  relative: boolean;
  /** With fewer calls in the window, the state is `no_data`. A whole number: 0 to 10000. */
  minCalls: number;
  /** `firing` while the condition holds. `no_data`: fewer calls than `minCalls`, or nothing to compare with. */
  state: 'ok' | 'firing' | 'no_data';
  /** Since when it has this state. A date and time as in ISO 8601. */
  stateSince: string;
  /** The value that was last compared. Null: there was none. Range: -1000000000000000 to 1000000000000000. */
  lastValue: number | null;
  /** When it was last evaluated. A date and time as in ISO 8601. */
  lastEvaluatedAt: string | null;
  /** When it was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When it was last changed. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** A new alert. `minCalls` is 0 for the metric `calls` by default, so that a dead line is noticed, else 1. */
export interface CreateAlert {
  /** The name. 1 to 255 characters. */
  name: string;
  /** Whether it is evaluated. Default: `true`. */
  enabled?: boolean | undefined;
  metric: AnalyticsMetric;
  /** The field of a metric `field.…`. Null for all other metrics. 1 to 300 characters. Default: `null`. */
  field?: string | null | undefined;
  /** Which calls it looks at. Null: all, except those of drafts. Default: `null`. */
  filter?: unknown | null | undefined;
  /** The calls that it looks at: those created in this time until now. */
  window: '15m' | '1h' | '6h' | '24h';
  /** How the metric is compared with `value`. */
  op: 'gt' | 'gte' | 'lt' | 'lte';
  /** The threshold. Range: -1000000000000000 to 1000000000000000. */
  value: number;
  /** `value` is the change in percent against the window before. Default: `false`. */
  relative?: boolean | undefined;
  /** With fewer calls in the window, the state is `no_data`. A whole number: 0 to 10000. */
  minCalls?: number | undefined;
}

/** The fields to change. */
export interface UpdateAlert {
  /** The name. 1 to 255 characters. */
  name?: string | undefined;
  /** Whether it is evaluated. */
  enabled?: boolean | undefined;
  metric?: AnalyticsMetric | undefined;
  /** The field of a metric `field.…`. Null for all other metrics. 1 to 300 characters. */
  field?: string | null | undefined;
  /** Which calls it looks at. Null: all, except those of drafts. */
  filter?: unknown | null | undefined;
  /** The calls that it looks at: those created in this time until now. */
  window?: '15m' | '1h' | '6h' | '24h' | undefined;
  /** How the metric is compared with `value`. */
  op?: 'gt' | 'gte' | 'lt' | 'lte' | undefined;
  /** The threshold. Range: -1000000000000000 to 1000000000000000. */
  value?: number | undefined;
  /** `value` is the change in percent against the window before. */
  relative?: boolean | undefined;
  /** With fewer calls in the window, the state is `no_data`. A whole number: 0 to 10000. */
  minCalls?: number | undefined;
}

/** Confirms the deletion. */
export interface DeletedAlert {
  /** The id of the alert. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** One page of a list. */
export interface WorkflowPage {
  /** The items of this page, newest first. */
  items: Workflow[];
  pagination: Pagination;
}

/** What is done after a call: a trigger, and the steps that follow. */
export interface Workflow {
  /** The id of the workflow. Up to 64 characters. */
  id: string;
  /** The workspace of the workflow. Up to 64 characters. */
  workspaceId: string;
  /** The name. 1 to 255 characters. */
  name: string;
  /** A note for your own reference. Up to 1000 characters. */
  description: string | null;
  /**
   * Increases with each change of `trigger` or `steps`. A run keeps the version that it started with. A whole number: 1
   * or more.
   */
  version: number;
  /** Whether events start runs. False at creation. */
  enabled: boolean;
  /** `failing`: 20 runs in a row have failed. Null while it is enabled, and until it is enabled for the first time. */
  disabledReason: 'by_user' | 'failing' | null;
  trigger: WorkflowTrigger;
  /** The steps, in their order. `next` and `otherwise` name later ones only. 1 to 30 items. */
  steps: (
    | WorkflowHttpRequestStep
    | WorkflowWaitStep
    | WorkflowConditionStep
    | WorkflowUpdateCallStep
    | WorkflowCreateCallStep
  )[];
  /** When it was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When it last changed. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** What starts a run. */
export interface WorkflowTrigger {
  /** `call_analyzed` also after an analysis that was skipped or failed: filter on `analysis.status`. */
  event: 'call_ended' | 'call_analyzed';
  /** Only calls of these agents, up to 100. Empty: of all. Up to 100 items. Default: `[]`. */
  agentIds: string[];
  /**
   * Only calls that match. A condition `{"field", "op", "value"}`, or `{"all": […]}`, `{"any": […]}`, `{"not": …}` of
   * conditions, up to 50 conditions and 5 levels, as for calls.search. Operators: `eq`, `ne`, `in`, `lt`, `lte`, `gt`,
   * `gte`, `contains`, `startsWith`, `exists`. Fields: `type`, `direction`, `status`, `engine`, `endReason`, `endedBy`,
   * `dataStorageSetting`, `analysis.status`, `analysis.sentiment`, `analysis.successful`, `agentId`, `externalId`,
   * `phoneNumberId`, `batchId`, `from`, `to`, `agentVersion`, `durationMs`, `latency.e2eMs.p50`, `latency.e2eMs.p90`,
   * `latency.e2eMs.p95`, `latency.e2eMs.p99`, `usage.llm.totalTokens`, `usage.knowledge.empty`, `createdAt`,
   * `startedAt`, `endedAt`, and `analysis.data.`, `metadata.`, `variables.`, `collectedVariables.` followed by a key.
   * Null: all. Default: `null`.
   */
  filter: unknown;
  /**
   * Whether every event starts a run, also that of a repeated analysis. Otherwise a call starts at most one. Default:
   * `false`.
   */
  onEveryAnalysis: boolean;
  /** Whether calls on an unpublished version of the agent count, too. Default: `false`. */
  includeDrafts: boolean;
}

/** A request to another system, at least once. */
export interface WorkflowHttpRequestStep {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Sends a request. */
  type: 'http_request';
  /** The HTTP method. Default: `'POST'`. */
  method: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * The URL. May contain templates, such as `{{call.externalId}}`. Scheme, host and port must not. Path and query may
   * contain `{{secrets.NAME}}`. 1 to 2048 characters.
   */
  url: string;
  /**
   * Additional request headers. May contain templates, such as `{{call.externalId}}`. `{{secrets.NAME}}` is the value
   * of a secret of the workspace. Default: `{}`.
   */
  headers: Record<string, string>;
  /**
   * The body, as JSON. May contain templates, such as `{{call.externalId}}`. A string that is exactly one template
   * keeps the type of its value. Null: none. Default: `null`.
   */
  body: unknown;
  /**
   * In place of `body`: fields of a form, sent as application/x-www-form-urlencoded. May contain templates, such as
   * `{{call.externalId}}`. A field whose value is null is left out. Null: none. Default: `null`.
   */
  form: Record<string, string | number | boolean> | null;
  /** The statuses of a success. Null: 200 to 299. 1 to 50 items. Default: `null`. */
  expect: number[] | null;
  /** The timeout of an attempt, in milliseconds. A whole number: 1000 to 30000. Default: `15000`. */
  timeoutMs: number;
  /** How often the request is sent until it succeeds. A whole number: 1 to 10. Default: `5`. */
  maxAttempts: number;
  /** The id of a later step, or `end`. Null: the following step. 1 to 32 characters. Default: `null`. */
  next: string | null;
  /** The id of a later step, or `end`, if the step fails. Null: the run fails. 1 to 32 characters. Default: `null`. */
  otherwise: string | null;
}

/** A pause, with exactly one of `seconds`, `until` and `at`. */
export interface WorkflowWaitStep {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Waits. */
  type: 'wait';
  /** How long to wait, in seconds, up to 30 days. A whole number: 1 to 2592000. Default: `null`. */
  seconds: number | null;
  /**
   * In place of `seconds`: a time, at most 30 days ahead. If it is past, the run goes on. May contain templates, such
   * as `{{call.externalId}}`. 1 to 1000 characters. Default: `null`.
   */
  until: string | null;
  /**
   * In place of `seconds`: the next time that it is this time of day, as HH:MM. May contain templates, such as
   * `{{call.externalId}}`. 1 to 1000 characters. Default: `null`.
   */
  at: string | null;
  /**
   * With `at`: the time zone, as an IANA name. Null: UTC. May contain templates, such as `{{call.externalId}}`. 1 to
   * 1000 characters. Default: `null`.
   */
  timeZone: string | null;
  /** The id of a later step, or `end`. Null: the following step. 1 to 32 characters. Default: `null`. */
  next: string | null;
  /** The id of a later step, or `end`, if the step fails. Null: the run fails. 1 to 32 characters. Default: `null`. */
  otherwise: string | null;
}

/** A choice of the next step. */
export interface WorkflowConditionStep {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Chooses the next step. */
  type: 'condition';
  /** The first route whose filter matches is taken. Up to 20. 1 to 20 items. */
  routes: WorkflowConditionRoute[];
  /** The id of a later step, or `end`, if no route matches. 1 to 32 characters. */
  otherwise: string;
}

/** A step to go to if a filter matches. */
export interface WorkflowConditionRoute {
  /**
   * A condition `{"field", "op", "value"}`, or `{"all": […]}`, `{"any": […]}`, `{"not": …}` of conditions, up to 50
   * conditions and 5 levels, as for calls.search. Operators: `eq`, `ne`, `in`, `lt`, `lte`, `gt`, `gte`, `contains`,
   * `startsWith`, `exists`. Fields: `type`, `direction`, `status`, `engine`, `endReason`, `endedBy`,
   * `dataStorageSetting`, `analysis.status`, `analysis.sentiment`, `analysis.successful`, `agentId`, `externalId`,
   * `phoneNumberId`, `batchId`, `from`, `to`, `agentVersion`, `durationMs`, `latency.e2eMs.p50`, `latency.e2eMs.p90`,
   * `latency.e2eMs.p95`, `latency.e2eMs.p99`, `usage.llm.totalTokens`, `usage.knowledge.empty`, `createdAt`,
   * `startedAt`, `endedAt`, and `analysis.data.`, `metadata.`, `variables.`, `collectedVariables.` followed by a key.
   * Also `steps.<id>.status`, `steps.<id>.statusCode` and `steps.<id>.output.<path>` of a step that has run.
   */
  if: unknown;
  /** The id of a later step, or `end`. 1 to 32 characters. */
  next: string;
}

/** A change of the call, exactly once. */
export interface WorkflowUpdateCallStep {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Updates the call. */
  type: 'update_call';
  /**
   * Merged into the metadata of the call; null removes a key. May contain templates, such as `{{call.externalId}}`.
   * Default: `{}`.
   */
  metadata: Record<string, unknown>;
  /**
   * The new `externalId` of the call. May contain templates, such as `{{call.externalId}}`. Null: unchanged. 1 to 255
   * characters. Default: `null`.
   */
  externalId: string | null;
  /** The id of a later step, or `end`. Null: the following step. 1 to 32 characters. Default: `null`. */
  next: string | null;
  /** The id of a later step, or `end`, if the step fails. Null: the run fails. 1 to 32 characters. Default: `null`. */
  otherwise: string | null;
}

/** A new phone call, exactly once. */
export interface WorkflowCreateCallStep {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Calls a number. */
  type: 'create_call';
  call: WorkflowCreatedCall;
  /** The id of a later step, or `end`. Null: the following step. 1 to 32 characters. Default: `null`. */
  next: string | null;
  /** The id of a later step, or `end`, if the step fails. Null: the run fails. 1 to 32 characters. Default: `null`. */
  otherwise: string | null;
}

/** The body of calls.create, of type `phone`, without `token`. May contain templates, such as `{{call.externalId}}`. */
export interface WorkflowCreatedCall {
  /** Always `phone`. */
  type: 'phone';
  /** The id of the agent. 1 to 1000 characters. */
  agentId: string;
  /** The version of the agent. Absent: the published one. A whole number: 1 or more. */
  agentVersion?: number | string;
  /** The step at which the conversation flow starts. 1 to 1000 characters. */
  startSkillId?: string;
  /** Values for `{{name}}` in prompts and texts. */
  variables?: Record<string, string | number | boolean | null> | string;
  /** Your own data. */
  metadata?: Record<string, unknown> | string;
  /** Your own reference. 1 to 255 characters. */
  externalId?: string | null;
  /** What is stored about the call. */
  dataStorageSetting?: 'everything' | 'everything_except_pii' | 'basic_attributes_only';
  /** When the number is dialed. Absent: at once. 1 to 1000 characters. */
  startAt?: string;
  /** Whether the call is queued if no slot is free. */
  queue?: boolean;
  /** How long the call may wait in the queue, in seconds. A whole number: 10 to 86400. */
  expiresInSeconds?: number;
  /** Whether the call is recorded. */
  recordingEnabled?: boolean;
  /** The id of the phone number to call from. 1 to 1000 characters. */
  fromPhoneNumberId: string;
  /** The number to dial, in E.164 format. 1 to 1000 characters. */
  to: string;
  /** How long the phone rings, in milliseconds. A whole number: 5000 to 120000. */
  ringTimeoutMs?: number;
}

/** A new workflow. */
export interface CreateWorkflow {
  /** The name. 1 to 255 characters. */
  name: string;
  /** A note for your own reference. Up to 1000 characters. Default: `null`. */
  description?: string | null | undefined;
  trigger: WorkflowTriggerInput;
  /** The steps, in their order. `next` and `otherwise` name later ones only. 1 to 30 items. */
  steps: (
    | WorkflowHttpRequestStepInput
    | WorkflowWaitStepInput
    | WorkflowConditionStepInput
    | WorkflowUpdateCallStepInput
    | WorkflowCreateCallStepInput
  )[];
  /** Ignored: a new workflow is disabled until it is updated. */
  enabled?: boolean | undefined;
}

/** What starts a run. */
export interface WorkflowTriggerInput {
  /** `call_analyzed` also after an analysis that was skipped or failed: filter on `analysis.status`. */
  event: 'call_ended' | 'call_analyzed';
  /** Only calls of these agents, up to 100. Empty: of all. Up to 100 items. Default: `[]`. */
  agentIds?: string[] | undefined;
  /**
   * Only calls that match. A condition `{"field", "op", "value"}`, or `{"all": […]}`, `{"any": […]}`, `{"not": …}` of
   * conditions, up to 50 conditions and 5 levels, as for calls.search. Operators: `eq`, `ne`, `in`, `lt`, `lte`, `gt`,
   * `gte`, `contains`, `startsWith`, `exists`. Fields: `type`, `direction`, `status`, `engine`, `endReason`, `endedBy`,
   * `dataStorageSetting`, `analysis.status`, `analysis.sentiment`, `analysis.successful`, `agentId`, `externalId`,
   * `phoneNumberId`, `batchId`, `from`, `to`, `agentVersion`, `durationMs`, `latency.e2eMs.p50`, `latency.e2eMs.p90`,
   * `latency.e2eMs.p95`, `latency.e2eMs.p99`, `usage.llm.totalTokens`, `usage.knowledge.empty`, `createdAt`,
   * `startedAt`, `endedAt`, and `analysis.data.`, `metadata.`, `variables.`, `collectedVariables.` followed by a key.
   * Null: all. Default: `null`.
   */
  filter?: unknown;
  /**
   * Whether every event starts a run, also that of a repeated analysis. Otherwise a call starts at most one. Default:
   * `false`.
   */
  onEveryAnalysis?: boolean | undefined;
  /** Whether calls on an unpublished version of the agent count, too. Default: `false`. */
  includeDrafts?: boolean | undefined;
}

/** A request to another system, at least once. */
export interface WorkflowHttpRequestStepInput {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Sends a request. */
  type: 'http_request';
  /** The HTTP method. Default: `'POST'`. */
  method?: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /**
   * The URL. May contain templates, such as `{{call.externalId}}`. Scheme, host and port must not. Path and query may
   * contain `{{secrets.NAME}}`. 1 to 2048 characters.
   */
  url: string;
  /**
   * Additional request headers. May contain templates, such as `{{call.externalId}}`. `{{secrets.NAME}}` is the value
   * of a secret of the workspace. Default: `{}`.
   */
  headers?: Record<string, string> | undefined;
  /**
   * The body, as JSON. May contain templates, such as `{{call.externalId}}`. A string that is exactly one template
   * keeps the type of its value. Null: none. Default: `null`.
   */
  body?: unknown;
  /**
   * In place of `body`: fields of a form, sent as application/x-www-form-urlencoded. May contain templates, such as
   * `{{call.externalId}}`. A field whose value is null is left out. Null: none. Default: `null`.
   */
  form?: Record<string, string | number | boolean> | null | undefined;
  /** The statuses of a success. Null: 200 to 299. 1 to 50 items. Default: `null`. */
  expect?: number[] | null | undefined;
  /** The timeout of an attempt, in milliseconds. A whole number: 1000 to 30000. Default: `15000`. */
  timeoutMs?: number | undefined;
  /** How often the request is sent until it succeeds. A whole number: 1 to 10. Default: `5`. */
  maxAttempts?: number | undefined;
  /** The id of a later step, or `end`. Null: the following step. 1 to 32 characters. Default: `null`. */
  next?: string | null | undefined;
  /** The id of a later step, or `end`, if the step fails. Null: the run fails. 1 to 32 characters. Default: `null`. */
  otherwise?: string | null | undefined;
}

/** A pause, with exactly one of `seconds`, `until` and `at`. */
export interface WorkflowWaitStepInput {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Waits. */
  type: 'wait';
  /** How long to wait, in seconds, up to 30 days. A whole number: 1 to 2592000. Default: `null`. */
  seconds?: number | null | undefined;
  /**
   * In place of `seconds`: a time, at most 30 days ahead. If it is past, the run goes on. May contain templates, such
   * as `{{call.externalId}}`. 1 to 1000 characters. Default: `null`.
   */
  until?: string | null | undefined;
  /**
   * In place of `seconds`: the next time that it is this time of day, as HH:MM. May contain templates, such as
   * `{{call.externalId}}`. 1 to 1000 characters. Default: `null`.
   */
  at?: string | null | undefined;
  /**
   * With `at`: the time zone, as an IANA name. Null: UTC. May contain templates, such as `{{call.externalId}}`. 1 to
   * 1000 characters. Default: `null`.
   */
  timeZone?: string | null | undefined;
  /** The id of a later step, or `end`. Null: the following step. 1 to 32 characters. Default: `null`. */
  next?: string | null | undefined;
  /** The id of a later step, or `end`, if the step fails. Null: the run fails. 1 to 32 characters. Default: `null`. */
  otherwise?: string | null | undefined;
}

/** A choice of the next step. */
export interface WorkflowConditionStepInput {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Chooses the next step. */
  type: 'condition';
  /** The first route whose filter matches is taken. Up to 20. 1 to 20 items. */
  routes: WorkflowConditionRouteInput[];
  /** The id of a later step, or `end`, if no route matches. 1 to 32 characters. */
  otherwise: string;
}

/** A step to go to if a filter matches. */
export interface WorkflowConditionRouteInput {
  /**
   * A condition `{"field", "op", "value"}`, or `{"all": […]}`, `{"any": […]}`, `{"not": …}` of conditions, up to 50
   * conditions and 5 levels, as for calls.search. Operators: `eq`, `ne`, `in`, `lt`, `lte`, `gt`, `gte`, `contains`,
   * `startsWith`, `exists`. Fields: `type`, `direction`, `status`, `engine`, `endReason`, `endedBy`,
   * `dataStorageSetting`, `analysis.status`, `analysis.sentiment`, `analysis.successful`, `agentId`, `externalId`,
   * `phoneNumberId`, `batchId`, `from`, `to`, `agentVersion`, `durationMs`, `latency.e2eMs.p50`, `latency.e2eMs.p90`,
   * `latency.e2eMs.p95`, `latency.e2eMs.p99`, `usage.llm.totalTokens`, `usage.knowledge.empty`, `createdAt`,
   * `startedAt`, `endedAt`, and `analysis.data.`, `metadata.`, `variables.`, `collectedVariables.` followed by a key.
   * Also `steps.<id>.status`, `steps.<id>.statusCode` and `steps.<id>.output.<path>` of a step that has run.
   */
  if: unknown;
  /** The id of a later step, or `end`. 1 to 32 characters. */
  next: string;
}

/** A change of the call, exactly once. */
export interface WorkflowUpdateCallStepInput {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Updates the call. */
  type: 'update_call';
  /**
   * Merged into the metadata of the call; null removes a key. May contain templates, such as `{{call.externalId}}`.
   * Default: `{}`.
   */
  metadata?: Record<string, unknown> | undefined;
  /**
   * The new `externalId` of the call. May contain templates, such as `{{call.externalId}}`. Null: unchanged. 1 to 255
   * characters. Default: `null`.
   */
  externalId?: string | null | undefined;
  /** The id of a later step, or `end`. Null: the following step. 1 to 32 characters. Default: `null`. */
  next?: string | null | undefined;
  /** The id of a later step, or `end`, if the step fails. Null: the run fails. 1 to 32 characters. Default: `null`. */
  otherwise?: string | null | undefined;
}

/** A new phone call, exactly once. */
export interface WorkflowCreateCallStepInput {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Calls a number. */
  type: 'create_call';
  call: WorkflowCreatedCallInput;
  /** The id of a later step, or `end`. Null: the following step. 1 to 32 characters. Default: `null`. */
  next?: string | null | undefined;
  /** The id of a later step, or `end`, if the step fails. Null: the run fails. 1 to 32 characters. Default: `null`. */
  otherwise?: string | null | undefined;
}

/** The body of calls.create, of type `phone`, without `token`. May contain templates, such as `{{call.externalId}}`. */
export interface WorkflowCreatedCallInput {
  /** Always `phone`. */
  type: 'phone';
  /** The id of the agent. 1 to 1000 characters. */
  agentId: string;
  /** The version of the agent. Absent: the published one. A whole number: 1 or more. */
  agentVersion?: number | string | undefined;
  /** The step at which the conversation flow starts. 1 to 1000 characters. */
  startSkillId?: string | undefined;
  /** Values for `{{name}}` in prompts and texts. */
  variables?: Record<string, string | number | boolean | null> | string | undefined;
  /** Your own data. */
  metadata?: Record<string, unknown> | string | undefined;
  /** Your own reference. 1 to 255 characters. */
  externalId?: string | null | undefined;
  /** What is stored about the call. */
  dataStorageSetting?: 'everything' | 'everything_except_pii' | 'basic_attributes_only' | undefined;
  /** When the number is dialed. Absent: at once. 1 to 1000 characters. */
  startAt?: string | undefined;
  /** Whether the call is queued if no slot is free. */
  queue?: boolean | undefined;
  /** How long the call may wait in the queue, in seconds. A whole number: 10 to 86400. */
  expiresInSeconds?: number | undefined;
  /** Whether the call is recorded. */
  recordingEnabled?: boolean | undefined;
  /** The id of the phone number to call from. 1 to 1000 characters. */
  fromPhoneNumberId: string;
  /** The number to dial, in E.164 format. 1 to 1000 characters. */
  to: string;
  /** How long the phone rings, in milliseconds. A whole number: 5000 to 120000. */
  ringTimeoutMs?: number | undefined;
}

/** The fields to change. `trigger` and `steps` are replaced as a whole. */
export interface UpdateWorkflow {
  /** The name. 1 to 255 characters. */
  name?: string | undefined;
  /** A note for your own reference. Up to 1000 characters. */
  description?: string | null | undefined;
  /** Whether events start runs. Enabling a workflow starts no run for earlier events. */
  enabled?: boolean | undefined;
  trigger?: WorkflowTriggerInput | undefined;
  /** The steps, in their order. `next` and `otherwise` name later ones only. 1 to 30 items. */
  steps?:
    | (
        | WorkflowHttpRequestStepInput
        | WorkflowWaitStepInput
        | WorkflowConditionStepInput
        | WorkflowUpdateCallStepInput
        | WorkflowCreateCallStepInput
      )[]
    | undefined;
}

/** Confirms the deletion. */
export interface DeletedWorkflow {
  /** The id of the workflow. Up to 64 characters. */
  id: string;
  /** Always true. */
  deleted: true;
}

/** One page of a list. */
export interface WorkflowVersionPage {
  /** The items of this page, newest first. */
  items: WorkflowVersion[];
  pagination: Pagination;
}

/** A version of a workflow. */
export interface WorkflowVersion {
  /**
   * Increases with each change of `trigger` or `steps`. A run keeps the version that it started with. A whole number: 1
   * or more.
   */
  version: number;
  trigger: WorkflowTrigger;
  /** The steps, in their order. `next` and `otherwise` name later ones only. 1 to 30 items. */
  steps: (
    | WorkflowHttpRequestStep
    | WorkflowWaitStep
    | WorkflowConditionStep
    | WorkflowUpdateCallStep
    | WorkflowCreateCallStep
  )[];
  /** When it was saved. A date and time as in ISO 8601. */
  createdAt: string;
  /** The API key that saved it. Up to 64 characters. */
  keyId: string;
}

/** What to test, and with which call. */
export interface TestWorkflow {
  /** A call that is over. 1 to 64 characters. */
  callId: string;
  /** The workflow to test. 1 to 64 characters. */
  workflowId?: string | undefined;
  /** A definition to test instead, which does not have to be saved. */
  definition?: WorkflowDefinition | undefined;
  /**
   * By the id of a step, the response to its request. Without one, the request is assumed to succeed with an empty
   * body. Default: `{}`.
   */
  mocks?: Record<string, WorkflowMockedResponse | WorkflowMockedFailure> | undefined;
}

/** A trigger, and the steps that follow. */
export interface WorkflowDefinition {
  trigger: WorkflowTriggerInput;
  /** The steps, in their order. `next` and `otherwise` name later ones only. 1 to 30 items. */
  steps: (
    | WorkflowHttpRequestStepInput
    | WorkflowWaitStepInput
    | WorkflowConditionStepInput
    | WorkflowUpdateCallStepInput
    | WorkflowCreateCallStepInput
  )[];
}

/** A response. */
export interface WorkflowMockedResponse {
  /** The status of the response. A whole number: 100 to 599. */
  statusCode: number;
  /** The body of the response. */
  body?: unknown;
}

/** A failure. */
export interface WorkflowMockedFailure {
  /** The code that the step fails with, such as `timeout`. 1 to 64 characters. */
  error: string;
}

/** What a workflow would do after a call. */
export interface WorkflowTest {
  /** Whether a run would start. */
  matched: boolean;
  /** The conditions of the trigger, one by one. */
  filter: WorkflowTestCondition[];
  /** All steps, in order, as if a run had started. */
  steps: WorkflowTestStep[];
  /** How the run would end. */
  end: 'succeeded' | 'failed';
}

/** A condition of the trigger, and what it finds in the call. */
export interface WorkflowTestCondition {
  /**
   * Where the condition is: its path in the filter, or `agentIds`, `includeDrafts` or `event`. Up to 256 characters.
   */
  path: string;
  /** The field of the call. Up to 1024 characters. */
  field: string;
  /** How it is compared. */
  op: 'eq' | 'ne' | 'in' | 'lt' | 'lte' | 'gt' | 'gte' | 'contains' | 'startsWith' | 'exists';
  /** The value in the condition. */
  expected: unknown;
  /** The value in the call. Null: it has none. */
  actual: unknown;
  /** Whether the condition holds. */
  result: boolean;
}

/** What a step would do. */
export interface WorkflowTestStep {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** Whether the run would come to this step. */
  reached: boolean;
  /**
   * What the step would do: the request that is sent, the changes of the call, the body of the new call, when a wait
   * ends, or which route is taken. Null: it is not reached, or cannot be rendered.
   */
  rendered: Record<string, unknown> | null;
  /** Whether its result is an assumption, because there is no mock. */
  assumed: boolean;
  /** Why the step would fail. Empty if it would not. */
  problems: WorkflowStepError[];
}

/** What went wrong in a step. */
export interface WorkflowStepError {
  /** Why the step failed, such as `http_error`, `template_error` or `destination_limit`. Up to 64 characters. */
  code: string;
  /** The same in words. Up to 1000 characters. */
  message: string;
}

/** Which runs to resume. */
export interface ResumeWorkflow {
  /** Runs that failed at this time or later. A date and time as in ISO 8601. */
  since: string;
  /** Runs that failed before this time. Absent: until now. A date and time as in ISO 8601. */
  until?: string | undefined;
}

/** How many runs continue. */
export interface ResumedRuns {
  /** The number of runs that continue. A whole number: 0 or more. */
  matched: number;
}

/** The call of a new run. */
export interface CreateWorkflowRun {
  /** The call. 1 to 64 characters. */
  callId: string;
}

/** One run of a workflow, with everything that it has done. */
export interface WorkflowRun {
  /** The id of the run. Up to 64 characters. */
  id: string;
  /** The id of the workflow. Up to 64 characters. */
  workflowId: string;
  /**
   * Increases with each change of `trigger` or `steps`. A run keeps the version that it started with. A whole number: 1
   * or more.
   */
  workflowVersion: number;
  /** The call that it is about. Up to 64 characters. */
  callId: string;
  /** The event that started it. Null: it was started by workflows.runs.create. Up to 64 characters. */
  eventId: string | null;
  /** `waiting` during a wait, and until the next attempt. Final: the last four. */
  status: 'pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'skipped';
  /**
   * failed: the code of the step’s error, or `timeout` after 45 days. canceled: `by_user`, `workflow_deleted` or
   * `content_removed`. skipped: `loop` or `limit_reached`. Up to 64 characters.
   */
  reason: string | null;
  /** What started it. */
  trigger: 'event' | 'manual';
  /** 1, or one more than the run that created its call. A run at depth 4 is skipped. A whole number: 1 or more. */
  depth: number;
  /** All steps of its version, in order. */
  steps: WorkflowRunStep[];
  /** When it was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When its first step started. A date and time as in ISO 8601. */
  startedAt: string | null;
  /** When it ended. A date and time as in ISO 8601. */
  completedAt: string | null;
}

/** A step of a run. */
export interface WorkflowRunStep {
  /** The id of the step in its workflow. Up to 32 characters. */
  id: string;
  /** The type of the step. */
  type: 'http_request' | 'wait' | 'condition' | 'update_call' | 'create_call';
  /**
   * `pending` until it starts, `waiting` for its time or its next attempt; `not_reached` if the run took another way or
   * has ended before it.
   */
  status: 'pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'not_reached';
  /** What an `http_request` sends. Null: nothing yet, or it is not kept. */
  request: WorkflowRequest | null;
  /** The attempts, oldest first. */
  attempts: WorkflowAttempt[];
  /** How many attempts have started. Attempts of a process that was lost are not listed. A whole number: 0 or more. */
  attemptCount: number;
  /** While waiting: when the next attempt is due, or the wait ends. A date and time as in ISO 8601. */
  nextAttemptAt: string | null;
  /** What later steps can use: `statusCode` and `body`, `resumedAt`, `matched` or `callId`, by type. Null: none yet. */
  output: Record<string, unknown> | null;
  /** Why it failed; while waiting, why the last attempt did. Null otherwise. */
  error: WorkflowStepError | null;
  /** When it started. A date and time as in ISO 8601. */
  startedAt: string | null;
  /** When it ended. A date and time as in ISO 8601. */
  completedAt: string | null;
}

/** A request as it was rendered, the same in every attempt. Secrets are named, not shown. */
export interface WorkflowRequest {
  /** The method. Up to 10 characters. */
  method: string;
  /** The URL. Up to 16384 characters. */
  url: string;
  /** The headers. */
  headers: Record<string, string>;
  /** The text that is sent. Null: none. */
  body: string | null;
}

/** One attempt to send the request of a step. */
export interface WorkflowAttempt {
  /** The number of the attempt, starting at 1. A whole number: 1 or more. */
  number: number;
  /** When it started. A date and time as in ISO 8601. */
  startedAt: string;
  /** How long it took, in milliseconds. A whole number: 0 or more. */
  durationMs: number;
  /** The URL that it was sent to. Null: the content of the call was removed. Up to 16384 characters. */
  url: string | null;
  /** `succeeded` if the status of the response was expected; otherwise what went wrong. */
  outcome:
    | 'succeeded'
    | 'http_error'
    | 'timeout'
    | 'connection_failed'
    | 'tls_failed'
    | 'address_not_allowed'
    | 'redirect'
    | 'response_too_large';
  /** The status of the response. Null: there was none. A whole number: 100 to 999. */
  statusCode: number | null;
  /** The first 4 KiB of the response, as text. Null: there was none. Up to 4096 characters. */
  responseBody: string | null;
  /** What went wrong, in words. Null on success. Up to 500 characters. */
  errorMessage: string | null;
}

/** One page of a list. */
export interface WorkflowRunPage {
  /** The items of this page, newest first. */
  items: WorkflowRun[];
  pagination: Pagination;
}

/** A tool that the agent can use in a call. */
export interface AgentTool {
  /** The name that the model and the flow use to call the tool. Up to 64 characters. */
  name: string;
  /** What the tool does and when to use it, for the model. 1 to 1000 characters. */
  description: string;
  /** The arguments, as a JSON Schema of type `object`. */
  parameters: Record<string, unknown>;
  /**
   * The URL to call. `{name}` in its path or query is replaced by the argument with this name, percent-encoded. 1 to
   * 2048 characters.
   */
  url?: string | undefined;
  /**
   * The HTTP method. GET and DELETE have no body: the arguments that the URL does not name are added to its query.
   * Default: `'POST'`.
   */
  method?: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE' | undefined;
  /** The timeout of the tool, in milliseconds. A whole number: 500 to 30000. Default: `10000`. */
  timeoutMs?: number | undefined;
  /** What the agent says while the tool runs: a sentence, or a list to rotate through. 1 to 2000 characters. */
  say?: string | string[] | undefined;
  /** Additional request headers. A value can contain `{{secrets.NAME}}`, the value of a secret of the workspace. */
  headers?: Record<string, string> | undefined;
  /** Where the tool runs: on your server, or in the page of a web call. Default: `'server'`. */
  where?: 'server' | 'client' | undefined;
  /** The result in calls of a draft that were created with `toolResults` `example`: any JSON. */
  example?: unknown;
}

/** A step of a flow, by its `type`. */
export type FlowSkill =
  | {
      id: string;
      type: 'say';
      /** 1 to 2000 characters. */
      text: string;
      /** 1 to 64 characters. */
      next: string;
      interruptible?: boolean | undefined;
    }
  | {
      id: string;
      type: 'ask';
      /** 1 to 2000 characters. */
      text: string;
      variable: string;
      as: 'text' | 'yes_no' | 'number' | 'digits' | 'date' | 'time' | 'phone' | 'email' | 'postal_code' | 'choice';
      /** 1 to 50 items. */
      options?:
        | {
            /** 1 to 255 characters. */
            value: string;
            /** 1 to 100 items. */
            say: string[];
          }[]
        | undefined;
      /** 2 to 2 items. */
      within?: [string, string] | undefined;
      /** 1 to 64 characters. */
      next: string;
      retry?:
        | {
            /** 1 to 2000 characters. */
            text?: string | undefined;
            /** A whole number: 0 to 5. */
            max?: number | undefined;
          }
        | undefined;
      confirm?: boolean | undefined;
      /** 1 to 64 characters. */
      otherwise: string;
    }
  | {
      id: string;
      type: 'choose';
      /** 1 to 2000 characters. */
      text: string;
      /** 1 to 50 items. */
      routes: {
        /** 1 to 100 items. */
        when: string[];
        /** 1 to 64 characters. */
        next: string;
      }[];
      by?: 'words' | 'model' | undefined;
      retry?:
        | {
            /** 1 to 2000 characters. */
            text?: string | undefined;
            /** A whole number: 0 to 5. */
            max?: number | undefined;
          }
        | undefined;
      /** 1 to 64 characters. */
      otherwise: string;
    }
  | {
      id: string;
      type: 'branch';
      /** 1 to 50 items. */
      routes: {
        if: unknown;
        /** 1 to 64 characters. */
        next: string;
      }[];
      /** 1 to 64 characters. */
      otherwise: string;
    }
  | {
      id: string;
      type: 'set';
      variables: Record<string, string | number | boolean | null>;
      /** 1 to 64 characters. */
      next: string;
    }
  | {
      id: string;
      type: 'tool';
      /** 1 to 64 characters. */
      tool: string;
      arguments: Record<string, unknown>;
      /** 1 to 2000 characters. */
      say?: string | undefined;
      /** 1 to 64 characters. */
      next: string;
      /** 1 to 64 characters. */
      otherwise: string;
    }
  | {
      id: string;
      type: 'transfer';
      /** 1 to 64 characters. */
      transfer: string;
      /** 1 to 2000 characters. */
      text?: string | undefined;
      /** 1 to 64 characters. */
      otherwise: string;
    }
  | {
      id: string;
      type: 'prompt';
      /** 1 to 200000 characters. */
      prompt: string;
      /** Up to 50 items. */
      routes?:
        | {
            name: string;
            /** 1 to 2000 characters. */
            description: string;
            /** 1 to 64 characters. */
            next: string;
          }[]
        | undefined;
      /** A whole number: 1 to 1000. */
      maxTurns?: number | undefined;
      /** 1 to 64 characters. */
      next?: string | undefined;
    }
  | {
      id: string;
      type: 'answer';
      /** 1 to 2000 characters. */
      text?: string | undefined;
      /** Range: 0 to 1. */
      minScore?: number | undefined;
      /** 1 to 64 characters. */
      next: string;
      /** 1 to 64 characters. */
      otherwise: string;
    }
  | {
      id: string;
      type: 'end';
      /** 1 to 2000 characters. */
      text?: string | undefined;
    };

/** Words that lead to a skill, or repeat the question, at any point of a flow. */
export interface FlowAnytimeRoute {
  /** 1 to 100 items. */
  when: string[];
  /** 1 to 64 characters. */
  next?: string | undefined;
  repeat?: true | undefined;
}

/** The flow of an agent of the type `conversation_flow`: see docs/flows.md. */
export interface AgentFlow {
  /** 1 to 200 items. */
  skills: FlowSkill[];
  layout?:
    | Record<
        string,
        {
          /** Range: -50000 to 50000. */
          x: number;
          /** Range: -50000 to 50000. */
          y: number;
        }
      >
    | undefined;
  /** Up to 50 items. */
  anytime?: FlowAnytimeRoute[] | undefined;
  /** 1 to 64 characters. */
  timeZone?: string | undefined;
}

/**
 * Settings of an agent. These keys are read by the service and checked when the agent is published or called; until
 * then, a draft may hold anything. All other keys are your own.
 */
export interface AgentSettings {
  /** The tools that the agent can use in a call. Up to 20 items. */
  tools?: AgentTool[] | undefined;
  /** Call settings. */
  calls?:
    | {
        /** Whether voice calls are recorded. Default: `false`. */
        recordingEnabled?: boolean | undefined;
        /**
         * How long a reply may take, in milliseconds, before the call reports it. Absent: no limit. A whole number: 100 to
         * 60000.
         */
        latencyBudgetMs?: number | undefined;
        /** How long calls are kept, in days. Absent: until they are deleted. A whole number: 1 to 730. */
        retentionDays?: number | undefined;
      }
    | undefined;
  /** Parameters of the language model. Only those that are set are sent to its provider. */
  llm?:
    | {
        /** How much replies vary. Range: 0 to 2. */
        temperature?: number | undefined;
        /** The longest reply, in tokens. A whole number: 1 to 4096. */
        maxTokens?: number | undefined;
        /** The reasoning effort, as a value that the provider accepts. 1 to 32 characters. */
        reasoningEffort?: string | undefined;
        /** Models to use, in this order, if the model fails or does not begin to reply in time. Up to 3 items. */
        fallbackModels?: string[] | undefined;
      }
    | undefined;
  /** The time zone of the call, as an IANA name. Absent: Asia/Tokyo for Japanese, otherwise UTC. 1 to 64 characters. */
  timeZone?: string | undefined;
  /** Settings for the analysis after a call. */
  analysis?:
    | {
        /** Whether calls are analyzed. Default: `true`. */
        enabled?: boolean | undefined;
        /** Instructions for the summary, instead of the default ones. Up to 10000 characters. */
        summaryPrompt?: string | undefined;
        /** What counts as a success, instead of the default instructions. Up to 10000 characters. */
        successPrompt?: string | undefined;
        /** The language of the summary. Absent: the language of the agent. 1 to 64 characters. */
        language?: string | undefined;
      }
    | undefined;
  /** Settings for phone calls. */
  phone?:
    | {
        /** What to do if a voicemail answers an outbound call. Absent: nothing is detected. */
        voicemail?:
          | {
              /**
               * How a voicemail is detected: by what is heard, also by the carrier (which may charge for it), or not at all.
               * Default: `'audio'`.
               */
              detect?: 'audio' | 'carrier' | 'off' | undefined;
              /**
               * What the agent does: hang up, leave `message` after the tone, or go on as with a person. Default: `'hangup'`.
               */
              action?: 'hangup' | 'message' | 'continue' | undefined;
              /** What the agent leaves. May contain `{{variables}}`. 1 to 2000 characters. */
              message?: string | undefined;
            }
          | undefined;
        /** The numbers that calls can be transferred to. Up to 20 items. */
        transfers?:
          | {
              /** The name that the model, the flow and the API use. A model never names a number. 1 to 64 characters. */
              name: string;
              /** Who answers there, and when to transfer a call, for the model. 1 to 1000 characters. */
              description: string;
              /** The number to dial, in E.164 format. Up to 16 characters. */
              to: string;
              /**
               * `cold`: the caller is connected at once. `warm`: they wait until the person has heard `brief` and accepts.
               * Default: `'cold'`.
               */
              mode?: 'cold' | 'warm' | undefined;
              /** `warm`: what the person who answers hears first. May contain `{{variables}}`. 1 to 2000 characters. */
              brief?: string | undefined;
              /** Keys to press once it is answered; `w` is a pause of 500 ms. */
              extension?: string | undefined;
              /** How long it rings, in milliseconds. A whole number: 5000 to 120000. Default: `25000`. */
              ringTimeoutMs?: number | undefined;
              /** Whether the person sees the number of the caller instead of yours. Default: `false`. */
              showCaller?: boolean | undefined;
            }[]
          | undefined;
        /** Said first if the call is recorded. It cannot be interrupted. 1 to 2000 characters. */
        recordingNotice?: string | undefined;
        /** Whether a person can ask the agent not to be called again (tool `do_not_call_again`). Default: `true`. */
        optOut?: boolean | undefined;
      }
    | undefined;
  /** The knowledge of the agent. */
  knowledge?:
    | {
        /** The knowledge bases in which the agent looks things up. 1 to 10 items. */
        bases: {
          /** The id of a knowledge base of the workspace. 1 to 64 characters. */
          id: string;
        }[];
        /**
         * `auto`: the bases are searched before every reply to the caller. `prompt`: the model gets everything, up to
         * 50,000 characters. Default: `'auto'`.
         */
        mode?: 'auto' | 'prompt' | undefined;
        /** How many passages the model gets at most. A whole number: 1 to 20. Default: `5`. */
        limit?: number | undefined;
        /** How many characters of passages the model gets at most. A whole number: 500 to 20000. Default: `4000`. */
        maxCharacters?: number | undefined;
        /** A passage counts if its lexical score is at least this. Range: 0 to 1. Default: `0.04`. */
        minScore?: number | undefined;
        /**
         * A passage also counts if its semantic score is at least this. Depends on the embeddings model. Range: 0 to 1.
         * Default: `0.4`.
         */
        minSemanticScore?: number | undefined;
        /** How long a reply waits for the semantic search, in milliseconds. A whole number: 0 to 1000. Default: `100`. */
        waitMs?: number | undefined;
      }
    | undefined;
  flow?: AgentFlow | undefined;
  [name: string]: unknown;
}

/** List agents: what to look for. */
export interface ListAgentsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /**
   * Return only agents whose name contains this text, or whose id equals it. Case and character width are ignored:
   * ｶﾌﾞｼｷ matches カブシキ. There are no wildcards. 1 to 500 characters.
   */
  q?: string | undefined;
}

/** Check an agent: what to look for. */
export interface CheckAgentQuery {
  /** The version to check: a number, `latest` or `published`. 1 to 20 characters. Default: `'latest'`. */
  version?: string | undefined;
}

/** List the versions of an agent: what to look for. */
export interface ListAgentVersionsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
}

/** Compare two versions of an agent: what to look for. */
export interface DiffAgentQuery {
  /** The version to compare from: a number, `latest` or `published`. 1 to 20 characters. */
  from: string;
  /** The version to compare to: a number, `latest` or `published`. 1 to 20 characters. Default: `'latest'`. */
  to?: string | undefined;
}

/** List the states of agents: what to look for. */
export interface ListAgentStatesQuery {
  /** The ids of the agents, up to 200, separated by commas. 1 to 200 items. */
  agentId: string[];
}

/** List API keys: what to look for. */
export interface ListApiKeysQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
}

/** Read the audit trail: what to look for. */
export interface ListAuditLogQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /** Return only changes to this resource. 1 to 64 characters. */
  resourceId?: string | undefined;
  /** Return only changes made with this API key, or `none` for changes made on the command line. 1 to 64 characters. */
  keyId?: string | undefined;
  /** Return only these operations, up to 10. 1 to 10 items. */
  routeId?: string[] | undefined;
  /** Return only changes made at this time or later. A date and time as in ISO 8601. */
  createdAfter?: string | undefined;
  /** Return only changes made before this time. A date and time as in ISO 8601. */
  createdBefore?: string | undefined;
}

/** Get traffic statistics: what to look for. */
export interface GetFigureQuery {
  /** The last hour in 1-minute intervals, or the last day in 10-minute intervals. Default: `'hour'`. */
  period?: 'hour' | 'day' | undefined;
}

/** List calls: what to look for. */
export interface ListCallsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /** Only calls of these agents, up to 10. 1 to 10 items. */
  agentId?: string[] | undefined;
  /** Only calls with these versions of their agents. 1 to 10 items. */
  agentVersion?: number[] | undefined;
  /** Only calls of these types. 1 to 10 items. */
  type?: ('web' | 'phone' | 'chat')[] | undefined;
  /** Only calls in these directions. 1 to 10 items. */
  direction?: ('inbound' | 'outbound')[] | undefined;
  /** Only calls with these statuses. 1 to 10 items. */
  status?: ('queued' | 'registered' | 'ringing' | 'ongoing' | 'ended' | 'not_connected' | 'error')[] | undefined;
  /** Only calls that ended for these reasons. 1 to 10 items. */
  endReason?:
    | (
        | 'caller_hangup'
        | 'agent_hangup'
        | 'api_end'
        | 'silence_timeout'
        | 'max_duration'
        | 'caller_disconnected'
        | 'voicemail'
        | 'transferred'
        | 'not_joined'
        | 'canceled'
        | 'expired'
        | 'concurrency_limit'
        | 'dial_busy'
        | 'dial_no_answer'
        | 'dial_declined'
        | 'dial_failed'
        | 'invalid_destination'
        | 'destination_not_allowed'
        | 'rejected'
        | 'llm_connect_failed'
        | 'llm_failed'
        | 'stt_failed'
        | 'tts_failed'
        | 'media_failed'
        | 'server_restart'
        | 'internal_error'
        | 'carrier_failed'
      )[]
    | undefined;
  /** Only calls whose analysis found one of these sentiments. 1 to 10 items. */
  sentiment?: ('positive' | 'neutral' | 'negative' | 'mixed')[] | undefined;
  /** Only calls with this reference. Commas are part of the value. 1 to 255 characters. */
  externalId?: string | undefined;
  /** Only phone calls of these phone numbers. 1 to 10 items. */
  phoneNumberId?: string[] | undefined;
  /** Only calls of these batches. 1 to 10 items. */
  batchId?: string[] | undefined;
  /** Only calls from this number, as it is stored. In a URL, `+` is `%2B`. 1 to 64 characters. */
  from?: string | undefined;
  /** Only calls to this number, as it is stored. In a URL, `+` is `%2B`. 1 to 64 characters. */
  to?: string | undefined;
  /** Only calls that were successful according to their analysis (`true`), or that were not (`false`). */
  successful?: boolean | undefined;
  /** Only calls created at this time or later. A date and time as in ISO 8601. */
  createdAfter?: string | undefined;
  /** Only calls created before this time. A date and time as in ISO 8601. */
  createdBefore?: string | undefined;
}

/** List the events of a call: what to look for. */
export interface ListCallEventsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /**
   * How many seconds to wait if there is nothing to return yet. The page can still be empty. A whole number: 0 to 25.
   * Default: `0`.
   */
  waitSeconds?: number | undefined;
}

/** List voices: what to look for. */
export interface ListVoicesQuery {
  /** Only voices of this provider. 1 to 64 characters. */
  provider?: string | undefined;
  /** Only voices that speak this language, as a BCP 47 tag. The region is ignored. 1 to 64 characters. */
  language?: string | undefined;
}

/** List the analyses of a call: what to look for. */
export interface ListCallAnalysisQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
}

/** List webhooks: what to look for. */
export interface ListWebhooksQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /** Return only webhooks of this kind. */
  kind?: 'workspace' | 'agent' | undefined;
  /** Return only the webhook of this agent. 1 to 64 characters. */
  agentId?: string | undefined;
  /** Return only webhooks with this status. */
  status?: 'active' | 'paused' | 'disabled' | undefined;
}

/** List the deliveries of a webhook: what to look for. */
export interface ListWebhookDeliveriesQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /** Only deliveries with these statuses. 1 to 10 items. */
  status?: ('pending' | 'succeeded' | 'failed' | 'skipped')[] | undefined;
  /** Only deliveries of these event types. 1 to 10 items. */
  eventType?:
    | (
        | 'call_started'
        | 'call_ended'
        | 'call_analyzed'
        | 'call_deleted'
        | 'agent_published'
        | 'carrier_status_changed'
        | 'document_ready'
        | 'document_failed'
        | 'alert_firing'
        | 'alert_resolved'
        | 'workflow_run_failed'
        | 'workflow_disabled'
        | 'webhook_disabled'
        | 'webhook_test'
      )[]
    | undefined;
  /** Only deliveries with these triggers. 1 to 10 items. */
  trigger?: ('event' | 'resend' | 'replay' | 'test')[] | undefined;
  /** Only deliveries created at this time or later. A date and time as in ISO 8601. */
  createdAfter?: string | undefined;
  /** Only deliveries created before this time. A date and time as in ISO 8601. */
  createdBefore?: string | undefined;
}

/** List events: what to look for. */
export interface ListEventsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /**
   * How many seconds to wait if there is nothing to return yet. The page can still be empty. A whole number: 0 to 25.
   * Default: `0`.
   */
  waitSeconds?: number | undefined;
  /** Only events of these types. 1 to 10 items. */
  type?:
    | (
        | 'call_started'
        | 'call_ended'
        | 'call_analyzed'
        | 'call_deleted'
        | 'agent_published'
        | 'carrier_status_changed'
        | 'document_ready'
        | 'document_failed'
        | 'alert_firing'
        | 'alert_resolved'
        | 'workflow_run_failed'
        | 'workflow_disabled'
        | 'webhook_disabled'
        | 'webhook_test'
      )[]
    | undefined;
  /** Only events of this call, agent or webhook. 1 to 64 characters. */
  subjectId?: string | undefined;
  /** Only events at this time or later. A date and time as in ISO 8601. */
  createdAfter?: string | undefined;
  /** Only events before this time. The list then ends, in either order. A date and time as in ISO 8601. */
  createdBefore?: string | undefined;
  /** `desc`: newest first. `asc`: oldest first, to follow events. Default: `'desc'`. */
  order?: 'desc' | 'asc' | undefined;
}

/** List carriers: what to look for. */
export interface ListCarriersQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /** Return only carriers of this provider. */
  provider?: 'test' | 'twilio' | undefined;
  /** Return only carriers with this status. */
  status?: 'unverified' | 'active' | 'failing' | undefined;
  /**
   * Return only carriers whose name contains this text, or whose id equals it. Case is ignored. 1 to 255 characters.
   */
  q?: string | undefined;
}

/** List phone numbers: what to look for. */
export interface ListPhoneNumbersQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /** Return only numbers of this carrier. 1 to 64 characters. */
  carrierId?: string | undefined;
  /** Return only numbers of carriers of this provider. */
  provider?: 'test' | 'twilio' | undefined;
  /** Return only numbers with this status. */
  status?: 'verifying' | 'active' | 'partial' | 'failed' | undefined;
  /** Return only numbers that this agent answers. 1 to 64 characters. */
  agentId?: string | undefined;
  /**
   * Return only numbers whose name or digits contain this text, or whose id equals it. Case is ignored. 1 to 255
   * characters.
   */
  q?: string | undefined;
}

/** List numbers that must not be called: what to look for. */
export interface ListDoNotCallQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /** Return only numbers that start with this text. 1 to 16 characters. */
  q?: string | undefined;
}

/** List knowledge bases: what to look for. */
export interface ListKnowledgeBasesQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /**
   * Return only knowledge bases whose name contains this text, or whose id equals it. Case and character width are
   * ignored. 1 to 500 characters.
   */
  q?: string | undefined;
}

/** List documents: what to look for. */
export interface ListDocumentsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /**
   * Return only documents whose name contains this text, or whose id equals it. Case and character width are ignored. 1
   * to 500 characters.
   */
  q?: string | undefined;
  /** Return only documents with one of these statuses. 1 to 10 items. */
  status?: ('uploading' | 'queued' | 'fetching' | 'extracting' | 'indexing' | 'ready' | 'failed')[] | undefined;
  /** Return only documents of one of these types. 1 to 10 items. */
  type?: ('text' | 'file' | 'url')[] | undefined;
}

/** List the chunks of a document: what to look for. */
export interface ListDocumentChunksQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
}

/** List views: what to look for. */
export interface ListAnalyticViewsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
}

/** List alerts: what to look for. */
export interface ListAnalyticAlertsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
}

/** List workflows: what to look for. */
export interface ListWorkflowsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /** Only workflows that are enabled, or only those that are not. */
  enabled?: boolean | undefined;
  /** Only workflows that calls of this agent can start, including those of all agents. 1 to 64 characters. */
  agentId?: string | undefined;
}

/** List the versions of a workflow: what to look for. */
export interface ListWorkflowVersionsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
}

/** List runs of workflows: what to look for. */
export interface ListWorkflowRunsQuery {
  /**
   * The maximum number of items per page. A page can have fewer: it is limited to 8 MiB of items, and `nextCursor`
   * continues the list. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * The `pagination.nextCursor` of the previous page. It is opaque and includes the search it belongs to. 1 to 4096
   * characters.
   */
  cursor?: string | undefined;
  /** Only runs of this workflow. 1 to 64 characters. */
  workflowId?: string | undefined;
  /** Only runs about this call. 1 to 64 characters. */
  callId?: string | undefined;
  /** Only runs with these statuses. 1 to 10 items. */
  status?: ('pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled' | 'skipped')[] | undefined;
  /** Only runs created at this time or later. A date and time as in ISO 8601. */
  createdAfter?: string | undefined;
  /** Only runs created before this time. A date and time as in ISO 8601. */
  createdBefore?: string | undefined;
}

/** Changes to `agentSettings`: objects are merged, lists replaced, and null removes a key. */
export type AgentSettingsPatch = MergePatch<AgentSettings> | null;
