import { z } from 'zod';
import { voiceEmotions } from '../agents/agent.ts';
import { defineContract } from '../area.ts';
import { defineOperation } from '../operation.ts';
import { onePage } from '../pagination.ts';
import { text } from '../text.ts';
import {
  capabilityNames,
  credentials,
  deleteCredentials,
  putCredentials,
  source,
  verifyProvider,
} from './credentials.ts';
import { providerScopes } from './scopes.ts';

export type { CredentialsBody, ProviderSource } from './credentials.ts';

const none = z.object({});

const languages = z.array(
  z
    .string()
    .max(64)
    .meta({ description: 'A language, as a BCP 47 tag.', examples: ['en'] }),
);

const provider = z
  .strictObject({
    name: z
      .string()
      .max(64)
      .meta({ description: 'The name, as in `sttProvider` and `ttsProvider` of an agent.', examples: ['embedded'] }),
    configured: z
      .boolean()
      .meta({ description: 'Whether calls can use it: its key is set, or its parts are installed.', examples: [true] }),
    capabilities: z
      .array(
        z.enum(capabilityNames).meta({
          description:
            '`stt` recognizes speech, `tts` speaks, `llm` is a language model, `embeddings` finds passages in knowledge bases by their meaning.',
          examples: ['tts'],
        }),
      )
      .meta({ description: 'What it can do.', examples: [['stt', 'tts']] }),
    languages: languages.meta({
      description: 'The supported languages. An empty list means any language.',
      examples: [['en']],
    }),
    automatic: z.boolean().meta({
      description:
        'Whether calls use it for agents whose provider is `auto`. An agent has to name any other provider, such as a server that may have language models only.',
      examples: [true],
    }),
    usedFor: z.array(z.enum(capabilityNames)).meta({
      description:
        'The capabilities that calls and knowledge bases take from it first, unless an agent names another provider or it does not support the language.',
      examples: [['stt']],
    }),
    source,
    credentials: credentials.nullable().meta({
      description: 'The workspace’s own credentials. Null if it has none.',
      examples: [null],
    }),
  })
  .meta({ id: 'Provider', description: 'A provider of speech recognition, voices, language models or embeddings.' });

const voice = z
  .strictObject({
    provider: z
      .string()
      .max(64)
      .meta({ description: 'The provider of the voice.', examples: ['embedded'] }),
    voiceId: z
      .string()
      .max(255)
      .meta({ description: 'The id of the voice, as in `voiceId` of an agent.', examples: ['slt'] }),
    name: z
      .string()
      .max(255)
      .meta({ description: 'The provider’s name for the voice.', examples: ['SLT, American English, female'] }),
    languages: languages.meta({
      description: 'The languages that it speaks. An empty list means any language.',
      examples: [['en']],
    }),
  })
  .meta({ id: 'Voice', description: 'A voice that agents can use.' });

export const listProviders = defineOperation({
  id: 'providers.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/providers',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'List providers',
  description:
    'Returns the providers of speech, language models and embeddings that this service supports, whether they are configured, and by whom. A provider that recognizes different languages from those it speaks has an entry for each. `usedFor` and `source` say where each capability comes from. Keys are never returned.',
  params: none,
  query: none,
  body: null,
  success: {
    status: 200,
    description: 'All providers.',
    body: z
      .strictObject({
        items: z.array(provider).meta({ description: 'The providers.' }),
        pagination: onePage,
      })
      .meta({ id: 'ProviderPage', description: 'All providers.' }),
  },
});

export const listVoices = defineOperation({
  id: 'voices.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/voices',
  scope: 'calls:read',
  risk: 'standard',
  summary: 'List voices',
  description: 'Returns the voices of the configured providers.',
  params: none,
  query: z.object({
    provider: text({ min: 1, max: 64 })
      .optional()
      .meta({ description: 'Only voices of this provider.', examples: ['embedded'] }),
    language: text({ min: 1, max: 64 })
      .optional()
      .meta({
        description: 'Only voices that speak this language, as a BCP 47 tag. The region is ignored.',
        examples: ['en-US'],
      }),
  }),
  body: null,
  success: {
    status: 200,
    description: 'The voices.',
    body: z
      .strictObject({ items: z.array(voice).meta({ description: 'The voices.' }), pagination: onePage })
      .meta({ id: 'VoicePage', description: 'Voices of the configured providers.' }),
  },
});

export const previewVoice = defineOperation({
  id: 'voices.preview',
  kind: 'read',
  method: 'POST',
  path: '/api/v1/voices/preview',
  scope: 'calls:write',
  rateLimit: { name: 'voice-previews', requests: 20, windowSeconds: 60 },
  risk: 'sensitive',
  summary: 'Preview a voice',
  description:
    'Speaks a text with a voice and returns the audio: one channel of 16-bit PCM, as a WAV file. Nothing is stored. The provider may charge for it. Limited to 20 requests per minute per API key. Returns 422 if the provider is not configured for the language or does not have the voice, or if the text contains nothing that the voice can say, and 502 if the provider fails.',
  params: none,
  query: none,
  body: z
    .object({
      provider: text({ min: 1, max: 64 }).meta({
        description: 'The provider, or `auto` for the one that an agent with `auto` gets.',
        examples: ['embedded'],
      }),
      voiceId: text({ min: 1, max: 255 }).meta({ description: 'The voice.', examples: ['slt'] }),
      voiceModel: text({ min: 1, max: 255 })
        .nullable()
        .optional()
        .meta({ description: 'The voice model. Default: the provider’s default.', examples: [null] }),
      voiceSpeed: z
        .number()
        .min(0.5)
        .max(2)
        .default(1)
        .meta({ description: 'The speaking rate; 1 is normal.', examples: [1] }),
      voiceEmotion: z
        .enum(voiceEmotions)
        .nullable()
        .optional()
        .meta({ description: 'The emotion of the voice. Default: neutral.', examples: [null] }),
      language: text({ min: 1, max: 64 }).meta({
        description: 'The language of the text, as a BCP 47 tag.',
        examples: ['en-US'],
      }),
      text: text({ min: 1, max: 300 }).meta({
        description: 'What the voice says.',
        examples: ['Thank you for calling. How can I help you?'],
      }),
    })
    .meta({ id: 'PreviewVoice', description: 'What to say, and how.' }),
  bodyExample: {
    provider: 'embedded',
    voiceId: 'slt',
    language: 'en-US',
    text: 'Thank you for calling. How can I help you?',
  },
  success: {
    status: 200,
    description: 'The audio.',
    body: null,
    media: { type: 'audio/wav', description: 'A WAV file.' },
  },
});

export const providersContract = defineContract({
  tag: {
    name: 'Providers',
    description:
      'Providers of speech, language models and embeddings, the workspace’s keys for them, and their voices.',
  },
  idPrefixes: [],
  scopes: providerScopes,
  operations: [listProviders, putCredentials, deleteCredentials, verifyProvider, listVoices, previewVoice],
});
