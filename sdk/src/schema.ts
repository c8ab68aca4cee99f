// Generated from openapi.json by "npm run generate": do not edit.

/** The body of every answer that is not a success. */
export interface ErrorBody {
  /** The error. */
  error: {
    /** What went wrong, for programs. New codes may be added. */
    code: string;
    /** What went wrong, for people. The wording may change. */
    message: string;
    /**
     * Details of the error, by code. VALIDATION_ERROR: `fieldErrors` maps each field or parameter to its messages,
     * `formErrors` holds what is wrong with the request as a whole. UNPROCESSABLE_CONTENT: the same.
     * SCOPE_INSUFFICIENT: `requiredScope` and `routeId`. VERSION_CONFLICT: `currentEtag`.
     */
    details?: unknown;
    /** The id of this request, the same as in the `X-Request-Id` header and in the log. */
    requestId?: string;
  };
}

/** One page of a list. */
export interface AgentPage {
  /** The items of this page, newest first. */
  items: Agent[];
  /** How to go on. */
  pagination: {
    /** Send it as `cursor` to get the next page. Null when nothing follows. Up to 4096 characters. */
    nextCursor: string | null;
  };
}

/** A voice agent: what it says, how it sounds and how it listens. */
export interface Agent {
  /** The id of the agent. Up to 64 characters. */
  id: string;
  /** The workspace that owns the agent. Up to 64 characters. */
  workspaceId: string;
  /** What people call the agent. It need not be unique. 1 to 255 characters. */
  name: string;
  /** The number of this version, from 1. Range: 1 or more. */
  version: number;
  /** Whether this version is published, or a draft. */
  isPublished: boolean;
  /** What this version is about. Up to 500 characters. */
  versionDescription: string | null;
  /** What decides what the agent says. */
  responseEngine: {
    /**
     * What decides what the agent says: one prompt, a flow of conversation steps, or a model of your own behind a
     * WebSocket.
     */
    type: 'single_prompt' | 'conversation_flow' | 'custom_llm';
    /** The instructions to the model. Up to 200000 characters. */
    prompt?: string;
    /** The language model. Up to 255 characters. */
    model?: string;
    /**
     * Where a `custom_llm` agent finds its model. An address that begins with `ws://` or `wss://`. 1 to 2048
     * characters.
     */
    llmWebsocketUrl?: string;
  };
  /** The voice that speaks, by the id that its provider gives it. 1 to 255 characters. */
  voiceId: string;
  /** The model of the voice. Null: the one that the provider takes by itself. 1 to 255 characters. */
  voiceModel: string | null;
  /** How much the voice varies: 0 is steady, 2 is lively. Range: 0 to 2. */
  voiceTemperature: number;
  /** The pace of the voice, 1 being normal. Range: 0.5 to 2. */
  voiceSpeed: number;
  /** The mood of the voice. Null: neutral. */
  voiceEmotion: 'calm' | 'sympathetic' | 'happy' | 'sad' | 'angry' | 'fearful' | 'surprised' | null;
  /** How loud the voice is, 1 being normal. Range: 0 to 2. */
  volume: number;
  /** Whether the pace follows what is being said. */
  enableDynamicVoiceSpeed: boolean;
  /** Voices to take, in this order, when the first cannot be had. Up to 20 items. */
  fallbackVoiceIds: string[];
  /** How soon the agent answers: 1 is at once. Range: 0 to 1. */
  responsiveness: number;
  /** How easily the caller interrupts the agent: 0 is never. Range: 0 to 1. */
  interruptionSensitivity: number;
  /** Whether the agent says small words while it listens. */
  enableBackchannel: boolean;
  /** How often it says them: 1 is whenever it fits. Range: 0 to 1. */
  backchannelFrequency: number;
  /** The small words. Empty: those usual in the language. Up to 100 items. */
  backchannelWords: string[];
  /** Milliseconds of the caller’s silence after which the agent asks again. Range: 1000 to 600000. */
  reminderTriggerMs: number;
  /** How many times it asks again: 0 is never. A whole number: 0 to 100. */
  reminderMaxCount: number;
  /** Milliseconds to wait before the first sentence. Range: 0 to 5000. */
  beginMessageDelayMs: number;
  /**
   * The first sentence of the agent. Null: the model writes it. The empty string: the agent waits for the caller. Up to
   * 10000 characters.
   */
  beginMessage: string | null;
  /** Milliseconds of silence after which the agent hangs up. Range: 10000 to 7200000. */
  endCallAfterSilenceMs: number;
  /** Milliseconds after which a call ends. Range: 60000 to 7200000. */
  maxCallDurationMs: number;
  /** The language of the conversation, as a BCP 47 tag. Up to 64 characters. */
  language: string;
  /** Whether speech recognition favours speed or accuracy. */
  sttMode: 'fast' | 'accurate';
  /** The provider of speech recognition. `auto`: the one that the service is set up with. 1 to 100 characters. */
  sttProvider: string;
  /** The provider of the voice. `auto`: the one that the service is set up with. 1 to 100 characters. */
  ttsProvider: string;
  /** Words that speech recognition should expect. Up to 1000 items. */
  boostedKeywords: string[];
  /** How the agent adapts its pace to the caller’s. */
  adaptiveSpeechRate?: {
    /** Whether the agent adapts its pace to the caller. */
    enabled: boolean;
    /** The slowest pace, 1 being normal. Range: 0.5 to 1. */
    minSpeed: number;
    /** The fastest pace, 1 being normal. Range: 1 to 2. */
    maxSpeed: number;
    /** How many of the caller’s last turns the pace is taken from. A whole number: 1 to 10. */
    windowSize: number;
    /** The agent’s pace as a multiple of the caller’s. Range: 0.5 to 2. */
    speedRatio?: number;
  };
  /**
   * How words are spoken, rule by rule, in this order. At most 100 of the rules may be regular expressions, and only as
   * large as can be compiled in a tenth of a second. Up to 1000 items.
   */
  pronunciationDictionary?: {
    /** What stands in the text. 1 to 1000 characters. */
    find: string;
    /** What is spoken instead. Up to 1000 characters. */
    replace: string;
    /** Whether `find` is a regular expression (RE2 syntax) instead of plain text. */
    isRegex?: boolean;
  }[];
  /** What to find out from a call once it has ended. Up to 200 items. */
  postCallAnalysisData: {
    /** The name of the finding. 1 to 255 characters. */
    name: string;
    /** The type of the finding. */
    type: 'string' | 'enum' | 'boolean' | 'number';
    /** What the model is to look for. Up to 10000 characters. */
    description: string;
    /** The values to choose from, for type `enum`. Up to 1000 items. */
    options?: string[];
  }[];
  /** The language model that analyses a call. 1 to 255 characters. */
  postCallAnalysisModel: string;
  /**
   * Where the events of calls are sent: an `https://` address, `http://` for loopback only. Null: nowhere. 1 to 2048
   * characters.
   */
  webhookUrl: string | null;
  /** Which events are sent. Up to 100 items. */
  webhookEvents: string[];
  /** What is kept of a call. */
  dataStorageSetting: 'everything' | 'everything_except_pii' | 'basic_attributes_only';
  /** The step at which a conversation flow begins. 1 to 255 characters. */
  startSkillId?: string;
  /** Instructions that hold in every step of a conversation flow. Up to 200000 characters. */
  agentGlobalPrompt?: string;
  /** Variables of the flow, in any shape. Up to 10000 items. */
  agentVariables?: unknown[];
  /** Further settings, in any shape. */
  agentSettings?: unknown;
  /** When the agent was created. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the agent was last changed. A date and time as in ISO 8601. */
  updatedAt: string;
}

/** A new agent. Only `name` and `voiceId` have to be given. */
export interface CreateAgent {
  /** What people call the agent. It need not be unique. 1 to 255 characters. */
  name: string;
  /** The voice that speaks, by the id that its provider gives it. 1 to 255 characters. */
  voiceId: string;
  /**
   * What decides what the agent says: one prompt, a flow of conversation steps, or a model of your own behind a
   * WebSocket. Default: `'conversation_flow'`.
   */
  responseEngineType?: 'single_prompt' | 'conversation_flow' | 'custom_llm' | undefined;
  /** The instructions to the model. Up to 200000 characters. */
  prompt?: string | undefined;
  /** The language model. Up to 255 characters. Default: `'gpt-5.4-mini'`. */
  llmModel?: string | undefined;
  /** The language of the conversation, as a BCP 47 tag. Up to 64 characters. Default: `'ja'`. */
  language?: string | undefined;
  /**
   * The first sentence of the agent. Null: the model writes it. The empty string: the agent waits for the caller. Up to
   * 10000 characters.
   */
  beginMessage?: string | undefined;
  /** How the agent adapts its pace to the caller’s. */
  adaptiveSpeechRate?:
    | {
        /** Whether the agent adapts its pace to the caller. */
        enabled: boolean;
        /** The slowest pace, 1 being normal. Range: 0.5 to 1. */
        minSpeed: number;
        /** The fastest pace, 1 being normal. Range: 1 to 2. */
        maxSpeed: number;
        /** How many of the caller’s last turns the pace is taken from. A whole number: 1 to 10. */
        windowSize: number;
        /** The agent’s pace as a multiple of the caller’s. Range: 0.5 to 2. */
        speedRatio?: number | undefined;
      }
    | undefined;
  /**
   * The same as `responseEngineType`, `prompt` and `llmModel`, in the shape that the agent has; the only way to give
   * `llmWebsocketUrl`. Where both name a thing, they must agree.
   */
  responseEngine?:
    | {
        /**
         * What decides what the agent says: one prompt, a flow of conversation steps, or a model of your own behind a
         * WebSocket.
         */
        type?: 'single_prompt' | 'conversation_flow' | 'custom_llm' | undefined;
        /** The instructions to the model. Up to 200000 characters. */
        prompt?: string | undefined;
        /** The language model. Up to 255 characters. */
        model?: string | undefined;
        /**
         * Where a `custom_llm` agent finds its model. An address that begins with `ws://` or `wss://`. 1 to 2048
         * characters.
         */
        llmWebsocketUrl?: string | undefined;
      }
    | undefined;
  /**
   * How words are spoken, rule by rule, in this order. At most 100 of the rules may be regular expressions, and only as
   * large as can be compiled in a tenth of a second. Up to 1000 items.
   */
  pronunciationDictionary?:
    | {
        /** What stands in the text. 1 to 1000 characters. */
        find: string;
        /** What is spoken instead. Up to 1000 characters. */
        replace: string;
        /** Whether `find` is a regular expression (RE2 syntax) instead of plain text. */
        isRegex?: boolean | undefined;
      }[]
    | undefined;
  /** What to find out from a call once it has ended. Up to 200 items. Default: `[]`. */
  postCallAnalysisData?:
    | {
        /** The name of the finding. 1 to 255 characters. */
        name: string;
        /** The type of the finding. */
        type: 'string' | 'enum' | 'boolean' | 'number';
        /** What the model is to look for. Up to 10000 characters. */
        description: string;
        /** The values to choose from, for type `enum`. Up to 1000 items. */
        options?: string[] | undefined;
      }[]
    | undefined;
  /** What this version is about. Up to 500 characters. Default: `null`. */
  versionDescription?: string | null | undefined;
  /** The model of the voice. Null: the one that the provider takes by itself. 1 to 255 characters. Default: `null`. */
  voiceModel?: string | null | undefined;
  /** How much the voice varies: 0 is steady, 2 is lively. Range: 0 to 2. Default: `1`. */
  voiceTemperature?: number | undefined;
  /** The pace of the voice, 1 being normal. Range: 0.5 to 2. Default: `1`. */
  voiceSpeed?: number | undefined;
  /** The mood of the voice. Null: neutral. Default: `null`. */
  voiceEmotion?: 'calm' | 'sympathetic' | 'happy' | 'sad' | 'angry' | 'fearful' | 'surprised' | null | undefined;
  /** How loud the voice is, 1 being normal. Range: 0 to 2. Default: `1`. */
  volume?: number | undefined;
  /** Whether the pace follows what is being said. Default: `false`. */
  enableDynamicVoiceSpeed?: boolean | undefined;
  /** Voices to take, in this order, when the first cannot be had. Up to 20 items. Default: `[]`. */
  fallbackVoiceIds?: string[] | undefined;
  /** How soon the agent answers: 1 is at once. Range: 0 to 1. Default: `1`. */
  responsiveness?: number | undefined;
  /** How easily the caller interrupts the agent: 0 is never. Range: 0 to 1. Default: `1`. */
  interruptionSensitivity?: number | undefined;
  /** Whether the agent says small words while it listens. Default: `false`. */
  enableBackchannel?: boolean | undefined;
  /** How often it says them: 1 is whenever it fits. Range: 0 to 1. Default: `0.8`. */
  backchannelFrequency?: number | undefined;
  /** The small words. Empty: those usual in the language. Up to 100 items. Default: `[]`. */
  backchannelWords?: string[] | undefined;
  /** Milliseconds of the caller’s silence after which the agent asks again. Range: 1000 to 600000. Default: `10000`. */
  reminderTriggerMs?: number | undefined;
  /** How many times it asks again: 0 is never. A whole number: 0 to 100. Default: `1`. */
  reminderMaxCount?: number | undefined;
  /** Milliseconds to wait before the first sentence. Range: 0 to 5000. Default: `0`. */
  beginMessageDelayMs?: number | undefined;
  /** Milliseconds of silence after which the agent hangs up. Range: 10000 to 7200000. Default: `600000`. */
  endCallAfterSilenceMs?: number | undefined;
  /** Milliseconds after which a call ends. Range: 60000 to 7200000. Default: `3600000`. */
  maxCallDurationMs?: number | undefined;
  /** Whether speech recognition favours speed or accuracy. Default: `'fast'`. */
  sttMode?: 'fast' | 'accurate' | undefined;
  /**
   * The provider of speech recognition. `auto`: the one that the service is set up with. 1 to 100 characters. Default:
   * `'auto'`.
   */
  sttProvider?: string | undefined;
  /**
   * The provider of the voice. `auto`: the one that the service is set up with. 1 to 100 characters. Default: `'auto'`.
   */
  ttsProvider?: string | undefined;
  /** Words that speech recognition should expect. Up to 1000 items. Default: `[]`. */
  boostedKeywords?: string[] | undefined;
  /** The language model that analyses a call. 1 to 255 characters. Default: `'gpt-5.4-mini'`. */
  postCallAnalysisModel?: string | undefined;
  /**
   * Where the events of calls are sent: an `https://` address, `http://` for loopback only. Null: nowhere. 1 to 2048
   * characters. Default: `null`.
   */
  webhookUrl?: string | null | undefined;
  /** Which events are sent. Up to 100 items. Default: `["call_started","call_ended","call_analyzed"]`. */
  webhookEvents?: string[] | undefined;
  /** What is kept of a call. Default: `'everything'`. */
  dataStorageSetting?: 'everything' | 'everything_except_pii' | 'basic_attributes_only' | undefined;
  /** The step at which a conversation flow begins. 1 to 255 characters. */
  startSkillId?: string | undefined;
  /** Instructions that hold in every step of a conversation flow. Up to 200000 characters. */
  agentGlobalPrompt?: string | undefined;
  /** Variables of the flow, in any shape. Up to 10000 items. */
  agentVariables?: unknown[] | undefined;
  /** Further settings, in any shape. */
  agentSettings?: unknown;
}

/**
 * A JSON Merge Patch (RFC 7396) in the shape of the agent: what is given replaces what is there, objects are merged,
 * lists are replaced whole, null takes an optional field away. What is not given stays.
 */
export interface UpdateAgent {
  /** What people call the agent. It need not be unique. 1 to 255 characters. */
  name?: string | undefined;
  /** The voice that speaks, by the id that its provider gives it. 1 to 255 characters. */
  voiceId?: string | undefined;
  /** The language of the conversation, as a BCP 47 tag. Up to 64 characters. */
  language?: string | undefined;
  /**
   * The first sentence of the agent. Null: the model writes it. The empty string: the agent waits for the caller. Up to
   * 10000 characters.
   */
  beginMessage?: string | null | undefined;
  /** What this version is about. Up to 500 characters. */
  versionDescription?: string | null | undefined;
  /** The model of the voice. Null: the one that the provider takes by itself. 1 to 255 characters. */
  voiceModel?: string | null | undefined;
  /** How much the voice varies: 0 is steady, 2 is lively. Range: 0 to 2. */
  voiceTemperature?: number | undefined;
  /** The pace of the voice, 1 being normal. Range: 0.5 to 2. */
  voiceSpeed?: number | undefined;
  /** The mood of the voice. Null: neutral. */
  voiceEmotion?: 'calm' | 'sympathetic' | 'happy' | 'sad' | 'angry' | 'fearful' | 'surprised' | null | undefined;
  /** How loud the voice is, 1 being normal. Range: 0 to 2. */
  volume?: number | undefined;
  /** Whether the pace follows what is being said. */
  enableDynamicVoiceSpeed?: boolean | undefined;
  /** Voices to take, in this order, when the first cannot be had. Up to 20 items. */
  fallbackVoiceIds?: string[] | undefined;
  /** How soon the agent answers: 1 is at once. Range: 0 to 1. */
  responsiveness?: number | undefined;
  /** How easily the caller interrupts the agent: 0 is never. Range: 0 to 1. */
  interruptionSensitivity?: number | undefined;
  /** Whether the agent says small words while it listens. */
  enableBackchannel?: boolean | undefined;
  /** How often it says them: 1 is whenever it fits. Range: 0 to 1. */
  backchannelFrequency?: number | undefined;
  /** The small words. Empty: those usual in the language. Up to 100 items. */
  backchannelWords?: string[] | undefined;
  /** Milliseconds of the caller’s silence after which the agent asks again. Range: 1000 to 600000. */
  reminderTriggerMs?: number | undefined;
  /** How many times it asks again: 0 is never. A whole number: 0 to 100. */
  reminderMaxCount?: number | undefined;
  /** Milliseconds to wait before the first sentence. Range: 0 to 5000. */
  beginMessageDelayMs?: number | undefined;
  /** Milliseconds of silence after which the agent hangs up. Range: 10000 to 7200000. */
  endCallAfterSilenceMs?: number | undefined;
  /** Milliseconds after which a call ends. Range: 60000 to 7200000. */
  maxCallDurationMs?: number | undefined;
  /** Whether speech recognition favours speed or accuracy. */
  sttMode?: 'fast' | 'accurate' | undefined;
  /** The provider of speech recognition. `auto`: the one that the service is set up with. 1 to 100 characters. */
  sttProvider?: string | undefined;
  /** The provider of the voice. `auto`: the one that the service is set up with. 1 to 100 characters. */
  ttsProvider?: string | undefined;
  /** Words that speech recognition should expect. Up to 1000 items. */
  boostedKeywords?: string[] | undefined;
  /** The language model that analyses a call. 1 to 255 characters. */
  postCallAnalysisModel?: string | undefined;
  /**
   * Where the events of calls are sent: an `https://` address, `http://` for loopback only. Null: nowhere. 1 to 2048
   * characters.
   */
  webhookUrl?: string | null | undefined;
  /** Which events are sent. Up to 100 items. */
  webhookEvents?: string[] | undefined;
  /** What is kept of a call. */
  dataStorageSetting?: 'everything' | 'everything_except_pii' | 'basic_attributes_only' | undefined;
  /** What decides what the agent says. Merged into what is there; null takes an optional part away. */
  responseEngine?:
    | {
        /**
         * What decides what the agent says: one prompt, a flow of conversation steps, or a model of your own behind a
         * WebSocket.
         */
        type?: 'single_prompt' | 'conversation_flow' | 'custom_llm' | undefined;
        /** The instructions to the model. Up to 200000 characters. */
        prompt?: string | null | undefined;
        /** The language model. Up to 255 characters. */
        model?: string | null | undefined;
        /**
         * Where a `custom_llm` agent finds its model. An address that begins with `ws://` or `wss://`. 1 to 2048
         * characters.
         */
        llmWebsocketUrl?: string | null | undefined;
      }
    | undefined;
  /** How the agent adapts its pace. Merged into what is there; null takes it away. */
  adaptiveSpeechRate?:
    | {
        /** Whether the agent adapts its pace to the caller. */
        enabled?: boolean | undefined;
        /** The slowest pace, 1 being normal. Range: 0.5 to 1. */
        minSpeed?: number | undefined;
        /** The fastest pace, 1 being normal. Range: 1 to 2. */
        maxSpeed?: number | undefined;
        /** How many of the caller’s last turns the pace is taken from. A whole number: 1 to 10. */
        windowSize?: number | undefined;
        /** The agent’s pace as a multiple of the caller’s. Range: 0.5 to 2. */
        speedRatio?: number | null | undefined;
      }
    | null
    | undefined;
  /**
   * How words are spoken, rule by rule, in this order. At most 100 of the rules may be regular expressions, and only as
   * large as can be compiled in a tenth of a second. Up to 1000 items.
   */
  pronunciationDictionary?:
    | {
        /** What stands in the text. 1 to 1000 characters. */
        find: string;
        /** What is spoken instead. Up to 1000 characters. */
        replace: string;
        /** Whether `find` is a regular expression (RE2 syntax) instead of plain text. */
        isRegex?: boolean | undefined;
      }[]
    | null
    | undefined;
  /** What to find out from a call once it has ended. Up to 200 items. */
  postCallAnalysisData?:
    | {
        /** The name of the finding. 1 to 255 characters. */
        name: string;
        /** The type of the finding. */
        type: 'string' | 'enum' | 'boolean' | 'number';
        /** What the model is to look for. Up to 10000 characters. */
        description: string;
        /** The values to choose from, for type `enum`. Up to 1000 items. */
        options?: string[] | undefined;
      }[]
    | undefined;
  /** The step at which a conversation flow begins. 1 to 255 characters. */
  startSkillId?: string | null | undefined;
  /** Instructions that hold in every step of a conversation flow. Up to 200000 characters. */
  agentGlobalPrompt?: string | null | undefined;
  /** Variables of the flow, in any shape. Up to 10000 items. */
  agentVariables?: unknown[] | null | undefined;
  /** Further settings, in any shape. */
  agentSettings?: unknown;
  /** Not here: an agent has this in `responseEngine.type`. Refused, so that it is not overlooked. */
  responseEngineType?: never | undefined;
  /** Not here: an agent has this in `responseEngine.prompt`. Refused, so that it is not overlooked. */
  prompt?: never | undefined;
  /** Not here: an agent has this in `responseEngine.model`. Refused, so that it is not overlooked. */
  llmModel?: never | undefined;
}

/** What was deleted. */
export interface DeletedAgent {
  /** The id of the agent. Up to 64 characters. */
  id: string;
  /** That it is gone. */
  deleted: true;
}

/** How the copy is to differ. */
export interface DuplicateAgent {
  /** The name of the copy. Left out: the same as the original’s. 1 to 255 characters. */
  name?: string | undefined;
}

/** What to say about the version that is published. */
export interface PublishAgent {
  /** What this version is about. Up to 500 characters. */
  versionDescription?: string | null | undefined;
}

/** One page of a list. */
export interface AgentVersionPage {
  /** The items of this page, newest first. */
  items: Agent[];
  /** How to go on. */
  pagination: {
    /** Send it as `cursor` to get the next page. Null when nothing follows. Up to 4096 characters. */
    nextCursor: string | null;
  };
}

/** Nothing has to be said. */
export type Nothing = Record<string, never>;

/** The difference between two versions. */
export interface AgentDiff {
  /** The number of the version to start from. Range: 1 or more. */
  from: number;
  /** The number of the version to arrive at. Range: 1 or more. */
  to: number;
  /** The changes, in the order of the fields. Empty where the two are the same. */
  changes: {
    /** What happens there. */
    op: 'add' | 'remove' | 'replace';
    /** Where, as a JSON Pointer (RFC 6901). */
    path: string;
    /** What was there; absent for `add`. */
    from?: unknown;
    /** What is there afterwards; absent for `remove`. */
    value?: unknown;
  }[];
}

/** A new key. */
export interface CreateApiKey {
  /** A name to tell the key by. Up to 255 characters. Default: `null`. */
  name?: string | null | undefined;
  /** What the key may do. 1 to 100 items. */
  scopes: ('agents:read' | 'agents:write' | 'keys:read' | 'keys:write' | 'audit:read')[];
  /**
   * When the key is to end by itself. Null: never. A key that ends makes none that outlives it. A date and time as in
   * ISO 8601. Default: `null`.
   */
  expiresAt?: string | null | undefined;
}

/** A new API key, with its secret. */
export interface NewApiKey {
  /** The id of the key. Up to 64 characters. */
  id: string;
  /** The workspace that the key belongs to. Up to 64 characters. */
  workspaceId: string;
  /** A name to tell the key by. Up to 255 characters. */
  name: string | null;
  /** How the secret begins, to tell keys apart. Up to 64 characters. */
  hint: string;
  /** What the key may do. */
  scopes: string[];
  /** When the key was made. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the key ends by itself. Null: never. A date and time as in ISO 8601. */
  expiresAt: string | null;
  /** When the key was revoked. Null: it was not. A date and time as in ISO 8601. */
  revokedAt: string | null;
  /** When the key was last used, known with a delay of some seconds. Null: not yet. A date and time as in ISO 8601. */
  lastUsedAt: string | null;
  /** The secret. It is in this answer and nowhere else: keep it. Up to 200 characters. */
  key: string;
}

/** One page of a list. */
export interface ApiKeyPage {
  /** The items of this page, newest first. */
  items: ApiKey[];
  /** How to go on. */
  pagination: {
    /** Send it as `cursor` to get the next page. Null when nothing follows. Up to 4096 characters. */
    nextCursor: string | null;
  };
}

/** An API key, without its secret: that is nowhere but with its owner. */
export interface ApiKey {
  /** The id of the key. Up to 64 characters. */
  id: string;
  /** The workspace that the key belongs to. Up to 64 characters. */
  workspaceId: string;
  /** A name to tell the key by. Up to 255 characters. */
  name: string | null;
  /** How the secret begins, to tell keys apart. Up to 64 characters. */
  hint: string;
  /** What the key may do. */
  scopes: string[];
  /** When the key was made. A date and time as in ISO 8601. */
  createdAt: string;
  /** When the key ends by itself. Null: never. A date and time as in ISO 8601. */
  expiresAt: string | null;
  /** When the key was revoked. Null: it was not. A date and time as in ISO 8601. */
  revokedAt: string | null;
  /** When the key was last used, known with a delay of some seconds. Null: not yet. A date and time as in ISO 8601. */
  lastUsedAt: string | null;
}

/** How long the old secret goes on. */
export interface RotateApiKey {
  /** How many seconds the old secret goes on. A whole number: 0 to 2592000. Default: `86400`. */
  graceSeconds?: number | undefined;
}

/** Nothing has to be said. */
export type RevokeApiKey = Record<string, never>;

/** Who asks. */
export interface Whoami {
  /** The workspace that the key belongs to. Up to 64 characters. */
  workspaceId: string;
  /** The name of the workspace. Up to 255 characters. */
  workspaceName: string;
  /** The id of the key. Up to 64 characters. */
  keyId: string;
  /** A name to tell the key by. Up to 255 characters. */
  keyName: string | null;
  /** What the key may do. */
  scopes: string[];
}

/** One page of a list. */
export interface AuditPage {
  /** The items of this page, newest first. */
  items: AuditEntry[];
  /** How to go on. */
  pagination: {
    /** Send it as `cursor` to get the next page. Null when nothing follows. Up to 4096 characters. */
    nextCursor: string | null;
  };
}

/** One change that was made. */
export interface AuditEntry {
  /** The id of the entry. Up to 64 characters. */
  id: string;
  /** When it was done. A date and time as in ISO 8601. */
  at: string;
  /** Whose key did it. Null: it was done on the command line of the service. Up to 64 characters. */
  keyId: string | null;
  /** What was done, as a route id. Up to 64 characters. */
  routeId: string;
  /** What it was done to. Up to 64 characters. */
  resourceId: string;
  /** In which request. Null: in none. Up to 128 characters. */
  requestId: string | null;
}

/** How the service has fared for a workspace. */
export interface Figures {
  /** How far back it goes. */
  period: 'hour' | 'day';
  /** How long one point is, in seconds. A whole number: -9007199254740991 to 9007199254740991. */
  stepSeconds: number;
  /** How many agents the workspace has. A whole number: 0 to 9007199254740991. */
  agents: number;
  /** True where there are more than 100000: no more are counted. */
  hasMoreAgents: boolean;
  /** One for each step, oldest first, without a gap. The last one is not over yet. */
  points: FiguresPoint[];
}

/** What was asked of the service in one step of time. */
export interface FiguresPoint {
  /** When the point begins. A date and time as in ISO 8601. */
  at: string;
  /** Requests of the workspace that were answered. A whole number: 0 to 9007199254740991. */
  requests: number;
  /** Those of them that were answered with a status from 400 to 499. A whole number: 0 to 9007199254740991. */
  refusals: number;
  /** Those of them that were answered with 500 or above. A whole number: 0 to 9007199254740991. */
  errors: number;
  /** Half of the requests took no longer, in milliseconds. Null: there were none. Range: 0 or more. */
  p50Ms: number | null;
  /** 95 % of the requests took no longer, in milliseconds. Null: there were none. Range: 0 or more. */
  p95Ms: number | null;
  /** 99 % of the requests took no longer, in milliseconds. Null: there were none. Range: 0 or more. */
  p99Ms: number | null;
}

/** List agents: what to look for. */
export interface ListAgentsQuery {
  /**
   * How many items a page holds at the most. Long ones can make it fewer: a page is cut at 8 MiB of items, and
   * `nextCursor` leads on. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * Where to go on: the `pagination.nextCursor` of the page before. Opaque; it remembers the search it belongs to. 1 to
   * 4096 characters.
   */
  cursor?: string | undefined;
  /**
   * Only agents whose name contains this text, or whose id it is. Case and width do not matter: ｶﾌﾞｼｷ finds カブシキ.
   * Everything in it is plain text. 1 to 500 characters.
   */
  q?: string | undefined;
}

/** List the versions of an agent: what to look for. */
export interface ListAgentVersionsQuery {
  /**
   * How many items a page holds at the most. Long ones can make it fewer: a page is cut at 8 MiB of items, and
   * `nextCursor` leads on. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * Where to go on: the `pagination.nextCursor` of the page before. Opaque; it remembers the search it belongs to. 1 to
   * 4096 characters.
   */
  cursor?: string | undefined;
}

/** Compare two versions of an agent: what to look for. */
export interface DiffAgentQuery {
  /** The version to start from: a number, `latest` or `published`. 1 to 20 characters. */
  from: string;
  /** The version to arrive at. 1 to 20 characters. Default: `'latest'`. */
  to?: string | undefined;
}

/** List API keys: what to look for. */
export interface ListApiKeysQuery {
  /**
   * How many items a page holds at the most. Long ones can make it fewer: a page is cut at 8 MiB of items, and
   * `nextCursor` leads on. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * Where to go on: the `pagination.nextCursor` of the page before. Opaque; it remembers the search it belongs to. 1 to
   * 4096 characters.
   */
  cursor?: string | undefined;
}

/** Read the audit trail: what to look for. */
export interface ListAuditLogQuery {
  /**
   * How many items a page holds at the most. Long ones can make it fewer: a page is cut at 8 MiB of items, and
   * `nextCursor` leads on. A whole number: 1 to 200. Default: `50`.
   */
  limit?: number | undefined;
  /**
   * Where to go on: the `pagination.nextCursor` of the page before. Opaque; it remembers the search it belongs to. 1 to
   * 4096 characters.
   */
  cursor?: string | undefined;
  /** Only what was done to this. 1 to 64 characters. */
  resourceId?: string | undefined;
}

/** See how the service fares: what to look for. */
export interface GetFigureQuery {
  /** How far back: an hour in minutes, or a day in steps of ten. Default: `'hour'`. */
  period?: 'hour' | 'day' | undefined;
}
