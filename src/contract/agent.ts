import { RE2JS, RE2JSSyntaxException } from 're2js';
import { z } from 'zod';
import { patternCost } from './pattern-cost.ts';
import { text } from './text.ts';

export const engineTypes = ['single_prompt', 'conversation_flow', 'custom_llm'] as const;
export const voiceEmotions = ['calm', 'sympathetic', 'happy', 'sad', 'angry', 'fearful', 'surprised'] as const;
export const sttModes = ['fast', 'accurate'] as const;
export const analysisTypes = ['string', 'enum', 'boolean', 'number'] as const;
export const dataStorageSettings = ['everything', 'everything_except_pii', 'basic_attributes_only'] as const;

const maxPrompt = 200_000;
const maxPatterns = 100;
/** In microseconds, for all patterns of an agent: nobody else is served in that time. */
const maxPatternCost = 100_000;

export const name = text({ min: 1, max: 255 }).meta({
  description: 'What people call the agent. It need not be unique.',
  examples: ['予約受付'],
});
export const voiceId = text({ min: 1, max: 255 }).meta({
  description: 'The voice that speaks, by the id that its provider gives it.',
  examples: ['ja-JP-Nanami'],
});
export const language = text({ max: 64 }).meta({
  description: 'The language of the conversation, as a BCP 47 tag.',
  examples: ['ja'],
});
export const beginMessage = text({ max: 10_000 });
export const beginMessageDescription =
  'The first sentence of the agent. Null: the model writes it. The empty string: the agent waits for the caller.';

export const engine = {
  type: z.enum(engineTypes).meta({
    description:
      'What decides what the agent says: one prompt, a flow of conversation steps, or a model of your own behind a WebSocket.',
    examples: ['conversation_flow'],
  }),
  prompt: text({ max: maxPrompt }).meta({
    description: 'The instructions to the model.',
    examples: ['あなたは美容室の受付です。予約を承ってください。'],
  }),
  model: text({ max: 255 }).meta({ description: 'The language model.', examples: ['gpt-5.4-mini'] }),
  llmWebsocketUrl: text({ min: 1, max: 2048 })
    .refine(isWebSocketAddress, 'must be a ws:// or wss:// address')
    .meta({
      description: 'Where a `custom_llm` agent finds its model. An address that begins with `ws://` or `wss://`.',
      examples: ['wss://llm.example.com/agent'],
    }),
};

/** `z.object` ignores what it does not know (requests), `z.strictObject` refuses it (responses). */
type ObjectOf = typeof z.object;

/** The objects inside an agent, in the request's or in the response's manner. Patterns are compiled where they come in only. */
export function nestedFields(object: ObjectOf, doesCheckPatterns: boolean) {
  return {
    responseEngine: object({
      type: engine.type,
      prompt: engine.prompt.optional(),
      model: engine.model.optional(),
      llmWebsocketUrl: engine.llmWebsocketUrl.optional(),
    }).meta({ description: 'What decides what the agent says.' }),
    adaptiveSpeechRate: object({
      enabled: z.boolean().meta({ description: 'Whether the agent adapts its pace to the caller.', examples: [true] }),
      minSpeed: z
        .number()
        .min(0.5)
        .max(1)
        .meta({ description: 'The slowest pace, 1 being normal.', examples: [0.8] }),
      maxSpeed: z
        .number()
        .min(1)
        .max(2)
        .meta({ description: 'The fastest pace, 1 being normal.', examples: [1.3] }),
      windowSize: z
        .int()
        .min(1)
        .max(10)
        .meta({ description: 'How many of the caller’s last turns the pace is taken from.', examples: [3] }),
      speedRatio: z
        .number()
        .min(0.5)
        .max(2)
        .meta({ description: 'The agent’s pace as a multiple of the caller’s.', examples: [1] })
        .optional(),
    }).meta({ description: 'How the agent adapts its pace to the caller’s.' }),
    pronunciationDictionary: z
      .array(
        object({
          find: text({ min: 1, max: 1000 }).meta({ description: 'What stands in the text.', examples: ['SQL'] }),
          replace: text({ max: 1000 }).meta({ description: 'What is spoken instead.', examples: ['エスキューエル'] }),
          isRegex: z
            .boolean()
            .optional()
            .meta({
              description: 'Whether `find` is a regular expression (RE2 syntax) instead of plain text.',
              examples: [false],
            }),
        }).meta({ description: 'One rule of pronunciation.' }),
      )
      .max(1000)
      .superRefine((rules, context) => {
        if (!doesCheckPatterns) return;
        for (const { path, message } of patternIssues(rules)) context.addIssue({ code: 'custom', path, message });
      })
      .meta({
        description: `How words are spoken, rule by rule, in this order. At most ${maxPatterns} of the rules may be regular expressions, and only as large as can be compiled in a tenth of a second.`,
      }),
    postCallAnalysisData: z
      .array(
        object({
          name: text({ min: 1, max: 255 }).meta({ description: 'The name of the finding.', examples: ['booked'] }),
          type: z.enum(analysisTypes).meta({ description: 'The type of the finding.', examples: ['boolean'] }),
          description: text({ max: 10_000 }).meta({
            description: 'What the model is to look for.',
            examples: ['Whether the caller made a booking.'],
          }),
          options: z
            .array(text({ min: 1, max: 1000 }))
            .max(1000)
            .optional()
            .meta({ description: 'The values to choose from, for type `enum`.', examples: [['yes', 'no']] }),
        }).meta({ description: 'One thing to find out.' }),
      )
      .max(200)
      .meta({ description: 'What to find out from a call once it has ended.' }),
  };
}

/** Every field of an agent that a caller may set and that is not an object, in its own words and bounds. */
export const plainFields = {
  versionDescription: text({ max: 500 })
    .nullable()
    .meta({ description: 'What this version is about.', examples: ['Opening hours for the holidays'] }),
  voiceModel: text({ min: 1, max: 255 })
    .nullable()
    .meta({
      description: 'The model of the voice. Null: the one that the provider takes by itself.',
      examples: [null],
    }),
  voiceTemperature: z
    .number()
    .min(0)
    .max(2)
    .meta({ description: 'How much the voice varies: 0 is steady, 2 is lively.', examples: [1] }),
  voiceSpeed: z
    .number()
    .min(0.5)
    .max(2)
    .meta({ description: 'The pace of the voice, 1 being normal.', examples: [1] }),
  voiceEmotion: z
    .enum(voiceEmotions)
    .nullable()
    .meta({ description: 'The mood of the voice. Null: neutral.', examples: ['calm'] }),
  volume: z
    .number()
    .min(0)
    .max(2)
    .meta({ description: 'How loud the voice is, 1 being normal.', examples: [1] }),
  enableDynamicVoiceSpeed: z
    .boolean()
    .meta({ description: 'Whether the pace follows what is being said.', examples: [false] }),
  fallbackVoiceIds: z
    .array(text({ min: 1, max: 255 }))
    .max(20)
    .meta({ description: 'Voices to take, in this order, when the first cannot be had.', examples: [['ja-JP-Keita']] }),
  responsiveness: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'How soon the agent answers: 1 is at once.', examples: [1] }),
  interruptionSensitivity: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'How easily the caller interrupts the agent: 0 is never.', examples: [1] }),
  enableBackchannel: z
    .boolean()
    .meta({ description: 'Whether the agent says small words while it listens.', examples: [false] }),
  backchannelFrequency: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'How often it says them: 1 is whenever it fits.', examples: [0.8] }),
  backchannelWords: z
    .array(text({ min: 1, max: 100 }))
    .max(100)
    .meta({ description: 'The small words. Empty: those usual in the language.', examples: [['はい', 'ええ']] }),
  reminderTriggerMs: z
    .number()
    .min(1000)
    .max(600_000)
    .meta({ description: 'Milliseconds of the caller’s silence after which the agent asks again.', examples: [10000] }),
  reminderMaxCount: z
    .int()
    .min(0)
    .max(100)
    .meta({ description: 'How many times it asks again: 0 is never.', examples: [1] }),
  beginMessageDelayMs: z
    .number()
    .min(0)
    .max(5000)
    .meta({ description: 'Milliseconds to wait before the first sentence.', examples: [0] }),
  endCallAfterSilenceMs: z
    .number()
    .min(10_000)
    .max(7_200_000)
    .meta({ description: 'Milliseconds of silence after which the agent hangs up.', examples: [600000] }),
  maxCallDurationMs: z
    .number()
    .min(60_000)
    .max(7_200_000)
    .meta({ description: 'Milliseconds after which a call ends.', examples: [3600000] }),
  sttMode: z
    .enum(sttModes)
    .meta({ description: 'Whether speech recognition favours speed or accuracy.', examples: ['fast'] }),
  sttProvider: text({ min: 1, max: 100 }).meta({
    description: 'The provider of speech recognition. `auto`: the one that the service is set up with.',
    examples: ['auto'],
  }),
  ttsProvider: text({ min: 1, max: 100 }).meta({
    description: 'The provider of the voice. `auto`: the one that the service is set up with.',
    examples: ['auto'],
  }),
  boostedKeywords: z
    .array(text({ min: 1, max: 255 }))
    .max(1000)
    .meta({ description: 'Words that speech recognition should expect.', examples: [['ケラチン', 'ブリーチ']] }),
  postCallAnalysisModel: text({ min: 1, max: 255 }).meta({
    description: 'The language model that analyses a call.',
    examples: ['gpt-5.4-mini'],
  }),
  webhookUrl: text({ min: 1, max: 2048 })
    .refine(isWebhookAddress, 'must be an https:// address (http:// only for this machine itself)')
    .nullable()
    .meta({
      description:
        'Where the events of calls are sent: an `https://` address, `http://` for loopback only. Null: nowhere.',
      examples: ['https://shop.example.com/hooks/calls'],
    }),
  webhookEvents: z
    .array(text({ min: 1, max: 100 }))
    .max(100)
    .meta({
      description: 'Which events are sent.',
      examples: [['call_started', 'call_ended', 'call_analyzed']],
    }),
  dataStorageSetting: z
    .enum(dataStorageSettings)
    .meta({ description: 'What is kept of a call.', examples: ['everything'] }),
};

/** Fields that are absent from an agent until they are set. */
export const optionalPlainFields = {
  startSkillId: text({ min: 1, max: 255 }).meta({
    description: 'The step at which a conversation flow begins.',
    examples: ['greeting'],
  }),
  agentGlobalPrompt: text({ max: maxPrompt }).meta({
    description: 'Instructions that hold in every step of a conversation flow.',
    examples: ['丁寧な敬語で話してください。'],
  }),
  agentVariables: z
    .array(z.unknown())
    .max(10_000)
    .meta({ description: 'Variables of the flow, in any shape.', examples: [[{ name: 'shop', value: '銀座店' }]] }),
  agentSettings: z.unknown().meta({ description: 'Further settings, in any shape.', examples: [{ theme: 'salon' }] }),
};

const nested = nestedFields(z.strictObject as unknown as ObjectOf, false);

/** An agent as every response carries it: these fields, in this order, and no others. */
export const agent = z
  .strictObject({
    id: z
      .string()
      .max(64)
      .meta({ description: 'The id of the agent.', examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
    workspaceId: z
      .string()
      .max(64)
      .meta({ description: 'The workspace that owns the agent.', examples: ['ws_01m2k7p9d40000h3v6s2q8e5j1tkcf'] }),
    name,
    version: z
      .number()
      .min(1)
      .meta({ description: 'The number of this version, from 1.', examples: [1] }),
    isPublished: z.boolean().meta({ description: 'Whether this version is published, or a draft.', examples: [false] }),
    versionDescription: plainFields.versionDescription,
    responseEngine: nested.responseEngine,
    voiceId,
    voiceModel: plainFields.voiceModel,
    voiceTemperature: plainFields.voiceTemperature,
    voiceSpeed: plainFields.voiceSpeed,
    voiceEmotion: plainFields.voiceEmotion,
    volume: plainFields.volume,
    enableDynamicVoiceSpeed: plainFields.enableDynamicVoiceSpeed,
    fallbackVoiceIds: plainFields.fallbackVoiceIds,
    responsiveness: plainFields.responsiveness,
    interruptionSensitivity: plainFields.interruptionSensitivity,
    enableBackchannel: plainFields.enableBackchannel,
    backchannelFrequency: plainFields.backchannelFrequency,
    backchannelWords: plainFields.backchannelWords,
    reminderTriggerMs: plainFields.reminderTriggerMs,
    reminderMaxCount: plainFields.reminderMaxCount,
    beginMessageDelayMs: plainFields.beginMessageDelayMs,
    beginMessage: beginMessage
      .nullable()
      .meta({ description: beginMessageDescription, examples: ['お電話ありがとうございます。'] }),
    endCallAfterSilenceMs: plainFields.endCallAfterSilenceMs,
    maxCallDurationMs: plainFields.maxCallDurationMs,
    language,
    sttMode: plainFields.sttMode,
    sttProvider: plainFields.sttProvider,
    ttsProvider: plainFields.ttsProvider,
    boostedKeywords: plainFields.boostedKeywords,
    adaptiveSpeechRate: nested.adaptiveSpeechRate.optional(),
    pronunciationDictionary: nested.pronunciationDictionary.optional(),
    postCallAnalysisData: nested.postCallAnalysisData,
    postCallAnalysisModel: plainFields.postCallAnalysisModel,
    webhookUrl: plainFields.webhookUrl,
    webhookEvents: plainFields.webhookEvents,
    dataStorageSetting: plainFields.dataStorageSetting,
    startSkillId: optionalPlainFields.startSkillId.optional(),
    agentGlobalPrompt: optionalPlainFields.agentGlobalPrompt.optional(),
    agentVariables: optionalPlainFields.agentVariables.optional(),
    agentSettings: optionalPlainFields.agentSettings.optional(),
    createdAt: z.iso
      .datetime()
      .meta({ description: 'When the agent was created.', examples: ['2026-11-15T09:30:00.000Z'] }),
    updatedAt: z.iso
      .datetime()
      .meta({ description: 'When the agent was last changed.', examples: ['2026-11-15T09:30:00.000Z'] }),
  })
  .meta({ id: 'Agent', description: 'A voice agent: what it says, how it sounds and how it listens.' });

export type Agent = z.infer<typeof agent>;

/**
 * Patterns of callers run under RE2, in linear time; one that RE2 cannot compile is refused when it is given. Compiling
 * is not linear: a short pattern can take most of a second. So their number and what they cost is looked at first.
 */
export function patternIssues(rules: readonly { find: string; isRegex?: boolean | undefined }[]) {
  const patterns = rules.flatMap(({ find, isRegex }, index) => (isRegex === true ? [{ find, index }] : []));
  if (patterns.length > maxPatterns) {
    return [{ path: [], message: `must have at most ${maxPatterns} regular expressions` }];
  }
  if (patterns.reduce((sum, { find }) => sum + patternCost(find), 0) > maxPatternCost) {
    const message =
      'has regular expressions that are too large together: repeat less in them, such as x{10} for x{1000}';
    return [{ path: [], message }];
  }
  return patterns.flatMap(({ find, index }) => {
    try {
      RE2JS.compile(find);
      return [];
    } catch (error) {
      return [{ path: [index, 'find'], message: `is not a regular expression in RE2 syntax${reasonOf(error)}` }];
    }
  });
}

/** Without the message as a whole, which quotes the pattern: an issue says where it is, and never repeats a value. */
function reasonOf(error: unknown): string {
  return error instanceof RE2JSSyntaxException ? ` (${error.getDescription()})` : '';
}

function isWebSocketAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.protocol === 'wss:' || url.protocol === 'ws:');
}

function isWebhookAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
