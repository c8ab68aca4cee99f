import { z } from 'zod';
import {
  agent,
  createBeginMessage,
  createEngineFields,
  language,
  name,
  nestedFields,
  optionalPlainFields,
  plainFields,
  voiceId,
} from './agent.ts';
import { defineOperation } from './operation.ts';
import { page, pageParameters } from './pagination.ts';
import { text } from './text.ts';

const noQuery = z.object({});
const noParams = z.object({});
const agentId = z.object({
  id: z.string().meta({ description: 'The id of the agent.', examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
});

export const defaultEngineType = 'conversation_flow';
export const defaultModel = 'gpt-5.4-mini';

const nested = nestedFields(z.object);

export const createAgentBody = z
  .object({
    name,
    voiceId,
    // Optional here, with the default only told: `responseEngine` may give them instead, so the default comes last.
    responseEngineType: createEngineFields.responseEngineType.optional().meta({ default: defaultEngineType }),
    prompt: createEngineFields.prompt.optional(),
    llmModel: createEngineFields.llmModel.optional().meta({ default: defaultModel }),
    language: language.default('ja'),
    beginMessage: createBeginMessage.optional(),
    adaptiveSpeechRate: nested.adaptiveSpeechRate.optional(),
    responseEngine: nested.responseEngine.partial().optional().meta({
      description:
        'The same as `responseEngineType`, `prompt` and `llmModel`, in the shape that the agent has; the only way to give `llmWebsocketUrl`. Where both name a thing, they must agree.',
    }),
    pronunciationDictionary: nested.pronunciationDictionary.optional(),
    postCallAnalysisData: nested.postCallAnalysisData.default([]),
    ...withDefaults(),
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

function withDefaults() {
  return {
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
}

export const listAgents = defineOperation({
  id: 'agents.list',
  method: 'GET',
  path: '/api/v1/agents',
  scope: 'agents:read',
  risk: 'standard',
  tag: 'Agents',
  summary: 'List agents',
  description:
    'The agents of the workspace, newest first, a page at a time. Agents that are created while you page are neither repeated nor do they push others out.',
  params: noParams,
  query: z.object({
    ...pageParameters,
    q: text({ min: 1, max: 500 })
      .optional()
      .meta({
        description:
          'Only agents whose name contains this text, or whose id it is. Case and width do not matter: ｶﾌﾞｼｷ finds カブシキ. Everything in it is plain text.',
        examples: ['予約'],
      }),
  }),
  body: null,
  success: {
    status: 200,
    description: 'A page of agents.',
    body: page('AgentPage', agent),
    headers: { Link: 'The address of the next page, with `rel="next"`; absent on the last one.' },
  },
});

export const createAgent = defineOperation({
  id: 'agents.create',
  method: 'POST',
  path: '/api/v1/agents',
  scope: 'agents:write',
  risk: 'standard',
  tag: 'Agents',
  summary: 'Create an agent',
  description:
    'Makes version 1 of a new agent, a draft. The answer comes once the agent is safely on disk. Fields that the request does not know are ignored, or refused with `Prefer: handling=strict`.',
  params: noParams,
  query: noQuery,
  body: createAgentBody,
  bodyExample: {
    name: '予約受付',
    voiceId: 'ja-JP-Nanami',
    responseEngineType: 'single_prompt',
    prompt: 'あなたは美容室の受付です。予約を承ってください。',
    language: 'ja',
    beginMessage: 'お電話ありがとうございます。',
    adaptiveSpeechRate: { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3 },
  },
  success: { status: 201, description: 'The new agent.', body: agent },
});

export const getAgent = defineOperation({
  id: 'agents.get',
  method: 'GET',
  path: '/api/v1/agents/{id}',
  scope: 'agents:read',
  risk: 'standard',
  tag: 'Agents',
  summary: 'Get an agent',
  description: 'One agent of the workspace. An agent of another workspace is as unknown as one that does not exist.',
  params: agentId,
  query: noQuery,
  body: null,
  success: { status: 200, description: 'The agent.', body: agent },
});
