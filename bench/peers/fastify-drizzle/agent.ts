import { type Static, type TSchema, Type } from 'typebox';

/** Ajv and fast-json-stringify both support `nullable`; a union with null would make the serializer slow. */
function nullable<S extends TSchema>(schema: S) {
  return Type.Unsafe<Static<S> | null>({ ...schema, nullable: true });
}

const shortText = Type.String({ minLength: 1, maxLength: 255 });
const engineType = Type.Unsafe<'single_prompt' | 'conversation_flow' | 'custom_llm'>({
  type: 'string',
  enum: ['single_prompt', 'conversation_flow', 'custom_llm'],
});
const prompt = Type.String({ maxLength: 200_000 });

const responseEngine = Type.Object({
  type: engineType,
  prompt: Type.Optional(prompt),
  model: Type.Optional(Type.String({ maxLength: 255 })),
  llmWebsocketUrl: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, pattern: '^wss?://' })),
});
const adaptiveSpeechRate = Type.Object({
  enabled: Type.Boolean(),
  minSpeed: Type.Number({ minimum: 0.5, maximum: 1 }),
  maxSpeed: Type.Number({ minimum: 1, maximum: 2 }),
  windowSize: Type.Integer({ minimum: 1, maximum: 10 }),
  speedRatio: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2 })),
});
const pronunciationRule = Type.Object({
  find: Type.String({ minLength: 1, maxLength: 1000 }),
  replace: Type.String({ maxLength: 1000 }),
  isRegex: Type.Optional(Type.Boolean()),
});
const analysisItem = Type.Object({
  name: shortText,
  type: Type.Unsafe<string>({ type: 'string', enum: ['string', 'enum', 'boolean', 'number'] }),
  description: Type.String({ maxLength: 10_000 }),
  options: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 1000 })),
});

export type ResponseEngine = Static<typeof responseEngine>;
export type AdaptiveSpeechRate = Static<typeof adaptiveSpeechRate>;
export type PronunciationRule = Static<typeof pronunciationRule>;
export type AnalysisItem = Static<typeof analysisItem>;

const flag = (standard: boolean) => Type.Boolean({ default: standard });
const number = (minimum: number, maximum: number, standard: number) =>
  Type.Number({ minimum, maximum, default: standard });
const list = (longest: number, most: number, standard: string[] = []) =>
  Type.Array(Type.String({ minLength: 1, maxLength: longest }), { maxItems: most, default: standard });

const settings = {
  versionDescription: nullable(Type.String({ maxLength: 500, default: null })),
  voiceModel: nullable(Type.String({ minLength: 1, maxLength: 255, default: null })),
  voiceTemperature: number(0, 2, 1),
  voiceSpeed: number(0.5, 2, 1),
  voiceEmotion: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    enum: ['calm', 'sympathetic', 'happy', 'sad', 'angry', 'fearful', 'surprised', null],
    default: null,
  }),
  volume: number(0, 2, 1),
  enableDynamicVoiceSpeed: flag(false),
  fallbackVoiceIds: list(255, 20),
  responsiveness: number(0, 1, 1),
  interruptionSensitivity: number(0, 1, 1),
  enableBackchannel: flag(false),
  backchannelFrequency: number(0, 1, 0.8),
  backchannelWords: list(100, 100),
  reminderTriggerMs: number(1000, 600_000, 10_000),
  reminderMaxCount: Type.Integer({ minimum: 0, maximum: 100, default: 1 }),
  beginMessageDelayMs: number(0, 5000, 0),
  beginMessage: nullable(Type.String({ maxLength: 10_000, default: null })),
  endCallAfterSilenceMs: number(10_000, 7_200_000, 600_000),
  maxCallDurationMs: number(60_000, 7_200_000, 3_600_000),
  language: Type.String({ maxLength: 64, default: 'ja' }),
  sttMode: Type.Unsafe<string>({ type: 'string', enum: ['fast', 'accurate'], default: 'fast' }),
  sttProvider: Type.String({ minLength: 1, maxLength: 100, default: 'auto' }),
  ttsProvider: Type.String({ minLength: 1, maxLength: 100, default: 'auto' }),
  boostedKeywords: list(255, 1000),
  adaptiveSpeechRate: Type.Optional(adaptiveSpeechRate),
  pronunciationDictionary: Type.Optional(Type.Array(pronunciationRule, { maxItems: 1000 })),
  postCallAnalysisData: Type.Array(analysisItem, { maxItems: 200, default: [] }),
  postCallAnalysisModel: Type.String({ minLength: 1, maxLength: 255, default: 'gpt-5.4-mini' }),
  webhookUrl: nullable(Type.String({ minLength: 1, maxLength: 2048, pattern: '^https://', default: null })),
  webhookEvents: list(100, 100, ['call_started', 'call_ended', 'call_analyzed']),
  dataStorageSetting: Type.Unsafe<string>({
    type: 'string',
    enum: ['everything', 'everything_except_pii', 'basic_attributes_only'],
    default: 'everything',
  }),
  startSkillId: Type.Optional(shortText),
  agentGlobalPrompt: Type.Optional(prompt),
  agentVariables: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 10_000 })),
  agentSettings: Type.Optional(Type.Unknown()),
};

export const createAgent = Type.Object({
  name: shortText,
  voiceId: shortText,
  responseEngineType: Type.Optional(engineType),
  prompt: Type.Optional(prompt),
  llmModel: Type.Optional(Type.String({ maxLength: 255 })),
  responseEngine: Type.Optional(Type.Partial(responseEngine)),
  ...settings,
});
export type CreateAgent = Static<typeof createAgent>;

const { versionDescription, ...otherSettings } = settings;
export const agent = Type.Object({
  id: Type.String(),
  workspaceId: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  isPublished: Type.Boolean(),
  versionDescription,
  responseEngine,
  voiceId: Type.String(),
  ...otherSettings,
  createdAt: Type.String(),
  updatedAt: Type.String(),
});
export type Agent = Static<typeof agent>;

export const agentPage = Type.Object({
  items: Type.Array(agent),
  pagination: Type.Object({ nextCursor: nullable(Type.String()) }),
});

export const listQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});

export const errorBody = Type.Object({ error: Type.Object({ code: Type.String() }) });
