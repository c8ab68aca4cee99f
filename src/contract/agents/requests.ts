import { z } from 'zod';
import {
  beginMessage,
  beginMessageDescription,
  engine,
  language,
  name,
  nestedFields,
  optionalPlainFields,
  plainFields,
  voiceId,
} from './agent.ts';

export const defaultEngineType = 'conversation_flow';
export const defaultModel = 'gpt-5.4-mini';

const nested = nestedFields(z.object, true);

/** Every other writable field of an agent, with its default. */
const plainFieldsWithDefaults = {
  versionDescription: plainFields.versionDescription.default(null),
  voiceModel: plainFields.voiceModel.default(null),
  voiceTemperature: plainFields.voiceTemperature.default(1),
  voiceSpeed: plainFields.voiceSpeed.default(1),
  voiceEmotion: plainFields.voiceEmotion.default(null),
  volume: plainFields.volume.default(1),
  enableDynamicVoiceSpeed: plainFields.enableDynamicVoiceSpeed.default(false),
  fallbackVoiceIds: plainFields.fallbackVoiceIds.default([]),
  responsiveness: plainFields.responsiveness.default(1),
  interruptionSensitivity: plainFields.interruptionSensitivity.default(1),
  enableBackchannel: plainFields.enableBackchannel.default(false),
  backchannelFrequency: plainFields.backchannelFrequency.default(0.8),
  backchannelWords: plainFields.backchannelWords.default([]),
  reminderTriggerMs: plainFields.reminderTriggerMs.default(10_000),
  reminderMaxCount: plainFields.reminderMaxCount.default(1),
  beginMessageDelayMs: plainFields.beginMessageDelayMs.default(0),
  endCallAfterSilenceMs: plainFields.endCallAfterSilenceMs.default(600_000),
  maxCallDurationMs: plainFields.maxCallDurationMs.default(3_600_000),
  sttMode: plainFields.sttMode.default('fast'),
  sttProvider: plainFields.sttProvider.default('auto'),
  ttsProvider: plainFields.ttsProvider.default('auto'),
  boostedKeywords: plainFields.boostedKeywords.default([]),
  postCallAnalysisModel: plainFields.postCallAnalysisModel.default(defaultModel),
  webhookUrl: plainFields.webhookUrl.default(null),
  webhookEvents: plainFields.webhookEvents.default(['call_started', 'call_ended', 'call_analyzed']),
  dataStorageSetting: plainFields.dataStorageSetting.default('everything'),
};

export const createAgentBody = z
  .object({
    name,
    voiceId,
    // Optional, with the default documented but not applied here: `responseEngine` may provide the value instead.
    responseEngineType: engine.type.optional().meta({ default: defaultEngineType }),
    prompt: engine.prompt.optional(),
    llmModel: engine.model.optional().meta({ default: defaultModel }),
    language: language.default('ja'),
    beginMessage: beginMessage
      .optional()
      .meta({ description: beginMessageDescription, examples: ['お電話ありがとうございます。'] }),
    adaptiveSpeechRate: nested.adaptiveSpeechRate.optional(),
    responseEngine: nested.responseEngine
      .partial()
      .meta({ id: 'CreateResponseEngine', description: 'How the responses of a new agent are generated.' })
      .optional()
      .meta({
        description:
          'An alternative to `responseEngineType`, `prompt` and `llmModel`, with the same structure as in the agent, and the only way to set `llmWebsocketUrl`. If you send both, they must agree.',
      }),
    pronunciationDictionary: nested.pronunciationDictionary.optional(),
    postCallAnalysisData: nested.postCallAnalysisData.default([]),
    ...plainFieldsWithDefaults,
    ...z.object(optionalPlainFields).partial().shape,
  })
  .superRefine((body, context) => {
    const pairs = [
      ['type', 'responseEngineType'],
      ['prompt', 'prompt'],
      ['model', 'llmModel'],
    ] as const;
    for (const [inner, flat] of pairs) {
      const given = body.responseEngine?.[inner];
      if (given !== undefined && body[flat] !== undefined && given !== body[flat]) {
        context.addIssue({ code: 'custom', path: ['responseEngine', inner], message: `contradicts ${flat}` });
      }
    }
  })
  .meta({ id: 'CreateAgent', description: 'A new agent. Only `name` and `voiceId` are required.' });

export type CreateAgent = z.output<typeof createAgentBody>;

/** Null removes an optional field, both at the top level and inside the two objects that are merged. */
function removable<S extends z.ZodType>(schema: S) {
  const { description, examples } = schema.meta() ?? {};
  return schema
    .nullable()
    .optional()
    .meta({ ...(description ? { description } : {}), ...(examples ? { examples } : {}) });
}

/** The shorthand fields of create. Ignoring them like other unknown fields would silently drop the change. */
function movedTo(path: string) {
  return z
    .never({ error: `cannot be set here: use ${path} instead` })
    .optional()
    .meta({ description: `Not supported in updates: use \`${path}\` instead. Sending it is an error.` });
}

export const updateAgentBody = z
  .object({
    name: name.optional(),
    voiceId: voiceId.optional(),
    language: language.optional(),
    beginMessage: beginMessage
      .nullable()
      .optional()
      .meta({ description: beginMessageDescription, examples: ['お電話ありがとうございます。'] }),
    ...z.object(plainFields).partial().shape,
    responseEngine: nested.responseEngine
      .partial()
      .extend({
        prompt: removable(engine.prompt),
        model: removable(engine.model),
        llmWebsocketUrl: removable(engine.llmWebsocketUrl),
      })
      .meta({ id: 'UpdateResponseEngine', description: 'Changes to how the responses are generated.' })
      .optional()
      .meta({
        description:
          'How the responses of the agent are generated. Merged into the current value; null removes an optional field.',
      }),
    adaptiveSpeechRate: removable(
      nested.adaptiveSpeechRate
        .partial()
        .extend({ speedRatio: removable(nested.adaptiveSpeechRate.shape.speedRatio.unwrap()) })
        .meta({ id: 'UpdateAdaptiveSpeechRate', description: 'Changes to the adaptive speaking rate.' }),
    ).meta({
      description:
        'How the agent adapts its speaking rate to the caller. Merged into the current value; null removes it.',
    }),
    pronunciationDictionary: removable(nested.pronunciationDictionary),
    postCallAnalysisData: nested.postCallAnalysisData.optional(),
    startSkillId: removable(optionalPlainFields.startSkillId),
    agentGlobalPrompt: removable(optionalPlainFields.agentGlobalPrompt),
    agentVariables: removable(optionalPlainFields.agentVariables),
    agentSettings: optionalPlainFields.agentSettings.optional(),
    responseEngineType: movedTo('responseEngine.type'),
    prompt: movedTo('responseEngine.prompt'),
    llmModel: movedTo('responseEngine.model'),
  })
  .meta({
    id: 'UpdateAgent',
    description:
      'A JSON Merge Patch (RFC 7396) with the structure of the agent: fields you send replace the current values, objects are merged, lists are replaced as a whole, and null removes an optional field. All other fields stay as they are.',
  });

export type UpdateAgent = z.output<typeof updateAgentBody>;

export const duplicateAgentBody = z
  .object({
    name: name.optional().meta({ description: 'The name of the copy. Defaults to the name of the original.' }),
  })
  .meta({ id: 'DuplicateAgent', description: 'Options for the copy.' });

export const publishAgentBody = z
  .object({ versionDescription: plainFields.versionDescription.optional() })
  .meta({ id: 'PublishAgent', description: 'Options for the published version.' });
