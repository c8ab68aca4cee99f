import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { text } from '../text.ts';

export const capabilityNames = ['stt', 'tts', 'llm', 'embeddings'] as const;

/** The providers that need an account, or a server of one's own. `embeddings` is any server with OpenAI's `/embeddings`. */
export const accountProviders = ['openai', 'deepgram', 'elevenlabs', 'cartesia', 'embeddings'] as const;

export type AccountProvider = (typeof accountProviders)[number];

export function isAccountProvider(name: string): name is AccountProvider {
  return (accountProviders as readonly string[]).includes(name);
}

const sources = ['workspace', 'operator', 'embedded', 'none'] as const;

export type ProviderSource = (typeof sources)[number];

export const source = z.enum(sources).meta({
  description:
    '`workspace`: the workspace’s own credentials. `operator`: those in the environment of the service. `embedded`: no account is needed. `none`: not configured.',
  examples: ['embedded'],
});

/** Why a provider cannot be used, as far as a request can tell. */
export const verificationProblems = [
  'not_configured',
  'key_missing',
  'key_rejected',
  'permission_missing',
  'quota_exceeded',
  'rate_limited',
  'model_missing',
  'wrong_address',
  'address_not_allowed',
  'unreachable',
  'tls_failed',
  'timeout',
  'provider_failed',
] as const;

export type VerificationProblem = (typeof verificationProblems)[number];

export const maxModels = 50;
const maxModelName = 200;
const modelPattern = '^[!-~]+$';

const modelName = text({ min: 1, max: maxModelName }).refine((name) => name === '' || /^[\x21-\x7e]+$/.test(name), {
  message: 'must be the name of a model: printable ASCII characters without spaces',
});

const providerName = z.enum(accountProviders).meta({ description: 'The provider.', examples: ['openai'] });
const none = z.object({});
const oneProvider = {
  params: z.object({
    provider: z.string().meta({
      description: 'The provider: `openai`, `deepgram`, `elevenlabs`, `cartesia` or `embeddings`.',
      examples: ['openai'],
    }),
  }),
  query: none,
  body: null,
} as const;

const models = z.record(z.string().max(maxModelName), z.string().max(maxModelName));

export const credentials = z
  .strictObject({
    provider: providerName,
    apiKey: z
      .strictObject({
        set: z.boolean().meta({ description: 'Whether there is a key.', examples: [true] }),
        last4: z
          .string()
          .max(4)
          .nullable()
          .meta({
            description: 'Its last four characters. Null if there is no key, or if it is shorter than 16 characters.',
            examples: ['a9f2'],
          }),
        updatedAt: z.iso
          .datetime()
          .nullable()
          .meta({
            description: 'When it was last set. Null if there is no key.',
            examples: ['2026-11-15T09:30:00.000Z'],
          }),
      })
      .meta({
        id: 'CredentialsKey',
        description: 'What may be known about the key, which is never returned.',
        examples: [exampleKey()],
      }),
    baseUrl: z
      .string()
      .max(2048)
      .nullable()
      .meta({ description: 'The address of the provider. Null: the usual one.', examples: [null] }),
    models: models.meta({
      description: 'The names that are sent to the provider instead of those of agents.',
      examples: [{}],
    }),
    model: z
      .string()
      .max(maxModelName)
      .nullable()
      .meta({ description: 'The model, for `embeddings`. Otherwise null.', examples: [null] }),
    createdAt: z.iso
      .datetime()
      .meta({ description: 'When credentials were first set.', examples: ['2026-11-15T09:30:00.000Z'] }),
    updatedAt: z.iso
      .datetime()
      .meta({ description: 'When credentials were last set.', examples: ['2026-11-15T09:30:00.000Z'] }),
  })
  .meta({ id: 'Credentials', description: 'How the workspace uses a provider, without the key.' });

export type CredentialsBody = z.infer<typeof credentials>;

function exampleKey() {
  return { set: true, last4: 'a9f2', updatedAt: '2026-11-15T09:30:00.000Z' };
}

export const putCredentials = defineOperation({
  ...oneProvider,
  id: 'providers.credentials.put',
  kind: 'change',
  method: 'PUT',
  path: '/api/v1/providers/{provider}/credentials',
  scope: 'providers:write',
  risk: 'sensitive',
  summary: 'Set the credentials of a provider',
  description:
    'Sets the key, the address and the model names that this workspace uses at a provider, in place of those of the operator. Applies to the next call, on every instance within a second; ongoing calls keep what they started with. The key is encrypted and cannot be read again. Without `apiKey`, the key that is set stays, as long as the host of the address stays the same (422): a key is only ever sent where it was meant for. A key or an address is required.',
  body: z
    .object({
      apiKey: text({ min: 1, max: 1000 })
        .refine((key) => key === '' || /^[\x21-\x7e]*$/.test(key), 'must be printable ASCII characters, without spaces')
        .nullable()
        .optional()
        .meta({
          description: 'The key. It is never returned. Null: requests carry none. Absent: the one that is set stays.',
          examples: ['sk-0000-EXAMPLE'],
          pattern: modelPattern,
        }),
      baseUrl: text({ min: 1, max: 2048 })
        .nullable()
        .optional()
        .meta({
          description:
            'The address of the provider, such as that of a compatible server, as in `OPENAI_BASE_URL`. It must be public, or in a network that the operator allows. Null or absent: the usual one of the provider.',
          examples: ['https://models.example.com/v1'],
        }),
      models: z
        .record(modelName, modelName)
        .refine((given) => Object.keys(given).length <= maxModels, `must have at most ${maxModels} models`)
        .optional()
        .meta({
          description:
            'For `openai`: the names that are sent instead of those of agents, as in `LLM_MODEL_MAP`; `*` is every other language model.',
          examples: [{ 'gpt-5.4-mini': 'llama3.2', '*': 'qwen3' }],
        }),
      model: modelName
        .nullable()
        .optional()
        .meta({
          description: 'For `embeddings`, where it is required: the model that texts of knowledge bases are sent to.',
          examples: [null],
          pattern: modelPattern,
        }),
    })
    .meta({ id: 'PutCredentials', description: 'The key of a provider, and how it is used.' }),
  bodyExample: { apiKey: 'sk-0000-EXAMPLE' },
  success: { status: 200, description: 'The credentials, without the key.', body: credentials },
});

export const deleteCredentials = defineOperation({
  ...oneProvider,
  id: 'providers.credentials.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/providers/{provider}/credentials',
  scope: 'providers:write',
  risk: 'sensitive',
  summary: 'Delete the credentials of a provider',
  description:
    'Deletes the credentials that this workspace has at a provider. From the next call on, it uses those of the operator, if there are any and they are shared.',
  success: {
    status: 200,
    description: 'The credentials have been deleted.',
    body: z
      .strictObject({
        provider: providerName,
        deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
      })
      .meta({ id: 'DeletedCredentials', description: 'Confirms the deletion.' }),
  },
});

export const verifyProvider = defineOperation({
  ...oneProvider,
  id: 'providers.verify',
  kind: 'action',
  method: 'POST',
  path: '/api/v1/providers/{provider}/verify',
  scope: 'providers:write',
  rateLimit: { name: 'provider-verifications', requests: 20, windowSeconds: 60 },
  risk: 'sensitive',
  summary: 'Verify a provider',
  description:
    'Sends the cheapest request that proves the key to the provider, and returns what came of it: the response is 200 even if the key does not work. Uses what the next call would use: the workspace’s credentials, or those of the operator. For `openai`, it lists the models; for `embeddings`, it embeds one word; for the others, it asks about the key or lists a voice. Limited to 20 requests per minute per API key. Takes up to 15 seconds.',
  success: {
    status: 200,
    description: 'The outcome.',
    body: z
      .strictObject({
        provider: providerName,
        source,
        ok: z.boolean().meta({ description: 'Whether the provider accepts the key.', examples: [true] }),
        problem: z
          .enum(verificationProblems)
          .nullable()
          .meta({ description: 'What is wrong. Null if nothing is.', examples: [null] }),
        message: z
          .string()
          .max(500)
          .meta({
            description: 'The outcome in a sentence.',
            examples: ['OpenAI accepts the key.'],
          }),
        statusCode: z
          .int()
          .nullable()
          .meta({ description: 'The status of the provider’s response, if there was one.', examples: [200] }),
        tookMs: z.int().meta({ description: 'How long it took, in milliseconds.', examples: [212] }),
      })
      .meta({ id: 'ProviderVerification', description: 'What a request to the provider says about the key.' }),
  },
});

export type VerificationBody = z.infer<typeof verifyProvider.success.body>;
