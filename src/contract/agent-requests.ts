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

/** Every other writable field of an agent, each with what it stands for when it is left out. */
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
    // Optional here, with the default only told: `responseEngine` may give them instead, so the default comes last.
    responseEngineType: engine.type.optional().meta({ default: defaultEngineType }),
    prompt: engine.prompt.optional(),
    llmModel: engine.model.optional().meta({ default: defaultModel }),
    language: language.default('ja'),
    beginMessage: beginMessage
      .optional()
      .meta({ description: beginMessageDescription, examples: ['お電話ありがとうございます。'] }),
    adaptiveSpeechRate: nested.adaptiveSpeechRate.optional(),
    responseEngine: nested.responseEngine.partial().optional().meta({
      description:
        'The same as `responseEngineType`, `prompt` and `llmModel`, in the shape that the agent has; the only way to give `llmWebsocketUrl`. Where both name a thing, they must agree.',
    }),
    pronunciationDictionary: nested.pronunciationDictionary.optional(),
    postCallAnalysisData: nested.postCallAnalysisData.default([]),
    ...plainFieldsWithDefaults,
    startSkillId: optionalPlainFields.startSkillId.optional(),
    agentGlobalPrompt: optionalPlainFields.agentGlobalPrompt.optional(),
    agentVariables: optionalPlainFields.agentVariables.optional(),
    agentSettings: optionalPlainFields.agentSettings.optional(),
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
  .meta({ id: 'CreateAgent', description: 'A new agent. Only `name` and `voiceId` have to be given.' });

export type CreateAgent = z.output<typeof createAgentBody>;

/** Null takes an optional field away, at the top and inside the two objects that are merged. */
function removable<S extends z.ZodType>(schema: S) {
  const { description, examples } = schema.meta() ?? {};
  return schema
    .nullable()
    .optional()
    .meta({ ...(description ? { description } : {}), ...(examples ? { examples } : {}) });
}

/** The short names of create. Ignored like any unknown field, they would make a change that changes nothing. */
function movedTo(place: string) {
  return z
    .never({ error: `stands in ${place} here` })
    .optional()
    .meta({ description: `Not here: an agent has this in \`${place}\`. Refused, so that it is not overlooked.` });
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
      .optional()
      .meta({
        description: 'What decides what the agent says. Merged into what is there; null takes an optional part away.',
      }),
    adaptiveSpeechRate: removable(
      nested.adaptiveSpeechRate
        .partial()
        .extend({ speedRatio: removable(nested.adaptiveSpeechRate.shape.speedRatio.unwrap()) }),
    ).meta({ description: 'How the agent adapts its pace. Merged into what is there; null takes it away.' }),
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
      'A JSON Merge Patch (RFC 7396) in the shape of the agent: what is given replaces what is there, objects are merged, lists are replaced whole, null takes an optional field away. What is not given stays.',
  });

export type UpdateAgent = z.output<typeof updateAgentBody>;

export const duplicateAgentBody = z
  .object({
    name: name.optional().meta({ description: 'The name of the copy. Left out: the same as the original’s.' }),
  })
  .meta({ id: 'DuplicateAgent', description: 'How the copy is to differ.' });

export const publishAgentBody = z
  .object({ versionDescription: plainFields.versionDescription.optional() })
  .meta({ id: 'PublishAgent', description: 'What to say about the version that is published.' });
