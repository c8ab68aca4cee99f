import { z } from 'zod';
import { defineContract } from '../area.ts';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { allScopes } from '../scopes.ts';
import { text } from '../text.ts';
import { keyScopes } from './scopes.ts';

const none = z.object({});
const id = z.string().meta({ description: 'The id of the key.', examples: ['key_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });
const keyName = text({ max: 255 })
  .nullable()
  .meta({ description: 'A label for the key.', examples: ['CI of the shop'] });
const scopeList = z
  .array(z.enum(allScopes).meta({ description: 'One scope.', examples: ['agents:read'] }))
  .min(1)
  .max(100)
  .meta({ description: 'The scopes of the key.', examples: [['agents:read', 'agents:write']] });
const time = z.iso.datetime();

const fields = {
  id: id.max(64),
  workspaceId: z
    .string()
    .max(64)
    .meta({ description: 'The workspace that the key belongs to.', examples: ['ws_01m2k7p9d40000h3v6s2q8e5j1tkcf'] }),
  name: keyName,
  hint: z
    .string()
    .max(64)
    .meta({ description: 'The first characters of the secret, to tell keys apart.', examples: ['vak_Ab3x…'] }),
  scopes: z
    .array(z.string())
    .meta({ description: 'The scopes of the key.', examples: [['agents:read', 'agents:write']] }),
  createdAt: time.meta({ description: 'When the key was created.', examples: ['2026-11-15T09:30:00.000Z'] }),
  expiresAt: time.nullable().meta({ description: 'When the key expires. Null: never.', examples: [null] }),
  revokedAt: time
    .nullable()
    .meta({ description: 'When the key was revoked. Null: it has not been revoked.', examples: [null] }),
  lastUsedAt: time.nullable().meta({
    description: 'When the key was last used; updated with a delay of a few seconds. Null: never.',
    examples: ['2026-11-15T09:45:00.000Z'],
  }),
};

export const apiKey = z
  .strictObject(fields)
  .meta({ id: 'ApiKey', description: 'An API key, without its secret, which is not stored.' });

export type ApiKeyBody = z.infer<typeof apiKey>;

const newApiKey = z
  .strictObject({
    ...fields,
    key: z
      .string()
      .max(200)
      .meta({
        description: 'The secret. It is returned only in this response: store it now.',
        examples: ['vak_0000000000000000000000000000000000EXMPL'],
      }),
  })
  .meta({ id: 'NewApiKey', description: 'A new API key, with its secret.' });

export type NewApiKeyBody = z.infer<typeof newApiKey>;

const keys = { params: z.object({ id }), query: none, body: null } as const;

export const createApiKey = defineOperation({
  ...keys,
  id: 'apiKeys.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/api-keys',
  scope: 'keys:write',
  risk: 'sensitive',
  summary: 'Create an API key',
  description:
    'Creates an API key for this workspace. The secret is returned only in this response. A key cannot grant scopes that it does not have (403). A key that has been rotated cannot create keys (422).',
  params: none,
  body: z
    .object({
      name: keyName.default(null),
      scopes: scopeList,
      expiresAt: z.iso
        .datetime({ offset: true })
        .nullable()
        .default(null)
        .meta({
          description:
            'When the key should expire. Null: never. A key that expires cannot create keys that outlive it.',
          examples: ['2027-01-31T00:00:00Z'],
        }),
    })
    .meta({ id: 'CreateApiKey', description: 'A new key.' }),
  bodyExample: { name: 'CI of the shop', scopes: ['agents:read'] },
  success: { status: 201, description: 'The new key, with its secret.', body: newApiKey, isSecret: true },
});

export const listApiKeys = defineOperation({
  ...keys,
  id: 'apiKeys.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/api-keys',
  scope: 'keys:read',
  risk: 'standard',
  summary: 'List API keys',
  description: 'Returns the API keys of the workspace, newest first, including revoked and expired ones.',
  params: none,
  query: z.object(pageParameters),
  success: pageSuccess('ApiKeyPage', apiKey, 'A page of keys.'),
});

export const getApiKey = defineOperation({
  ...keys,
  id: 'apiKeys.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/api-keys/{id}',
  scope: 'keys:read',
  risk: 'standard',
  summary: 'Get an API key',
  description: 'Returns an API key of the workspace, without its secret.',
  success: { status: 200, description: 'The key.', body: apiKey },
});

export const rotateApiKey = defineOperation({
  ...keys,
  id: 'apiKeys.rotate',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/api-keys/{id}/rotate',
  scope: 'keys:write',
  risk: 'sensitive',
  summary: 'Rotate an API key',
  description:
    'Creates a new key with the same name and scopes; the old key stays valid for the grace period. The new key expires when the old one would have, but no later than the calling key. A key that is revoked, expired or already rotated cannot be rotated (422), nor can one with scopes that the calling key does not have (403). A key that has been rotated cannot rotate others (422).',
  body: z
    .object({
      graceSeconds: z
        .int()
        .min(0)
        .max(2_592_000)
        .default(86_400)
        .meta({ description: 'How long the old secret stays valid, in seconds.', examples: [3600] }),
    })
    .meta({ id: 'RotateApiKey', description: 'Options for the rotation.' }),
  isBodyOptional: true,
  bodyExample: { graceSeconds: 3600 },
  success: { status: 201, description: 'The new key, with its secret.', body: newApiKey, isSecret: true },
});

export const revokeApiKey = defineOperation({
  ...keys,
  id: 'apiKeys.revoke',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/api-keys/{id}/revoke',
  scope: 'keys:write',
  risk: 'destructive',
  summary: 'Revoke an API key',
  description:
    'Revokes a key permanently. From that moment it cannot create, rotate or revoke keys, and all instances reject it within a second. Revoking a revoked key changes nothing. A key can revoke itself.',
  body: z.object({}).meta({ id: 'RevokeApiKey', description: 'An empty object.' }),
  isBodyOptional: true,
  bodyExample: {},
  success: { status: 200, description: 'The revoked key.', body: apiKey },
});

export const deleteApiKey = defineOperation({
  ...keys,
  id: 'apiKeys.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/api-keys/{id}',
  scope: 'keys:write',
  risk: 'destructive',
  summary: 'Revoke an API key (DELETE)',
  description: 'Equivalent to the revoke operation. The key remains in the list for the record.',
  success: { status: 200, description: 'The revoked key.', body: apiKey },
});

export const whoami = defineOperation({
  ...keys,
  id: 'whoami',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/whoami',
  scope: null,
  risk: 'standard',
  summary: 'Get the current API key',
  description: 'Returns the workspace and the scopes of the calling API key.',
  params: none,
  success: {
    status: 200,
    description: 'The calling API key and its workspace.',
    body: z
      .strictObject({
        workspaceId: fields.workspaceId,
        workspaceName: z
          .string()
          .max(255)
          .meta({ description: 'The name of the workspace.', examples: ['default'] }),
        keyId: fields.id,
        keyName: keyName,
        scopes: fields.scopes,
      })
      .meta({ id: 'Whoami', description: 'The calling API key and its workspace.' }),
  },
});

export const apiKeysContract = defineContract({
  tag: { name: 'API keys', description: 'API keys and their scopes.' },
  idPrefixes: ['key', 'ws'],
  scopes: keyScopes,
  operations: [createApiKey, listApiKeys, getApiKey, rotateApiKey, revokeApiKey, deleteApiKey, whoami],
});
