import { z } from 'zod';
import { text } from '../text.ts';
import { maxPatterns, patternIssues } from './patterns.ts';
import { integer, number, texts } from './ranges.ts';

export const engineTypes = ['single_prompt', 'conversation_flow', 'custom_llm'] as const;
export const voiceEmotions = ['calm', 'sympathetic', 'happy', 'sad', 'angry', 'fearful', 'surprised'] as const;
export const sttModes = ['fast', 'accurate'] as const;
export const analysisTypes = ['string', 'enum', 'boolean', 'number'] as const;
export const dataStorageSettings = ['everything', 'everything_except_pii', 'basic_attributes_only'] as const;

const maxPrompt = 200_000;

export const name = text({ min: 1, max: 255 }).meta({
  description: 'The display name of the agent. It does not have to be unique.',
  examples: ['予約受付'],
});
export const voiceId = text({ min: 1, max: 255 }).meta({
  description: 'The id of the voice, as assigned by its provider.',
  examples: ['mei'],
});
export const language = text({ max: 64 }).meta({
  description: 'The language of the conversation, as a BCP 47 tag.',
  examples: ['ja'],
});
export const beginMessage = text({ max: 10_000 });
export const beginMessageDescription =
  'The first thing the agent says. Null: the model generates it. Empty string: the agent waits for the caller to speak.';

export const engine = {
  type: z.enum(engineTypes).meta({
    id: 'ResponseEngineType',
    description:
      'How responses are generated: by a single prompt, by a flow of conversation steps, or by your own model behind a WebSocket.',
    examples: ['conversation_flow'],
  }),
  prompt: text({ max: maxPrompt }).meta({
    description: 'The instructions for the model.',
    examples: ['あなたは美容室の受付です。予約を承ってください。'],
  }),
  model: text({ max: 255 }).meta({ description: 'The language model.', examples: ['gpt-5.4-mini'] }),
  llmWebsocketUrl: text({ min: 1, max: 2048 })
    .refine(isWebSocketAddress, 'must be a ws:// or wss:// URL')
    .meta({
      description: 'The WebSocket URL of the model of a `custom_llm` agent, starting with `ws://` or `wss://`.',
      examples: ['wss://llm.example.com/agent'],
    }),
};

/** `z.object` ignores unknown fields (requests); `z.strictObject` rejects them (responses). */
type ObjectOf = typeof z.object;

/**
 * The nested objects of an agent, for requests or for responses. Patterns are compiled on the way in only. In OpenAPI the
 * two differ in whether they allow unknown fields, so each has a name of its own.
 */
export function nestedFields(object: ObjectOf, doesCheckPatterns: boolean) {
  const named = (name: string) => (object === z.object ? `${name}Input` : name);
  return {
    responseEngine: object({
      type: engine.type,
      prompt: engine.prompt.optional(),
      model: engine.model.optional(),
      llmWebsocketUrl: engine.llmWebsocketUrl.optional(),
    }).meta({ id: named('ResponseEngine'), description: 'How the responses of the agent are generated.' }),
    adaptiveSpeechRate: object({
      enabled: z
        .boolean()
        .meta({ description: 'Whether the agent adapts its speaking rate to the caller.', examples: [true] }),
      minSpeed: number(0.5, 1).meta({ description: 'The slowest speaking rate; 1 is normal.', examples: [0.8] }),
      maxSpeed: number(1, 2).meta({ description: 'The fastest speaking rate; 1 is normal.', examples: [1.3] }),
      windowSize: integer(1, 10).meta({
        description: 'The number of recent caller turns used to measure the speaking rate.',
        examples: [3],
      }),
      speedRatio: number(0.5, 2)
        .meta({ description: 'The speaking rate of the agent as a multiple of the caller’s.', examples: [1] })
        .optional(),
    }).meta({
      id: named('AdaptiveSpeechRate'),
      description: 'How the agent adapts its speaking rate to the caller.',
    }),
    pronunciationDictionary: z
      .array(
        object({
          find: text({ min: 1, max: 1000 }).meta({ description: 'The text to replace.', examples: ['SQL'] }),
          replace: text({ max: 1000 }).meta({
            description: 'The text to speak instead.',
            examples: ['エスキューエル'],
          }),
          isRegex: z
            .boolean()
            .optional()
            .meta({
              description: 'Whether `find` is a regular expression (RE2 syntax) instead of plain text.',
              examples: [false],
            }),
        }).meta({ id: named('PronunciationRule'), description: 'A pronunciation rule.' }),
      )
      .max(1000)
      .superRefine((rules, context) => {
        if (!doesCheckPatterns) return;
        for (const { path, message } of patternIssues(rules)) context.addIssue({ code: 'custom', path, message });
      })
      .meta({
        description: `Pronunciation rules, applied in order. At most ${maxPatterns} of them may be regular expressions, which together must compile within a tenth of a second.`,
      }),
    postCallAnalysisData: z
      .array(
        object({
          name: text({ min: 1, max: 255 }).meta({ description: 'The name of the result.', examples: ['booked'] }),
          type: z.enum(analysisTypes).meta({ description: 'The type of the result.', examples: ['boolean'] }),
          description: text({ max: 10_000 }).meta({
            description: 'What the model should extract.',
            examples: ['Whether the caller made a booking.'],
          }),
          options: texts(1000, 1000)
            .optional()
            .meta({ description: 'The allowed values, for type `enum`.', examples: [['yes', 'no']] }),
        }).meta({ id: named('PostCallAnalysisItem'), description: 'A value to extract.' }),
      )
      .max(200)
      .meta({ description: 'The values to extract from a call after it has ended.' }),
  };
}

/** How the agent sounds and takes turns. The groups are those between the other fields of an agent, in its order. */
const conversationFields = {
  voiceModel: text({ min: 1, max: 255 })
    .nullable()
    .meta({
      description: 'The voice model. Null: the provider’s default.',
      examples: [null],
    }),
  voiceTemperature: number(0, 2).meta({
    description: 'How much the voice varies: 0 is stable, 2 is most expressive.',
    examples: [1],
  }),
  voiceSpeed: number(0.5, 2).meta({ description: 'The speaking rate; 1 is normal.', examples: [1] }),
  voiceEmotion: z
    .enum(voiceEmotions)
    .nullable()
    .meta({ description: 'The emotion of the voice. Null: neutral.', examples: ['calm'] }),
  volume: number(0, 2).meta({ description: 'The volume of the voice; 1 is normal.', examples: [1] }),
  enableDynamicVoiceSpeed: z
    .boolean()
    .meta({ description: 'Whether the speaking rate adapts to what is being said.', examples: [false] }),
  fallbackVoiceIds: texts(255, 20).meta({
    description: 'Voices to use, in this order, if the main voice is unavailable.',
    examples: [['ja-JP-Keita']],
  }),
  responsiveness: number(0, 1).meta({
    description: 'How quickly the agent responds; 1 is immediately.',
    examples: [1],
  }),
  interruptionSensitivity: number(0, 1).meta({
    description: 'How easily the caller can interrupt the agent; 0 is never.',
    examples: [1],
  }),
  enableBackchannel: z.boolean().meta({
    description: 'Whether the agent says short acknowledgements, such as “uh-huh”, while it listens.',
    examples: [false],
  }),
  backchannelFrequency: number(0, 1).meta({
    description: 'How often the agent says them; 1 is at every opportunity.',
    examples: [0.8],
  }),
  backchannelWords: texts(100, 100).meta({
    description: 'The acknowledgements to use. Empty: the usual ones of the language.',
    examples: [['はい', 'ええ']],
  }),
  reminderTriggerMs: number(1000, 600_000).meta({
    description: 'How long the caller may be silent before the agent prompts again, in milliseconds.',
    examples: [10000],
  }),
  reminderMaxCount: integer(0, 100).meta({
    description: 'How many times the agent prompts again; 0 is never.',
    examples: [1],
  }),
  beginMessageDelayMs: number(0, 5000).meta({
    description: 'How long the agent waits before its first message, in milliseconds.',
    examples: [0],
  }),
};
const durationFields = {
  endCallAfterSilenceMs: number(10_000, 7_200_000).meta({
    description: 'How long a silence lasts before the agent hangs up, in milliseconds.',
    examples: [600000],
  }),
  maxCallDurationMs: number(60_000, 7_200_000).meta({
    description: 'The maximum duration of a call, in milliseconds.',
    examples: [3600000],
  }),
};
const speechFields = {
  sttMode: z
    .enum(sttModes)
    .meta({ description: 'Whether speech recognition favors speed or accuracy.', examples: ['fast'] }),
  sttProvider: text({ min: 1, max: 100 }).meta({
    description: 'The speech-to-text provider. `auto`: the one configured for the service.',
    examples: ['auto'],
  }),
  ttsProvider: text({ min: 1, max: 100 }).meta({
    description: 'The text-to-speech provider. `auto`: the one configured for the service.',
    examples: ['auto'],
  }),
  boostedKeywords: texts(255, 1000).meta({
    description: 'Words that speech recognition should favor.',
    examples: [['ケラチン', 'ブリーチ']],
  }),
};
const resultFields = {
  postCallAnalysisModel: text({ min: 1, max: 255 }).meta({
    description: 'The language model that analyzes a call.',
    examples: ['gpt-5.4-mini'],
  }),
  webhookUrl: text({ min: 1, max: 2048 })
    .refine(isWebhookAddress, 'must be an https:// URL (http:// is allowed for localhost only)')
    .nullable()
    .meta({
      description:
        'The URL that receives call events: `https://`, or `http://` for loopback addresses only. Null: events are not sent.',
      examples: ['https://shop.example.com/hooks/calls'],
    }),
  webhookEvents: texts(100, 100).meta({
    description: 'The events to send.',
    examples: [['call_started', 'call_ended', 'call_analyzed']],
  }),
  dataStorageSetting: z
    .enum(dataStorageSettings)
    .meta({ description: 'What is stored about a call.', examples: ['everything'] }),
};

/** Every field of an agent that callers may set and that is not an object. */
export const plainFields = {
  versionDescription: text({ max: 500 })
    .nullable()
    .meta({ description: 'What changed in this version.', examples: ['Opening hours for the holidays'] }),
  ...conversationFields,
  ...durationFields,
  ...speechFields,
  ...resultFields,
};

/** Fields that are absent from an agent until they are set. */
export const optionalPlainFields = {
  startSkillId: text({ min: 1, max: 255 }).meta({
    description: 'The step at which the conversation flow starts.',
    examples: ['greeting'],
  }),
  agentGlobalPrompt: text({ max: maxPrompt }).meta({
    description: 'Instructions that apply to every step of the conversation flow.',
    examples: ['丁寧な敬語で話してください。'],
  }),
  agentVariables: z
    .array(z.unknown())
    .max(10_000)
    .meta({
      description:
        'Variables for `{{name}}` in texts: `name`, and optionally `value` (the default), `example` and `description`. Other items are kept and have no effect.',
      examples: [[{ name: 'shop', value: '銀座店' }]],
    }),
  agentSettings: z
    .unknown()
    .meta({ description: 'Additional settings, in any structure.', examples: [{ theme: 'salon' }] }),
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
      .meta({ description: 'The version number, starting at 1.', examples: [1] }),
    isPublished: z
      .boolean()
      .meta({ description: 'Whether this version is published. If not, it is a draft.', examples: [false] }),
    versionDescription: plainFields.versionDescription,
    responseEngine: nested.responseEngine,
    voiceId,
    ...conversationFields,
    beginMessage: beginMessage
      .nullable()
      .meta({ description: beginMessageDescription, examples: ['お電話ありがとうございます。'] }),
    ...durationFields,
    language,
    ...speechFields,
    adaptiveSpeechRate: nested.adaptiveSpeechRate.optional(),
    pronunciationDictionary: nested.pronunciationDictionary.optional(),
    postCallAnalysisData: nested.postCallAnalysisData,
    ...resultFields,
    ...z.object(optionalPlainFields).partial().shape,
    createdAt: z.iso
      .datetime()
      .meta({ description: 'When the agent was created.', examples: ['2026-11-15T09:30:00.000Z'] }),
    updatedAt: z.iso
      .datetime()
      .meta({ description: 'When the agent was last updated.', examples: ['2026-11-15T09:30:00.000Z'] }),
  })
  .meta({ id: 'Agent', description: 'A voice agent: what it says, how it sounds and how it listens.' });

export type Agent = z.infer<typeof agent>;

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
