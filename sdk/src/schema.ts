// Generated from openapi.json by "npm run generate": do not edit.

/** The body of every error response. */
export interface ErrorBody {
  /** The error. */
  error: {
    /** A machine-readable error code. New codes may be added. */
    code: string;
    /** A human-readable message. The wording may change. */
    message: string;
    /**
     * Additional information, depending on the code. VALIDATION_ERROR and UNPROCESSABLE_CONTENT: `fieldErrors` maps
     * each field or parameter to its messages, and `formErrors` lists problems with the request as a whole.
     * SCOPE_INSUFFICIENT: `requiredScope` and `routeId`. VERSION_CONFLICT: `currentEtag`.
     */
    details?: unknown;
    /** The id of the request, as in the `X-Request-Id` header and in the log. */
    requestId?: string;
  };
}

/** One page of a list. */
export interface AgentPage {
  /** The items of this page, newest first. */
  items: Agent[];
  /** Pagination. */
  pagination: {
    /** Send it as `cursor` to get the next page. Null on the last page. Up to 4096 characters. */
    nextCursor: string | null;
  };
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
  /** How the responses of the agent are generated. */
  responseEngine: {
    /**
     * How responses are generated: by a single prompt, by a flow of conversation steps, or by your own model behind a
     * WebSocket.
     */
    type: 'single_prompt' | 'conversation_flow' | 'custom_llm';
    /** The instructions for the model. Up to 200000 characters. */
    prompt?: string;
    /** The language model. Up to 255 characters. */
    model?: string;
    /**
     * The WebSocket URL of the model of a `custom_llm` agent, starting with `ws://` or `wss://`. 1 to 2048 characters.
     */
    llmWebsocketUrl?: string;
  };
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
  /** How the agent adapts its speaking rate to the caller. */
  adaptiveSpeechRate?: {
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
  };
  /**
   * Pronunciation rules, applied in order. At most 100 of them may be regular expressions, which together must compile
   * within a tenth of a second. Up to 1000 items.
   */
  pronunciationDictionary?: {
    /** The text to replace. 1 to 1000 characters. */
    find: string;
    /** The text to speak instead. Up to 1000 characters. */
    replace: string;
    /** Whether `find` is a regular expression (RE2 syntax) instead of plain text. */
    isRegex?: boolean;
  }[];
  /** The values to extract from a call after it has ended. Up to 200 items. */
  postCallAnalysisData: {
    /** The name of the result. 1 to 255 characters. */
    name: string;
    /** The type of the result. */
    type: 'string' | 'enum' | 'boolean' | 'number';
    /** What the model should extract. Up to 10000 characters. */
    description: string;
    /** The allowed values, for type `enum`. Up to 1000 items. */
    options?: string[];
  }[];
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
  /** Variables of the flow, in any structure. Up to 10000 items. */
  agentVariables?: unknown[];
  /** Additional settings, in any structure. */
  agentSettings?: unknown;
  /** When the agent was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the agent was last updated. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** A new agent. Only `name` and `voiceId` are required. */
export interface CreateAgent {
  /** The display name of the agent. It does not have to be unique. 1 to 255 characters. */
  name: string;
  /** The id of the voice, as assigned by its provider. 1 to 255 characters. */
  voiceId: string;
  /**
   * How responses are generated: by a single prompt, by a flow of conversation steps, or by your own model behind a
   * WebSocket. Default: `'conversation_flow'`.
   */
  responseEngineType?: 'single_prompt' | 'conversation_flow' | 'custom_llm' | undefined;
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
  /** How the agent adapts its speaking rate to the caller. */
  adaptiveSpeechRate?:
    | {
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
    | undefined;
  /**
   * An alternative to `responseEngineType`, `prompt` and `llmModel`, with the same structure as in the agent, and the
   * only way to set `llmWebsocketUrl`. If you send both, they must agree.
   */
  responseEngine?:
    | {
        /**
         * How responses are generated: by a single prompt, by a flow of conversation steps, or by your own model behind a
         * WebSocket.
         */
        type?: 'single_prompt' | 'conversation_flow' | 'custom_llm' | undefined;
        /** The instructions for the model. Up to 200000 characters. */
        prompt?: string | undefined;
        /** The language model. Up to 255 characters. */
        model?: string | undefined;
        /**
         * The WebSocket URL of the model of a `custom_llm` agent, starting with `ws://` or `wss://`. 1 to 2048 characters.
         */
        llmWebsocketUrl?: string | undefined;
      }
    | undefined;
  /**
   * Pronunciation rules, applied in order. At most 100 of them may be regular expressions, which together must compile
   * within a tenth of a second. Up to 1000 items.
   */
  pronunciationDictionary?:
    | {
        /** The text to replace. 1 to 1000 characters. */
        find: string;
        /** The text to speak instead. Up to 1000 characters. */
        replace: string;
        /** Whether `find` is a regular expression (RE2 syntax) instead of plain text. */
        isRegex?: boolean | undefined;
      }[]
    | undefined;
  /** The values to extract from a call after it has ended. Up to 200 items. Default: `[]`. */
  postCallAnalysisData?:
    | {
        /** The name of the result. 1 to 255 characters. */
        name: string;
        /** The type of the result. */
        type: 'string' | 'enum' | 'boolean' | 'number';
        /** What the model should extract. Up to 10000 characters. */
        description: string;
        /** The allowed values, for type `enum`. Up to 1000 items. */
        options?: string[] | undefined;
      }[]
    | undefined;
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
  /** Variables of the flow, in any structure. Up to 10000 items. */
  agentVariables?: unknown[] | undefined;
  /** Additional settings, in any structure. */
  agentSettings?: unknown;
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
  responseEngine?:
    | {
        /**
         * How responses are generated: by a single prompt, by a flow of conversation steps, or by your own model behind a
         * WebSocket.
         */
        type?: 'single_prompt' | 'conversation_flow' | 'custom_llm' | undefined;
        /** The instructions for the model. Up to 200000 characters. */
        prompt?: string | null | undefined;
        /** The language model. Up to 255 characters. */
        model?: string | null | undefined;
        /**
         * The WebSocket URL of the model of a `custom_llm` agent, starting with `ws://` or `wss://`. 1 to 2048 characters.
         */
        llmWebsocketUrl?: string | null | undefined;
      }
    | undefined;
  /** How the agent adapts its speaking rate to the caller. Merged into the current value; null removes it. */
  adaptiveSpeechRate?:
    | {
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
    | null
    | undefined;
  /**
   * Pronunciation rules, applied in order. At most 100 of them may be regular expressions, which together must compile
   * within a tenth of a second. Up to 1000 items.
   */
  pronunciationDictionary?:
    | {
        /** The text to replace. 1 to 1000 characters. */
        find: string;
        /** The text to speak instead. Up to 1000 characters. */
        replace: string;
        /** Whether `find` is a regular expression (RE2 syntax) instead of plain text. */
        isRegex?: boolean | undefined;
      }[]
    | null
    | undefined;
  /** The values to extract from a call after it has ended. Up to 200 items. */
  postCallAnalysisData?:
    | {
        /** The name of the result. 1 to 255 characters. */
        name: string;
        /** The type of the result. */
        type: 'string' | 'enum' | 'boolean' | 'number';
        /** What the model should extract. Up to 10000 characters. */
        description: string;
        /** The allowed values, for type `enum`. Up to 1000 items. */
        options?: string[] | undefined;
      }[]
    | undefined;
  /** The step at which the conversation flow starts. 1 to 255 characters. */
  startSkillId?: string | null | undefined;
  /** Instructions that apply to every step of the conversation flow. Up to 200000 characters. */
  agentGlobalPrompt?: string | null | undefined;
  /** Variables of the flow, in any structure. Up to 10000 items. */
  agentVariables?: unknown[] | null | undefined;
  /** Additional settings, in any structure. */
  agentSettings?: unknown;
  /** Not supported in updates: use `responseEngine.type` instead. Sending it is an error. */
  responseEngineType?: never | undefined;
  /** Not supported in updates: use `responseEngine.prompt` instead. Sending it is an error. */
  prompt?: never | undefined;
  /** Not supported in updates: use `responseEngine.model` instead. Sending it is an error. */
  llmModel?: never | undefined;
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
  /** The place inside the field, with dots; empty if it is about the field as a whole. Up to 300 characters. */
  path: string;
  /** What is wrong, for people. The wording may change. Up to 1000 characters. */
  message: string;
}

/** One page of a list. */
export interface AgentVersionPage {
  /** The items of this page, newest first. */
  items: Agent[];
  /** Pagination. */
  pagination: {
    /** Send it as `cursor` to get the next page. Null on the last page. Up to 4096 characters. */
    nextCursor: string | null;
  };
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
  changes: {
    /** The operation. */
    op: 'add' | 'remove' | 'replace';
    /** The location, as a JSON Pointer (RFC 6901). */
    path: string;
    /** The previous value; absent for `add`. */
    from?: unknown;
    /** The new value; absent for `remove`. */
    value?: unknown;
  }[];
}

/** A new key. */
export interface CreateApiKey {
  /** A label for the key. Up to 255 characters. Default: `null`. */
  name?: string | null | undefined;
  /** The scopes of the key. 1 to 100 items. */
  scopes: ('agents:read' | 'agents:write' | 'keys:read' | 'keys:write' | 'audit:read' | 'calls:read' | 'calls:write')[];
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
  /** Pagination. */
  pagination: {
    /** Send it as `cursor` to get the next page. Null on the last page. Up to 4096 characters. */
    nextCursor: string | null;
  };
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
  /** Pagination. */
  pagination: {
    /** Send it as `cursor` to get the next page. Null on the last page. Up to 4096 characters. */
    nextCursor: string | null;
  };
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
  /** The id of the request. Null: the change was not made by a request. Up to 128 characters. */
  requestId: string | null;
}

/** Traffic statistics of a workspace. */
export interface Figures {
  /** The period covered. */
  period: 'hour' | 'day';
  /** The length of one interval, in seconds. A whole number: -9007199254740991 to 9007199254740991. */
  stepSeconds: number;
  /** The number of agents in the workspace. A whole number: 0 to 9007199254740991. */
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
  /** The number of requests in the workspace. A whole number: 0 to 9007199254740991. */
  requests: number;
  /** The number of requests with a status from 400 to 499. A whole number: 0 to 9007199254740991. */
  refusals: number;
  /** The number of requests with a status of 500 or above. A whole number: 0 to 9007199254740991. */
  errors: number;
  /** 50 % of the requests took at most this long, in milliseconds. Null if there were no requests. Range: 0 or more. */
  p50Ms: number | null;
  /** 95 % of the requests took at most this long, in milliseconds. Null if there were no requests. Range: 0 or more. */
  p95Ms: number | null;
  /** 99 % of the requests took at most this long, in milliseconds. Null if there were no requests. Range: 0 or more. */
  p99Ms: number | null;
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
}

/** Get traffic statistics: what to look for. */
export interface GetFigureQuery {
  /** The last hour in 1-minute intervals, or the last day in 10-minute intervals. Default: `'hour'`. */
  period?: 'hour' | 'day' | undefined;
}
